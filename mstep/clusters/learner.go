package clusters

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
)

// Options are the settings of the M-step. All are public and fixed before the run.
type Options struct {
	Size     model.Size // V dimensions and K clusters
	Diagonal bool       // the clusters have a variance for each dimension
	Rate     model.Rate
	Seed     uint64 // of the directions in which clusters are split
	// Scales are the variances of public vectors in each dimension, positive; nil: equal. The means of clusters spread
	// in proportion to them.
	Scales []float64
}

// Learner implements model.Learner.
type Learner struct {
	o       Options
	round   uint32
	learned float64 // number of releases
	sums    sums
	q       *estimate
}

// sums are averages of the released statistics over the rounds, and the variance of the noise on each cell.
type sums struct {
	counts, sums, squares  []float64 // K, K × V and K × V row by row; squares is nil without Diagonal
	countsNoise, sumsNoise float64
	squaresNoise           float64
	clusters, dimensions   int
}

// New returns a learner that begins with these means, K × V row by row. All clusters begin with the same weight, and
// with the variance that unit vectors have in all directions.
func New(o Options, means []float64) *Learner {
	k, v := o.Size.Components, o.Size.Words
	if o.Scales == nil {
		o.Scales = ones(v)
	}
	l := &Learner{o: o, sums: sums{counts: make([]float64, k), sums: make([]float64, k*v), clusters: k, dimensions: v}}
	if o.Diagonal {
		l.sums.squares = make([]float64, k*v)
	}
	l.q = &estimate{weights: make([]float64, k), means: slices.Clone(means), variances: make([]float64, k*v)}
	for c := range k {
		l.q.weights[c] = 1 / float64(k)
	}
	within := 1 - floats.Dot(means, means)/float64(k)
	fill(l.q.variances, bounded(within/float64(v), v))
	return l
}

func fill(cells []float64, x float64) {
	for i := range cells {
		cells[i] = x
	}
}

// Family implements model.Learner.
func (l *Learner) Family() *model.Family {
	if l.o.Diagonal {
		return families.DiagonalClusters
	}
	return families.Clusters
}

// Size implements model.Learner.
func (l *Learner) Size() model.Size { return l.o.Size }

// Round implements model.Learner.
func (l *Learner) Round() uint32 { return l.round }

var errSquares = errors.New("releases have squares, which a part of ε was spent on: --covariance diagonal learns " +
	"from them")

// Update implements model.Learner. The first release replaces the sums, which are 0. In the last two rounds no cluster
// is split, so that the model has means that vectors have answered to.
func (l *Learner) Update(r *model.Release) error {
	l.learned++
	rho := 1.0
	if l.learned > 1 {
		rho = l.o.Rate.At(l.learned)
	}
	s := &l.sums
	for _, m := range []struct {
		name     string
		average  []float64
		variance *float64
	}{
		{families.ClusterCounts, s.counts, &s.countsNoise}, {families.ClusterSums, s.sums, &s.sumsNoise},
		{families.ClusterSquares, s.squares, &s.squaresNoise},
	} {
		released, err := r.Statistic(m.name)
		if m.average == nil {
			if err == nil {
				return errSquares
			}
			continue
		}
		if err != nil {
			return err
		}
		*m.variance = model.Mix(m.average, released.Values, rho, *m.variance, released.Deviation*released.Deviation)
	}
	l.round = r.Round
	l.q = s.estimate(l.o.Scales)
	if int(r.Round)+2 <= r.Rounds {
		s.split(l.q, l.o.Scales, l.o.Seed, l.round)
	}
	return nil
}

// Parameters implements model.Learner.
func (l *Learner) Parameters() *model.Snapshot {
	s := new(model.Snapshot)
	l.put(s)
	return s
}

// put writes the matrices that the E-step reads.
func (l *Learner) put(s *model.Snapshot) {
	families.ClusterWeights.Put(s, l.o.Size, l.q.weights)
	families.ClusterMeans.Put(s, l.o.Size, l.q.means)
	families.ClusterVariances.Put(s, l.o.Size, l.q.variances)
}

// Model implements model.Learner.
func (l *Learner) Model() (*model.Snapshot, error) {
	s := new(model.Snapshot)
	families.Rounds.Put(s, float64(l.round))
	l.put(s)
	return s, nil
}

// farByNoise is how probable the noise alone is to be more than two deviations from 0: 2·(1−Φ(2)).
const farByNoise = 0.0455

// mostByNoise is the number of dimensions, of v, that noise alone hardly has more than two deviations from 0: the mean
// of the binomial distribution and twice its deviation.
func mostByNoise(v int) int {
	mean := farByNoise * float64(v)
	return int(mean + 2*math.Sqrt(mean*(1-farByNoise)))
}

// AboveNoise implements model.Judge: for each cluster the number of dimensions in which its mean is more than two
// deviations of the noise away from the mean of all vectors.
func (l *Learner) AboveNoise() []int {
	above := make([]int, l.o.Size.Components)
	mean, noise := l.sums.overall(), l.sums.meanNoise()
	for c := range above {
		for d, m := range mean {
			y := l.sums.sums[c*len(mean)+d] / l.sums.floored(c)
			if math.Abs(y-m) > 2*math.Sqrt(noise[c]) {
				above[c]++
			}
		}
	}
	return above
}
