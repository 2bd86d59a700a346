package score

import (
	"math"
)

// A Confusion counts documents by their class (rows) and by their predicted class (columns). Each
// document has one class.
type Confusion struct {
	counts    [][]int
	documents int
}

// NewConfusion returns a confusion for the given number of classes, without documents.
func NewConfusion(classes int) *Confusion {
	c := &Confusion{counts: make([][]int, classes)}
	for i := range c.counts {
		c.counts[i] = make([]int, classes)
	}
	return c
}

// Add counts a document.
func (c *Confusion) Add(class, predicted int) {
	c.counts[class][predicted]++
	c.documents++
}

// Counts returns the matrix.
func (c *Confusion) Counts() [][]int { return c.counts }

// Documents returns the number of documents.
func (c *Confusion) Documents() int { return c.documents }

// Right returns the number of documents with a right prediction.
func (c *Confusion) Right() (right int) {
	for i, row := range c.counts {
		right += row[i]
	}
	return right
}

// Largest returns the number of documents of the most frequent class.
func (c *Confusion) Largest() (most int) {
	for i := range c.counts {
		most = max(most, c.Class(i).Documents)
	}
	return most
}

// A Class is one class's numbers in a confusion. Precision is 0 if the class is never predicted. Recall is 0 if no
// document has it.
type Class struct {
	Documents, Predicted  int // documents of the class, and predictions of it
	Precision, Recall, F1 float64
}

// Class returns the numbers of class k, from 0.
func (c *Confusion) Class(k int) (of Class) {
	for i := range c.counts {
		of.Documents += c.counts[k][i]
		of.Predicted += c.counts[i][k]
	}
	right := float64(c.counts[k][k])
	if of.Predicted > 0 {
		of.Precision = right / float64(of.Predicted)
	}
	if of.Documents > 0 {
		of.Recall = right / float64(of.Documents)
	}
	if sum := of.Documents + of.Predicted; sum > 0 {
		of.F1 = 2 * right / float64(sum)
	}
	return of
}

// MacroF1 returns the mean F1 and its standard error over documents. The mean is over the classes that some document
// has or that are predicted for some document, as in scikit-learn. The error is by the delta method (Takahashi et al.,
// Confidence interval for micro-averaged F1 and macro-averaged F1 scores, Applied Intelligence 52, 2022). There must be
// a document. If the mean is 0 or 1, the error is 0 and says nothing.
func (c *Confusion) MacroF1() (mean, standardError float64) {
	of := make([]Class, len(c.counts))
	used := 0.0
	for k := range of {
		of[k] = c.Class(k)
		if of[k].Documents+of[k].Predicted > 0 {
			used++
			mean += of[k].F1
		}
	}
	mean /= used
	// These are the derivatives of F1 = 2·p_kk/(row k + column k) by the probabilities of cells. Their mean over
	// documents is 0.
	n := float64(c.documents)
	sum := func(k int) float64 { return float64(of[k].Documents+of[k].Predicted) / n }
	square := 0.0
	for i, row := range c.counts {
		for j, count := range row {
			if count == 0 {
				continue
			}
			derivative := 2 * (1 - of[i].F1) / sum(i)
			if i != j {
				derivative = -of[i].F1/sum(i) - of[j].F1/sum(j)
			}
			square += float64(count) / n * (derivative / used) * (derivative / used)
		}
	}
	return mean, math.Sqrt(square / n)
}

// Accuracy returns the share of documents with a right prediction, and its 95 % interval. There must be a document.
func (c *Confusion) Accuracy() (share, low, high float64) {
	low, high = ShareInterval(c.Right(), c.documents)
	return float64(c.Right()) / float64(c.documents), low, high
}
