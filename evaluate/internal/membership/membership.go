// Package membership attacks a model: it guesses which documents the model was trained on, from what the model says of them.
package membership

import (
	"errors"
	"math"
	"slices"

	"privpipe/evaluate/internal/auc"
	"privpipe/evaluate/internal/interval"
)

// An Example is what a model says of a document.
type Example struct {
	ID         string
	Class      int       // of the document
	Features   []float64 // for Shadow
	Confidence float64   // for Ratio: the model's, in what is true of the document, on a scale from −∞ to ∞
}

// A Set is what one model says of documents that it was trained on, and of others.
type Set struct{ In, Out []Example }

// A Guess is an attack's score of a document: the larger, the surer that it was trained on.
type Guess struct {
	Score  float64
	Member bool
	Called bool // a member, by the attack's own threshold
}

// A Result measures the guesses of an attack. All ends of intervals are of 95 % ones.
type Result struct {
	Members, Others int
	Accuracy        float64 // mean of the shares of members and of others that are called right
	AccuracyLow     float64
	AccuracyHigh    float64
	Area            auc.Area
	TruePositive    float64 // the share of members above a threshold that at most a FalsePositive share of the others passes
	TruePositiveLow float64
	TruePositiveHi  float64
}

// FalsePositive is the share of others that Result.TruePositive allows, as Carlini et al. recommend to measure attacks (Membership Inference
// Attacks From First Principles, 2022).
const FalsePositive = 0.01

// Measure measures guesses about members and others, of which there must be some.
func Measure(guesses []Guess) (*Result, error) {
	r := new(Result)
	var ranked []auc.Prediction
	var others []float64
	right, wrong := 0, 0 // members and others that are called members
	for _, g := range guesses {
		ranked = append(ranked, auc.Prediction{Probability: g.Score, Positive: g.Member})
		switch {
		case g.Member && g.Called:
			right++
		case g.Called:
			wrong++
		}
		if g.Member {
			r.Members++
		} else {
			r.Others++
			others = append(others, g.Score)
		}
	}
	if r.Members == 0 || r.Others == 0 {
		return nil, errors.New("there must be members and others to tell apart")
	}
	r.Accuracy = (float64(right)/float64(r.Members) + 1 - float64(wrong)/float64(r.Others)) / 2
	r.AccuracyLow, r.AccuracyHigh = balanced(right, r.Members, wrong, r.Others)
	r.Area = auc.AreaOf(ranked)
	slices.Sort(others)
	// A guess above the threshold is wrong for at most ⌊FalsePositive·n⌋ of the n others.
	threshold := others[len(others)-1-int(FalsePositive*float64(len(others)))]
	above := 0
	for _, g := range guesses {
		if g.Member && g.Score > threshold {
			above++
		}
	}
	r.TruePositive = float64(above) / float64(r.Members)
	r.TruePositiveLow, r.TruePositiveHi = interval.Share(above, r.Members)
	return r, nil
}

// balanced is an interval of (1 + p − q)/2, where p is the share of members and q that of others that are called members: Agresti and Caffo, Simple
// and Effective Confidence Intervals for Proportions and Differences of Proportions (2000). It adds a success and a failure to each.
func balanced(right, members, wrong, others int) (low, high float64) {
	p, n := float64(right+1)/float64(members+2), float64(members+2)
	q, m := float64(wrong+1)/float64(others+2), float64(others+2)
	const normal = 1.959963984540054 // quantile of 0.975
	half := normal * math.Sqrt(p*(1-p)/n+q*(1-q)/m)
	return max(0, (1+p-q-half)/2), min(1, (1+p-q+half)/2)
}
