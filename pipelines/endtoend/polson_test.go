package endtoend

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	estep "privpipe/estep/blr"
	"privpipe/estep/row"
	mstep "privpipe/mstep/blr"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A binomial row has y successes in b trials.
type binomial struct {
	x    []float64
	y, b float64
}

// TestAlgorithm4: variational Bayes for binomial counts agrees with the Gibbs sampler of Polson, Scott and Windle
// (2013, §3) for the same model. The sampler's chain has the posterior itself. The means of the weights are within 3
// standard errors of the chain's means. The standard errors come from the means of batches. Rows have many trials, so
// that the posterior is nearly Gaussian, as q is.
func TestAlgorithm4(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 5))
	rows := make([]binomial, 25)
	for i := range rows {
		x := []float64{0.5, 0.5 * random.NormFloat64() / 2, 0.25 * random.NormFloat64()}
		p := 1 / (1 + math.Exp(-0.8*x[0]-1.5*x[1]+x[2]))
		b := float64(20 + random.IntN(60))
		// FLOAT32, as documents have them.
		for j := range x {
			x[j] = float64(float32(x[j]))
		}
		rows[i] = binomial{x: x, y: distuv.Binomial{N: b, P: p, Src: random}.Rand(), b: b}
	}
	mean := variational(t, rows)
	const batches = 40
	chain := polson(random, rows, batches, 1000)
	for v := range mean {
		sum, square := 0.0, 0.0
		for _, batch := range chain {
			sum += batch[v] / batches
		}
		for _, batch := range chain {
			square += (batch[v] - sum) * (batch[v] - sum)
		}
		standard := math.Sqrt(square / (batches - 1) / batches)
		t.Logf("weight %d: variational %.4f, chain %.4f ± %.4f", v, mean[v], sum, standard)
		if math.Abs(mean[v]-sum) > 3*standard {
			t.Errorf("weight %d is %v, the chain's mean is %v with a standard error of %v", v, mean[v], sum, standard)
		}
		if standard > 0.02 {
			t.Errorf("weight %d: a standard error of %v shows nothing", v, standard)
		}
	}
}

// variational runs the E-step and the M-step without noise until nothing changes, and returns the mean of the weights.
func variational(t *testing.T, rows []binomial) []float64 {
	t.Helper()
	size := model.Size{Words: len(rows[0].x)}
	learner := mstep.New(mstep.Options{Words: size.Words, A0: 1, B0: 1})
	const grid = 1. / (1 << 24)
	for round := uint32(1); round <= 60; round++ {
		step := estep.New(estep.Options{RowNorm: 1, Labels: row.Labels{Trials: 100}})
		if err := step.SetParameters(modeltest.Set(learner, learner.Parameters()), size); err != nil {
			t.Fatal(err)
		}
		worker := step.NewWorker()
		var sums []float64
		for _, r := range rows {
			d := &wire.Document{Label: fmt.Sprintf("%v/%v", r.y, r.b), WordGaps: []uint32{0, 1, 1}}
			for _, x := range r.x {
				d.Values = stream.AppendCells(d.Values, []float32{float32(x)})
			}
			parts, err := worker.Contribute(d, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range modeltest.Dense(families.BLR.Statistics(size), parts) {
				if len(sums) <= i {
					sums = append(sums, 0)
				}
				sums[i] += x
			}
		}
		steps := make([]int64, len(sums))
		for i, x := range sums {
			steps[i] = int64(math.Round(x / grid))
		}
		if err := modeltest.Update(learner,
			modeltest.Release{Round: round, Head: modeltest.None(1, grid, 60), Steps: steps}); err != nil {
			t.Fatal(err)
		}
	}
	mean, err := families.Mean.Of(modeltest.Set(learner, learner.Parameters()), size)
	if err != nil {
		t.Fatal(err)
	}
	return mean
}

// polson returns the mean weights of batches of a Gibbs chain over w, ξ and α, after a tenth of it.
func polson(random *rand.Rand, rows []binomial, batches, length int) [][]float64 {
	n := len(rows[0].x)
	w, alpha := make([]float64, n), 1.0
	var all [][]float64
	batch := make([]float64, n)
	for i := -batches * length / 10; i < batches*length; i++ {
		precision, h := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
		for j := range n {
			precision.SetSym(j, j, alpha)
		}
		for _, r := range rows {
			logit := 0.0
			for j, x := range r.x {
				logit += x * w[j]
			}
			x := mat.NewVecDense(n, r.x)
			precision.SymRankOne(precision, polyaGamma(random, r.b, logit), x)
			h.AddScaledVec(h, r.y-r.b/2, x)
		}
		var factor mat.Cholesky
		factor.Factorize(precision)
		var mean, shift mat.VecDense
		if err := factor.SolveVecTo(&mean, h); err != nil {
			panic(err)
		}
		normal := mat.NewVecDense(n, nil)
		for j := range n {
			normal.SetVec(j, random.NormFloat64())
		}
		if err := shift.SolveVec(factor.RawU(), normal); err != nil { // precision = UᵀU
			panic(err)
		}
		square := 0.0
		for j := range n {
			w[j] = mean.AtVec(j) + shift.AtVec(j)
			square += w[j] * w[j]
		}
		alpha = distuv.Gamma{Alpha: 1 + float64(n)/2, Beta: 1 + square/2, Src: random}.Rand()
		if i < 0 {
			continue
		}
		for j := range n {
			batch[j] += w[j] / float64(length)
		}
		if (i+1)%length == 0 {
			all, batch = append(all, batch), make([]float64, n)
		}
	}
	return all
}

// polyaGamma draws from PG(b, c), the sum Σ_k g_k/((k − ½)² + c²/4π²)/2π² of gammas of shape b (Polson, Scott and
// Windle 2013, eq. 1). The terms that are left out are replaced by their mean.
func polyaGamma(random *rand.Rand, b, c float64) float64 {
	const terms = 30
	gamma := distuv.Gamma{Alpha: b, Beta: 1, Src: random}
	square := c * c / (4 * math.Pi * math.Pi)
	sum, known := 0.0, 0.0
	for k := range terms {
		weight := 1 / ((float64(k)+0.5)*(float64(k)+0.5) + square)
		sum += gamma.Rand() * weight
		known += b * weight
	}
	total := b * math.Pi * math.Pi / 2 // b·Σ_k weights, which is b·π²·tanh(c/2)/c
	if c != 0 {
		total = b * math.Pi * math.Pi * math.Tanh(c/2) / c
	}
	return (sum + total - known) / (2 * math.Pi * math.Pi)
}
