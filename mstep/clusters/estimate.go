package clusters

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
)

// An estimate is a mixture: weights π, means μ and variances σ², row by row.
type estimate struct {
	weights, means, variances []float64
	spread                    float64 // c: a mean has the variance c·e_d around the mean of all vectors in dimension d
}

// fewest keeps the counts of clusters away from 0 where there is no noise.
const fewest = 1e-3

// floored returns the count n⁺ of a cluster, at least the deviation of its noise.
func (s *sums) floored(c int) float64 { return max(s.counts[c], math.Sqrt(s.countsNoise), fewest) }

// total returns the number of vectors N.
func (s *sums) total() float64 { return max(floats.Sum(s.counts), fewest) }

// overall returns the mean m of all vectors.
func (s *sums) overall() []float64 {
	mean := make([]float64, s.dimensions)
	for c := range s.clusters {
		floats.Add(mean, s.row(s.sums, c))
	}
	floats.Scale(1/s.total(), mean)
	return mean
}

func (s *sums) row(cells []float64, c int) []float64 {
	return cells[c*s.dimensions : (c+1)*s.dimensions]
}

// meanNoise returns the variance s_k² of the noise on each cell of sums/n⁺, for each cluster.
func (s *sums) meanNoise() []float64 {
	noise := make([]float64, s.clusters)
	for c := range noise {
		noise[c] = s.sumsNoise / (s.floored(c) * s.floored(c))
	}
	return noise
}

// estimate returns the mixture for the sums, by empirical Bayes. With y_k = sums_k/n⁺_k ~ N(μ_k, s_k²·I) and the prior
// μ_kd ~ N(m_d, λ_d), the mean of the posterior is m_d + λ_d/(λ_d + s_k²)·(y_kd − m_d) (Efron and Morris, Stein's
// Estimation Rule and Its Competitors, JASA 1973, §2). Without noise it is y_k. λ_d = c·e_d, where e_d are the scales.
func (s *sums) estimate(scales []float64) *estimate {
	k, v := s.clusters, s.dimensions
	q := &estimate{weights: make([]float64, k), means: make([]float64, k*v), variances: make([]float64, k*v)}
	noise, mean := s.meanNoise(), s.overall()
	for c := range k {
		y := s.row(q.means, c)
		floats.AddScaled(y, 1/s.floored(c), s.row(s.sums, c))
		floats.Sub(y, mean)
		q.weights[c] = max(s.floored(c), leastWeight*s.total()/float64(k))
	}
	floats.Scale(1/floats.Sum(q.weights), q.weights)
	q.spread = spread(q.means, noise, scales)
	within := 1.0 // the mean of |x − μ|² for unit vectors is 1 − Σ π_k·|μ_k|²
	for c := range k {
		row := s.row(q.means, c)
		for d := range row {
			row[d] = mean[d] + shrunk(q.spread*scales[d], noise[c])*row[d]
		}
		within -= q.weights[c] * floats.Dot(row, row)
	}
	fill(q.variances, bounded(within/float64(v), v))
	if s.squares != nil {
		s.diagonal(q, noise, scales)
	}
	return q
}

// leastWeight is the least weight of a cluster, over that of equal clusters. A smaller cluster would hardly be found
// again.
const leastWeight = 0.02

// shrunk returns λ/(λ+s²), the share of an observed deviation that is no noise. Without either nothing is noise.
func shrunk(spread, noise float64) float64 {
	if noise == 0 {
		return 1
	}
	return spread / (spread + noise)
}

// bounded returns a variance of v dimensions in the range of unit vectors: at most 1/v, that of a cluster in all
// directions.
func bounded(variance float64, v int) float64 {
	most := 1 / float64(v)
	return min(max(variance, most/10), most)
}

// spread returns the c of deviations ~ N(0, c·e_d + s_k²), with a row for each cluster, by expectation maximization
// (Dempster, Laird and Rubin, JRSS B 1977, §4.5). Without noise it is the mean of their squares over e_d.
func spread(deviations, noise, scales []float64) float64 {
	v, c := len(scales), 0.0
	for i, x := range deviations {
		c += x * x / scales[i%v] / float64(len(deviations))
	}
	for range 200 {
		next := 0.0
		for i, x := range deviations {
			e, s2 := scales[i%v], noise[i/v]
			g := shrunk(c*e, s2)
			next += (g*g*x*x + g*s2) / e / float64(len(deviations))
		}
		if math.Abs(next-c) <= 1e-9*c {
			break
		}
		c = next
	}
	return c
}

// diagonal sets a variance for each cluster and dimension. The noisy observation squares/n⁺ − μ² is shrunk to the
// common variance, by empirical Bayes as the means are. It stays within a tenth and ten times of the common variance.
func (s *sums) diagonal(q *estimate, meanNoise, scales []float64) {
	common := q.variances[0]
	noise, deviations := make([]float64, s.clusters), make([]float64, len(s.squares))
	for c := range noise {
		n := s.floored(c)
		noise[c] = s.squaresNoise / (n * n)
		for d := range s.dimensions {
			i, g := c*s.dimensions+d, shrunk(q.spread*scales[d], meanNoise[c])
			// E[μ²] is the square of the posterior's mean and its variance, g·s².
			deviations[i] = s.squares[i]/n - q.means[i]*q.means[i] - g*meanNoise[c] - common
		}
	}
	lambda := spread(deviations, noise, ones(s.dimensions))
	for i, d := range deviations {
		x := common + shrunk(lambda, noise[i/s.dimensions])*d
		q.variances[i] = min(max(x, common/10), 10*common)
	}
}

// ones are the scales of dimensions of which nothing is known.
func ones(v int) []float64 {
	scales := make([]float64, v)
	fill(scales, 1)
	return scales
}

// split puts each cluster that holds next to nothing on half of the largest one: two means lie half a deviation of the
// means apart in a random direction. The coins are public. It changes the estimate and the sums.
func (s *sums) split(q *estimate, scales []float64, seed uint64, round uint32) {
	random := rand.New(rand.NewPCG(seed, uint64(round)))
	few := max(s.total()/float64(4*s.clusters), 2*math.Sqrt(s.countsNoise))
	for c := range s.clusters {
		largest := floats.MaxIdx(s.counts)
		if s.counts[c] >= few || largest == c || s.counts[largest] < 2*few {
			continue
		}
		half := s.counts[largest] / 2
		for d := range s.dimensions {
			from, to := largest*s.dimensions+d, c*s.dimensions+d
			step := math.Sqrt(q.spread*scales[d]) / 2 * random.NormFloat64()
			q.means[from], q.means[to] = q.means[from]-step, q.means[from]+step
			s.sums[from], s.sums[to] = half*q.means[from], half*q.means[to]
			q.variances[to] = q.variances[from]
			if s.squares != nil {
				s.squares[from] /= 2
				s.squares[to] = s.squares[from]
			}
		}
		s.counts[largest], s.counts[c] = half, half
		q.weights[c] = (q.weights[largest] + q.weights[c]) / 2
		q.weights[largest] = q.weights[c]
	}
}
