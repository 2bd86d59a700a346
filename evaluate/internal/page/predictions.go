package page

import (
	"fmt"
	"math"

	"privpipe/evaluate/internal/score"
	"privpipe/pipelines/chart"
)

// Predictions are measures of a model's predictions for held-out documents. One of Binary, Classes and Pixels is set,
// or Binary and Classes.
type Predictions struct {
	Source  string
	Private bool // no budget covers these numbers
	Binary  *Binary
	Classes *Classes
	Pixels  *Pixels
}

// Binary says how the probabilities for one class rank documents, and whether they are frequencies.
type Binary struct {
	Class               string
	Documents, Positive int
	AUC                 float64
	Low, High           *float64 // 95 % interval of the area; nil where a class has one document
	LogLoss, Base       float64  // in nats; Base is the log loss if each prediction is the class's share
	ROC, Reliability    *Chart
	Bins                []score.Bin // without empty bins
}

// NewBinary measures predictions for one class.
func NewBinary(class string, predictions []score.Prediction) *Binary {
	area := score.AreaOf(predictions)
	b := &Binary{Class: class, Documents: len(predictions), AUC: area.AUC, LogLoss: score.LogLoss(predictions)}
	for _, p := range predictions {
		if p.Positive {
			b.Positive++
		}
	}
	if !math.IsNaN(area.Error) {
		low, high := area.Interval()
		b.Low, b.High = &low, &high
	}
	b.Base = score.Entropy(b.Positive, b.Documents)
	for _, bin := range score.Calibration(predictions) {
		if bin.Documents > 0 {
			b.Bins = append(b.Bins, bin)
		}
	}
	b.drawROC(score.ROC(predictions))
	b.drawReliability()
	return b
}

// shareAxes returns axes for shares. The vertical axis leaves room for its name.
func shareAxes() (across, up chart.Axis) { return chart.Axis{Max: 1}, chart.Axis{Max: 1.05} }

// drawROC draws the curve. It leaves out points that nobody could tell from the point before.
func (b *Binary) drawROC(points []score.Point) {
	const apart = 1. / 400
	roc := series{name: "model", class: "first"}
	last := score.Point{FalsePositive: -1}
	for i, p := range points {
		if i == len(points)-1 || p.FalsePositive-last.FalsePositive >= apart ||
			p.TruePositive-last.TruePositive >= apart {
			roc.x, roc.y = append(roc.x, p.FalsePositive), append(roc.y, p.TruePositive)
			last = p
		}
	}
	b.ROC = &Chart{ID: "roc", Title: "ROC curve", XLabel: "share of other documents above the threshold",
		YLabel: "share of class " + b.Class + " above the threshold",
		Text:   fmt.Sprintf("The area under the ROC curve is %.3f; that of a random ranking is 0.5.", b.AUC)}
	across, up := shareAxes()
	b.ROC.draw(across, up,
		[]series{roc, {name: "random", class: "limit", x: []float64{0, 1}, y: []float64{0, 1}}})
}

// drawReliability draws the share of the class in each bin of probabilities.
func (b *Binary) drawReliability() {
	b.Reliability = &Chart{ID: "reliability", Title: "Calibration", XLabel: "predicted probability, mean of a bin",
		YLabel: "share of class " + b.Class,
		Text: fmt.Sprintf("Each dot is the documents whose probability is in one of %d bins, each a tenth wide, with "+
			"the exact 95 %% interval of their share of the class. "+
			"The probabilities of a calibrated model are on the diagonal.", len(b.Bins))}
	across, up := shareAxes()
	b.Reliability.draw(across, up,
		[]series{{name: "calibrated", class: "limit", x: []float64{0, 1}, y: []float64{0, 1}}})
	for _, bin := range b.Bins {
		b.Reliability.Dots = append(b.Reliability.Dots, Dot{X: across.At(bin.Predicted, Left, Right),
			Y: up.At(bin.Observed, Bottom, Top), Low: up.At(bin.Low, Bottom, Top),
			High: up.At(bin.High, Bottom, Top)})
	}
}

// Classes says how often the predicted class is right.
type Classes struct {
	Documents                     int
	Accuracy, Low, High, Majority float64
	MacroF1                       float64
	MacroF1Low, MacroF1High       *float64 // nil at 0 and 1
	Names                         []string
	Of                            []score.Class
	Confusion                     [][]int // empty above mostConfused classes
}

// mostConfused bounds the number of classes in a matrix on the page.
const mostConfused = 20

// NewClasses returns the measures of a confusion.
func NewClasses(confusion *score.Confusion, names []string) *Classes {
	c := &Classes{Documents: confusion.Documents(), Names: names}
	c.Accuracy, c.Low, c.High = confusion.Accuracy()
	c.Majority = float64(confusion.Largest()) / float64(c.Documents)
	f1, standardError := confusion.MacroF1()
	if c.MacroF1 = f1; f1 > 0 && f1 < 1 {
		low, high := score.LogitInterval(f1, standardError)
		c.MacroF1Low, c.MacroF1High = &low, &high
	}
	for i := range names {
		c.Of = append(c.Of, confusion.Class(i))
	}
	if len(names) <= mostConfused {
		c.Confusion = confusion.Counts()
	}
	return c
}

// Pixels says how well images are reconstructed.
type Pixels struct {
	Images           int
	Size             score.Size
	Right, Off, Gain score.PixelShare // the model's, an all-off image's, and their difference
	Pairs            []Pair
}

// A Pair is an image and its reconstruction. Each is an SVG path's d, which covers the pixels that are on.
type Pair struct{ Image, Reconstruction string }

// NewPixels returns the measures in scored, and pairs for a picture. Its first baseline must be all off.
func NewPixels(scored *score.Pixels, picture *score.Picture) *Pixels {
	p := &Pixels{Images: scored.Images(), Size: picture.Size, Right: scored.Right()}
	p.Off, p.Gain = scored.Of(0)
	for _, of := range picture.Images {
		p.Pairs = append(p.Pairs,
			Pair{picture.Size.Outline(of.On), picture.Size.Outline(score.Above(of.Probabilities))})
	}
	return p
}
