package score

import (
	"cmp"
	"math"
	"slices"
)

// A Prediction is the predicted probability that a document is of the positive class, and whether the document is.
type Prediction struct {
	Probability float64
	Positive    bool
}

// An Area is the area under the ROC curve, with its standard error. The area is the probability that a positive
// document has a higher probability than a negative document. Ties count one half (Mann and Whitney 1947). The standard
// error is from DeLong, DeLong and Clarke-Pearson (Biometrics 44, 1988).
type Area struct {
	AUC, Error float64
}

// AreaOf returns the area under the ROC curve. There must be a document of each class. The error is NaN if a class has
// only one document. DeLong's placements are computed from mid-ranks, in time n·log n (Sun and Xu, IEEE Signal
// Processing Letters 21, 2014).
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

// Interval returns the 95 % confidence interval of the area.
func (a Area) Interval() (low, high float64) { return LogitInterval(a.AUC, a.Error) }

// moments are the running mean and variance of the added numbers (Welford 1962).
type moments struct {
	n            int
	mean, square float64
}

// add adds x the given number of times.
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

// LogLoss returns the mean of −log p in nats, with p the predicted probability of a document's true class.
// Probabilities are FLOAT32 on the wire. If one was rounded to 0 or 1, it counts as 2⁻²⁵ away from there, the least
// distance. So a single wrong document does not make the mean infinite.
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

// Entropy returns the log loss if every prediction is the positive class's share.
func Entropy(positive, documents int) float64 {
	share := float64(positive) / float64(documents)
	return -share*math.Log(share) - (1-share)*math.Log(1-share)
}

// A Bin is the documents with a probability in [From, To). The last bin includes 1.
type Bin struct {
	From, To  float64
	Documents int
	Predicted float64 // mean probability; 0 without documents
	Observed  float64 // share of positive documents; 0 without documents
	Low, High float64 // 95 % interval of the probability behind Observed; 0 and 1 without documents
}

// Calibration returns ten bins with equal widths.
func Calibration(predictions []Prediction) []Bin {
	const number = 10
	bins, positive := make([]Bin, number), [number]int{}
	for i := range bins {
		bins[i].From, bins[i].To = float64(i)/number, float64(i+1)/number
	}
	for _, p := range predictions {
		i := min(int(p.Probability*number), number-1)
		bins[i].Documents++
		bins[i].Predicted += p.Probability
		if p.Positive {
			positive[i]++
		}
	}
	for i := range bins {
		b := &bins[i]
		b.High = 1
		if n := b.Documents; n > 0 {
			b.Predicted /= float64(n)
			b.Observed = float64(positive[i]) / float64(n)
			b.Low, b.High = ShareInterval(positive[i], n)
		}
	}
	return bins
}

// A Point lies on the ROC curve: the shares of negative and of positive documents with a probability above some
// threshold.
type Point struct{ FalsePositive, TruePositive float64 }

// ROC returns the points on the ROC curve, one for each probability, from (0, 0) to (1, 1). There must be a document of
// each class.
func ROC(predictions []Prediction) []Point {
	sorted := slices.Clone(predictions)
	slices.SortFunc(sorted, func(a, b Prediction) int { return cmp.Compare(b.Probability, a.Probability) })
	var counts []([2]int) // negative and positive documents down to each probability
	var seen [2]int
	for i, p := range sorted {
		if p.Positive {
			seen[1]++
		} else {
			seen[0]++
		}
		if i+1 == len(sorted) || sorted[i+1].Probability != p.Probability {
			counts = append(counts, seen)
		}
	}
	points := []Point{{0, 0}}
	for _, c := range counts {
		points = append(points, Point{float64(c[0]) / float64(seen[0]), float64(c[1]) / float64(seen[1])})
	}
	return points
}
