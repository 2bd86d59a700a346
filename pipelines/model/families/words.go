package families

import (
	"math"
	"strings"

	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// WordCounts is the statistic of Words: 1 × V, how often each word occurs.
const WordCounts = "words"

// The fields in model files of Words. The E-step needs no parameters.
var (
	// Probabilities are the probabilities of the words.
	Probabilities = model.Matrix[float64]{Name: "probabilities", Rows: model.One, Columns: model.Words,
		Rule: model.Probability}
)

// The optional fields in model files of Words: a reader asks In before Of. Older programs wrote neither.
var (
	// Sums are the released sums, without bias. A word's sum adds up its count over the document's norm, for all
	// documents. Noise may have made it negative.
	Sums = model.Matrix[float64]{Name: "sums", Rows: model.One, Columns: model.Words}

	// Deviations are the standard deviations of the noise on Sums. They come with Sums.
	Deviations = model.Matrix[float64]{
		Name: "deviations", Rows: model.One, Columns: model.Words, Rule: model.NotNegative,
	}
)

// Words is the family of word frequencies: a private unigram, as a baseline and for denoising topics.
var Words = &model.Family{
	Name: "words", NonNegative: true,
	Statistics: func(s model.Size) []*wire.Matrix {
		return []*wire.Matrix{{Name: WordCounts, Rows: 1, Columns: uint32(s.Words), Element: wire.Element_FLOAT32}}
	},
	Model: []model.Field{Rounds, Probabilities},
}

// A Kind is one kind of public text, and how much of the private text reads like it.
type Kind struct {
	Name  string
	Share float64 // in [0, 1]; the shares of all kinds add up to 1
}

// kindPrefix begins the names of scalars in a model file, one for each kind. The scalar is the kind's share.
const kindPrefix = "like "

// PutKinds writes kinds to a model file.
func PutKinds(s *model.Snapshot, kinds []Kind) {
	for _, k := range kinds {
		model.Scalar{Name: kindPrefix + k.Name}.Put(s, k.Share)
	}
}

// KindsOf reads the kinds in a model file. It returns none without public text, or without names for its kinds.
func KindsOf(set *stream.Set) (kinds []Kind, err error) {
	for _, s := range set.Parameters.GetScalars() {
		if name, ok := strings.CutPrefix(s.Name, kindPrefix); ok {
			share, err := model.Scalar{Name: s.Name, Rule: model.Share}.Of(set)
			if err != nil {
				return nil, err
			}
			kinds = append(kinds, Kind{name, share})
		}
	}
	return kinds, nil
}

// WordScales returns a divisor a_v = (V p_v + 0.05)^¼ for each word's counts, where p_v are public frequencies. Counts
// are divided by a_v before they are released, and multiplied by it after. The noise on a word is then in proportion to
// a_v. Power ½ would make the relative error of all words equal, and power 0 the absolute error; ¼ is between.
func WordScales(frequencies []float64) []float64 {
	scales := make([]float64, len(frequencies))
	for v, p := range frequencies {
		scales[v] = math.Pow(float64(len(frequencies))*p+0.05, 0.25)
	}
	return scales
}
