// Package auc measures the predictions of a classifier of two classes: how it ranks documents, how likely it finds their classes, and
// whether its probabilities are frequencies.
package auc

import (
	"cmp"
	"math"
	"slices"
)

// A Prediction is the probability that a document is of the positive class, and whether it is.
type Prediction struct {
	Probability float64
	Positive    bool
}

// An Area is the area under the ROC curve, the probability that a positive document has a higher probability than a negative one,
// ties counted by half (Mann and Whitney 1947), and the standard error of DeLong, DeLong and Clarke-Pearson (Biometrics 44, 1988).
type Area struct {
	AUC, Error float64
}

// AreaOf returns the area under the ROC curve. There must be a document of each class; the error is NaN if there is only one of a class.
// The placements of DeLong's estimator come from mid-ranks, in time n·log n (Sun and Xu, IEEE Signal Processing Letters 21, 2014).
func AreaOf(predictions []Prediction) Area {
	sorted := slices.Clone(predictions)
	slices.SortFunc(sorted, func(a, b Prediction) int { return cmp.Compare(a.Probability, b.Probability) })
	positives := 0
	for _, p := range sorted {
		if p.Positive {
			positives++
		}
	}
	m, n := float64(positives), float64(len(sorted)-positives)
	var above, below moments // share of negatives below each positive, and of positives above each negative
	seen := 0                // positives with a lower probability
	for first := 0; first < len(sorted); {
		end, tied := first, 0
		for ; end < len(sorted) && sorted[end].Probability == sorted[first].Probability; end++ {
			if sorted[end].Positive {
				tied++
			}
		}
		negatives := end - first - tied
		lower := first - seen // negatives with a lower probability
		above.add((float64(lower)+float64(negatives)/2)/n, tied)
		below.add((m-float64(seen)-float64(tied)/2)/m, negatives)
		first, seen = end, seen+tied
	}
	return Area{AUC: above.mean, Error: math.Sqrt(above.variance()/m + below.variance()/n)}
}

// Interval returns the 95 % confidence interval of the area, by the normal distribution on the scale of log(AUC/(1 − AUC)), which keeps
// it within (0, 1) (Pepe, The Statistical Evaluation of Medical Tests, 2003, §5.2.4). At 0 and 1 it is that point.
func (a Area) Interval() (low, high float64) {
	const deviations = 1.959963984540054 // of 95 %
	spread := a.AUC * (1 - a.AUC)
	if spread == 0 {
		return a.AUC, a.AUC
	}
	logit, width := math.Log(a.AUC/(1-a.AUC)), deviations*a.Error/spread
	return 1 / (1 + math.Exp(width-logit)), 1 / (1 + math.Exp(-width-logit))
}

// moments are the mean and the variance of numbers that are added (Welford 1962).
type moments struct {
	n            int
	mean, square float64
}

// add adds x so many times.
func (s *moments) add(x float64, times int) {
	if times == 0 {
		return
	}
	before := float64(s.n)
	s.n += times
	d := x - s.mean
	s.mean += d * float64(times) / float64(s.n)
	s.square += d * d * before * float64(times) / float64(s.n)
}

func (s *moments) variance() float64 { return s.square / float64(s.n-1) }

// LogLoss returns the mean of −log of the probability of each document's class, in nats. Probabilities are FLOAT32 on the wire: one that
// was rounded to 0 or 1 counts as the least distance from there, 2⁻²⁵, so that a single wrong document does not make the mean infinite.
func LogLoss(predictions []Prediction) float64 {
	const least = 1. / (1 << 25)
	sum := 0.0
	for _, p := range predictions {
		of := p.Probability
		if !p.Positive {
			of = 1 - of
		}
		sum -= math.Log(max(of, least))
	}
	return sum / float64(len(predictions))
}

// A Bin is the documents whose probability is in [From, To), or up to 1 in the last bin.
type Bin struct {
	From, To  float64
	Documents int
	Predicted float64 // mean probability; 0 without documents
	Observed  float64 // share of positive documents; 0 without documents
}

// Calibration returns ten bins of one width.
func Calibration(predictions []Prediction) []Bin {
	const number = 10
	bins := make([]Bin, number)
	for i := range bins {
		bins[i].From, bins[i].To = float64(i)/number, float64(i+1)/number
	}
	for _, p := range predictions {
		b := &bins[min(int(p.Probability*number), number-1)]
		b.Documents++
		b.Predicted += p.Probability
		if p.Positive {
			b.Observed++
		}
	}
	for i := range bins {
		if n := float64(bins[i].Documents); n > 0 {
			bins[i].Predicted /= n
			bins[i].Observed /= n
		}
	}
	return bins
}
