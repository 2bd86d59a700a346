package attack

import (
	"errors"
	"math"
	"slices"

	"privpipe/evaluate/internal/score"
)

// An Example is one model's answer about one document.
type Example struct {
	ID         string
	Class      int       // the document's class
	Features   []float64 // for Shadow
	Confidence float64   // for Ratio: the model's, in the truth about the document, from −∞ to ∞
}

// A Set is one model's answers: In about documents that it was trained on, Out about others.
type Set struct{ In, Out []Example }

// A Guess is an attack's score for one document. The larger the score, the surer the attack is that the model was
// trained on it.
type Guess struct {
	Score  float64
	Member bool
	Called bool // a member, by the attack's own threshold
}

// A Membership measures guesses of membership. All ends of intervals belong to 95 % intervals.
type Membership struct {
	Members, Others int
	Accuracy        float64 // mean of two shares: right calls among members, and among others
	AccuracyLow     float64
	AccuracyHigh    float64
	Area            score.Area
	TruePositive    float64 // share of members above the threshold; at most FalsePositive of the others are above it
	TruePositiveLow float64
	TruePositiveHi  float64
}

// FalsePositive is the share of others that Membership.TruePositive allows. Carlini et al. recommend such a measure for
// attacks (Membership Inference Attacks From First Principles, 2022).
const FalsePositive = 0.01

// Measure measures guesses about members and others. There must be some of both.
func Measure(guesses []Guess) (*Membership, error) {
	r := new(Membership)
	var ranked []score.Prediction
	var others []float64
	right, wrong := 0, 0 // members and others that are called members
	for _, g := range guesses {
		ranked = append(ranked, score.Prediction{Probability: g.Score, Positive: g.Member})
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
	r.Area = score.AreaOf(ranked)
	slices.Sort(others)
	// At most ⌊FalsePositive·n⌋ of the n others are above the threshold.
	threshold := others[len(others)-1-int(FalsePositive*float64(len(others)))]
	above := 0
	for _, g := range guesses {
		if g.Member && g.Score > threshold {
			above++
		}
	}
	r.TruePositive = float64(above) / float64(r.Members)
	r.TruePositiveLow, r.TruePositiveHi = score.ShareInterval(above, r.Members)
	return r, nil
}

// balanced returns an interval for (1 + p − q)/2. Here p is the share of members that are called members, and q the
// share of others that are called members. It adds a success and a failure to each: Agresti and Caffo, Simple and
// Effective Confidence Intervals for Proportions and Differences of Proportions (2000).
func balanced(right, members, wrong, others int) (low, high float64) {
	p, n := float64(right+1)/float64(members+2), float64(members+2)
	q, m := float64(wrong+1)/float64(others+2), float64(others+2)
	half := score.Deviations * math.Sqrt(p*(1-p)/n+q*(1-q)/m)
	return max(0, (1+p-q-half)/2), min(1, (1+p-q+half)/2)
}
