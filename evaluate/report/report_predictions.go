package report

import (
	"bytes"
	"context"
	"math"
	"path/filepath"

	"privpipe/evaluate/internal/page"
	"privpipe/evaluate/internal/score"
	"privpipe/evaluate/measure"
	"privpipe/pipelines/exit"

	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/wire"
)

// AddWeights adds a model's weights for features, if it has any: coefficients, or hidden units over the pixels of
// images.
func AddWeights(p *page.Page, file *modelfile.File) (err error) {
	switch file.Family {
	case families.BLR:
		p.Coefficients, err = rowWeights(file)
	case families.ERM:
		var mean []float64
		if mean, err = families.Mean.Of(file.Set, file.Size); err == nil {
			p.Coefficients = page.NewCoefficients(file.Words, mean, nil)
		}
	case families.DPVI:
		var mean, deviation []float64
		if mean, err = families.Mean.Of(file.Set, file.Size); err == nil {
			deviation, err = families.Deviation.Of(file.Set, file.Size)
		}
		if err == nil {
			p.Coefficients = page.NewCoefficients(file.Words, mean, deviation)
		}
	default:
		p.Units, err = hiddenUnits(file)
	}
	if err != nil {
		return exit.Errorf(exit.Malformed, "%s: %w", file.Name, err)
	}
	return nil
}

// rowWeights returns the coefficients in a blr model. If all variances are 0, the coefficients are a point estimate.
func rowWeights(file *modelfile.File) (*page.Coefficients, error) {
	mean, err := families.Mean.Of(file.Set, file.Size)
	if err != nil {
		return nil, err
	}
	moments, err := families.Moments.Of(file.Set, file.Size)
	if err != nil {
		return nil, err
	}
	deviations, point := make([]float64, len(mean)), true
	for i, m := range mean {
		second := moments[i*len(mean)+i]
		variance := max(0, second-m*m)
		if variance > 1e-12*second { // above the product's rounding error
			point = false
		}
		deviations[i] = math.Sqrt(variance)
	}
	if point {
		deviations = nil
	}
	return page.NewCoefficients(file.Words, mean, deviations), nil
}

// hiddenUnits returns a network's hidden units over the pixels of images. Each unit is a row of the matrix "weights".
// It returns nil for other models.
func hiddenUnits(file *modelfile.File) (*page.Units, error) {
	size, err := score.SizeOf(file.Words)
	if err != nil || file.Family.Topics != nil || file.Size.Components == 0 {
		return nil, nil
	}
	arrays, err := file.Family.Arrays(file.Set, file.Size)
	if err != nil {
		return nil, err
	}
	for _, a := range arrays {
		if a.Name == "weights" && len(a.Cells) == file.Size.Components*size.Pixels() {
			return page.NewUnits(size, a.Cells), nil
		}
	}
	return nil, nil
}

// mostPairs bounds the images on a page.
const mostPairs = 12

// addPredictions adds the measures of the model's predictions for held-out documents.
func (c *Report) addPredictions(ctx context.Context, p *page.Page, file *modelfile.File) error {
	in, err := measure.OpenPredictions(ctx, c.Predictions, c.wanted(wire.Kind_PREDICTIONS))
	if err != nil {
		return err
	}
	defer in.Close()
	if err := refuseOther(in.Input, file); err != nil {
		return err
	}
	p.Predictions = &page.Predictions{Source: filepath.Base(c.Predictions),
		Private: in.Header.Side == wire.Side_PRIVATE}
	if err := addMeasures(p.Predictions, in, file); err != nil {
		return err
	}
	if in.Round != file.Set.Round {
		return in.Errorf("its predictions are of the parameters after round %d, %s has those after round %d", in.Round,
			file.Name, file.Set.Round)
	}
	p.Sources = append(p.Sources, page.Row{Name: "predictions", Value: described(c.Predictions)})
	return nil
}

// addMeasures measures predictions of pixels or of classes. They are predictions of pixels if their columns are the
// model's features and these are pixels.
func addMeasures(p *page.Predictions, in *measure.Predictions, file *modelfile.File) error {
	if _, err := score.SizeOf(file.Words); err == nil && bytes.Equal(in.Header.Vocabulary, file.Header.Vocabulary) {
		score, picture, err := in.Pixels([]*score.Baseline{score.NewBaseline(make([]bool, in.Header.VocabularySize))},
			mostPairs)
		if err == nil {
			p.Pixels = page.NewPixels(score, picture)
		}
		return err
	}
	if in.Header.VocabularySize != 1 {
		confusion, names, err := in.Classes()
		if err == nil {
			p.Classes = page.NewClasses(confusion, names)
		}
		return err
	}
	all, err := in.Binary()
	if err != nil {
		return err
	}
	confusion := score.NewConfusion(2)
	for _, of := range all {
		class := 1
		if of.Positive {
			class = 0
		}
		confusion.Add(class, measure.PredictedClass([]float32{float32(of.Probability)}))
	}
	p.Binary = page.NewBinary(in.Columns[0], all)
	p.Classes = page.NewClasses(confusion, measure.TwoClasses(in.Columns[0]))
	return nil
}
