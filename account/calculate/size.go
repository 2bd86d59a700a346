package calculate

import (
	"context"
	"fmt"
	"math"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/modelfile"
)

// sizeFlags set the limits below which a text is not worth a budget. The defaults are the same as in tokenize check,
// which counts exactly.
type sizeFlags struct {
	Size         string  `placeholder:"FILE" group:"Size" help:"Take the documents and their words from FILE of mstep size, which is released and charged, in place of --documents and --words. The exit code is 83 if they are beyond doubt not worth the budget: more than twice the standard deviation of the noise below a limit."`
	Unit         string  `enum:"document,user" default:"document" group:"Size" help:"With --size: the privacy unit, ${enum}. Of users the number is known between half and all of what is printed."`
	MinDocuments float64 `default:"1000" placeholder:"N" group:"Size" help:"With --size: refuse fewer documents, or users (default ${default})."`
	MinCoverage  float64 `default:"0.4" placeholder:"SHARE" group:"Size" help:"With --size: refuse documents of whose words the vocabulary has a smaller share, on average (default ${default})."`
	MaxEmpty     float64 `default:"0.5" placeholder:"SHARE" group:"Size" help:"With --size: refuse a larger share of documents without a word of the vocabulary (default ${default})."`
}

func (f *sizeFlags) check() error {
	switch {
	case !(f.MinDocuments >= 0 && f.MinDocuments <= 1e12):
		return fmt.Errorf("--min-documents must be a number from 0 to 1e12, is %v", f.MinDocuments)
	case !(f.MinCoverage >= 0 && f.MinCoverage <= 1):
		return fmt.Errorf("--min-coverage must be in [0, 1], is %v", f.MinCoverage)
	case !(f.MaxEmpty >= 0 && f.MaxEmpty <= 1):
		return fmt.Errorf("--max-empty must be in [0, 1], is %v", f.MaxEmpty)
	}
	return nil
}

// A noisy number, with the standard deviation of its noise.
type noisy struct {
	Value float64 `json:"value"`
	Noise float64 `json:"noise"`
}

func (n noisy) String() string {
	if n.Noise == math.MaxFloat64 {
		return "unknown"
	}
	return fmt.Sprintf("%.*f ± %.*f", n.digits(), n.Value, n.digits(), n.Noise)
}

// digits returns how many digits after the decimal point carry information, given the noise.
func (n noisy) digits() int {
	if n.Noise <= 0 {
		return 2
	}
	return max(0, 1-int(math.Floor(math.Log10(n.Noise))))
}

// above says that the value without noise is above the limit, beyond doubt: the noisy value is above it by two standard
// deviations. Noise of both signs is equally likely, so a value at the limit is said to be above it with probability
// 0.023.
func (n noisy) above(limit float64) bool { return n.Value-2*n.Noise > limit }
func (n noisy) below(limit float64) bool { return n.Value+2*n.Noise < limit }

// A textSize is the size of one text, as released with noise. Shares and words are means over the documents.
type textSize struct {
	Documents noisy `json:"documents"` // with --unit user: between the number of users and twice that number
	Empty     noisy `json:"empty"`     // share of the documents without any vocabulary word
	Words     noisy `json:"words"`     // different vocabulary words per document, at most families.SizeMostWords
	Coverage  noisy `json:"coverage"`  // share of each document's words that the vocabulary contains
}

// readSize reads a file that mstep size wrote.
func readSize(ctx context.Context, name string) (*textSize, error) {
	f, err := modelfile.Read(ctx, name, 1<<20)
	if err != nil {
		return nil, err
	}
	if f.Family != families.Size || len(f.Words) != len(families.Size.Features) {
		return nil, exit.Errorf(exit.Malformed, "%s: a model of %s, must be a size of a text", name, f.Family.Name).
			WithHint("mstep size writes one")
	}
	deviation, err := families.SizeDeviation.Of(f.Set)
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	sums, err := families.SizeSums.Of(f.Set, model.Size{Words: f.Size.Words})
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	documents := noisy{sums[families.SizeDocuments], deviation}
	// mean is the quotient of two sums. Their noise is independent and has the same deviation. The error is to first
	// order.
	mean := func(feature int, scale float64) noisy {
		if documents.Value < 1 {
			return noisy{0, math.MaxFloat64}
		}
		quotient := sums[feature] / documents.Value
		return noisy{scale * min(1, max(0, quotient)), scale * deviation / documents.Value * math.Hypot(1, quotient)}
	}
	return &textSize{
		documents, mean(families.SizeEmpty, 1), mean(families.SizeWords, families.SizeMostWords),
		mean(families.SizeKnown, 1),
	}, nil
}

// faults lists the reasons why a text is beyond doubt not worth a budget, each with a hint. All numbers in them are
// released.
func (f *sizeFlags) faults(s *textSize) (faults, hints []string) {
	add := func(is bool, what, hint string) {
		if is {
			faults, hints = append(faults, what), append(hints, hint)
		}
	}
	add(s.Documents.below(f.MinDocuments),
		fmt.Sprintf("%v documents or users, fewer than %v (account advise --min-documents)", s.Documents,
			f.MinDocuments),
		"the noise does not shrink with fewer documents, so it exceeds what few documents say")
	add(s.Coverage.below(f.MinCoverage),
		fmt.Sprintf("the vocabulary has a share of %v of the words of a document, less than --min-coverage %v",
			s.Coverage, f.MinCoverage),
		"for another language than English, the recipe public.sh --language makes a dictionary, "+
			"which lda.sh --language takes")
	add(s.Empty.above(f.MaxEmpty),
		fmt.Sprintf("a share of %v of the documents has no word of the vocabulary, more than --max-empty %v",
			s.Empty, f.MaxEmpty), "an empty document contributes nothing")
	return faults, hints
}
