package measure

import (
	"context"
	"io"

	"privpipe/evaluate/internal/score"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
)

// Predictions is an open stream of predictions. All of them are under one set of parameters.
type Predictions struct {
	*Input
	Columns vocabulary.Words // complete after the first prediction
	Round   uint32           // of the parameters
	read    int
}

// OpenPredictions opens a stream of predictions.
func OpenPredictions(ctx context.Context, name string, wanted endpoint.Wanted) (*Predictions, error) {
	wanted.Kinds = []wire.Kind{wire.Kind_PREDICTIONS}
	in, err := Open(ctx, name, wanted)
	return predictionsOf(in), err
}

// predictionsOf reads the predictions of a stream.
func predictionsOf(in *Input) *Predictions { return &Predictions{Input: in} }

// next returns the next prediction, or io.EOF.
func (in *Predictions) next() (*wire.Prediction, error) {
	for {
		record, err := in.Next()
		if err != nil {
			return nil, err
		}
		p := record.GetPrediction()
		if p == nil { // column names: each writer to a topic sends them, and the first ones count
			if len(in.Columns) < int(in.Header.VocabularySize) {
				in.Columns = append(in.Columns, record.GetWords().GetWords()...)
			}
			continue
		}
		if in.read > 0 && record.Round != in.Round {
			return nil, in.refused("predictions under the parameters of several rounds: one measure would mix them")
		}
		in.Round = record.Round
		in.read++
		return p, nil
	}
}

// all calls add for each prediction.
func (in *Predictions) all(add func(*wire.Prediction) error) error {
	for {
		p, err := in.next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = add(p)
		}
		if err != nil {
			return err
		}
		in.counted()
	}
}

// refused returns an error about the last record.
func (in *Predictions) refused(message string) *exit.Error {
	return exit.Errorf(exit.Malformed, "%w", in.Errorf("%s", message))
}

// probabilitiesOf returns the probabilities in a prediction, one for each column.
func probabilitiesOf(p *wire.Prediction) []float32 { return wire.AppendFloats(nil, p.Probabilities) }

// positive says whether a document has the class of the only column.
func (in *Predictions) positive(p *wire.Prediction) (bool, error) {
	if p.Label == "" && len(p.TruthGaps) == 0 {
		return false, in.refused("a prediction of a document whose class is not known")
	}
	return len(p.TruthGaps) > 0, nil
}

// Binary reads predictions of one column. There must be documents of both classes.
func (in *Predictions) Binary() (all []score.Prediction, err error) {
	positives := 0
	err = in.all(func(p *wire.Prediction) error {
		positive, err := in.positive(p)
		if positive {
			positives++
		}
		all = append(all, score.Prediction{Probability: float64(probabilitiesOf(p)[0]), Positive: positive})
		return err
	})
	if err == nil && (positives == 0 || positives == len(all)) {
		err = exit.Errorf(exit.Malformed, "%s: the documents are not of both classes, so nothing is ranked", in.Name()).
			WithHint("estep --score --positive names the class that is predicted")
	}
	return all, err
}

// MaxClasses bounds the confusion matrix to a size that somebody may read.
const MaxClasses = 1000

// Classes reads predictions of classes. A stream with one column has two classes: the column's class, and all other
// documents.
func (in *Predictions) Classes() (*score.Confusion, []string, error) {
	n := int(in.Header.VocabularySize)
	if n < 1 || n > MaxClasses {
		return nil, nil, exit.Errorf(exit.Malformed, "%s: predictions of %d columns: classes must be 1 to %d",
			in.Name(), n, MaxClasses)
	}
	confusion := score.NewConfusion(max(n, 2))
	err := in.all(func(p *wire.Prediction) error {
		class, err := in.class(p)
		if err == nil {
			confusion.Add(class, PredictedClass(probabilitiesOf(p)))
		}
		return err
	})
	if err == nil && confusion.Documents() == 0 {
		err = exit.Errorf(exit.Malformed, "%s: no predictions", in.Name())
	}
	if err != nil {
		return nil, nil, err
	}
	if n == 1 {
		return confusion, TwoClasses(in.Columns[0]), nil
	}
	return confusion, in.Columns, nil
}

// TwoClasses names the only column's class, and the class of all other documents.
func TwoClasses(name string) []string { return []string{name, "not " + name} }

// class returns a document's class, which is the number of its column. With a single column, 1 stands for all other
// documents.
func (in *Predictions) class(p *wire.Prediction) (int, error) {
	if in.Header.VocabularySize == 1 {
		positive, err := in.positive(p)
		if positive {
			return 0, err
		}
		return 1, err
	}
	if len(p.TruthGaps) != 1 {
		return 0, in.refused("a document must be of exactly one of the classes that the columns name")
	}
	return int(p.TruthGaps[0]), nil
}

// PredictedClass returns the first of the most probable columns. A single column is predicted if its probability is
// above ½.
func PredictedClass(probabilities []float32) int {
	if len(probabilities) == 1 {
		if probabilities[0] > 0.5 {
			return 0
		}
		return 1
	}
	best := 0
	for i, p := range probabilities {
		if p > probabilities[best] {
			best = i
		}
	}
	return best
}
