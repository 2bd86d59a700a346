package informed

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
)

// problem returns known rows, true weights of which most are 0, and the mixtures with noise. The seed is fixed.
func problem(tau float64) (known blas32.General, truth []float64, noisy []float32) {
	const mixtures, rows, cells = 4, 12, 400
	r := rand.New(rand.NewPCG(5, 6))
	known = zeros(rows, cells)
	for j := range rows {
		total := 0.0
		row := known.Data[j*cells : (j+1)*cells]
		for v := range row {
			row[v] = float32(math.Exp(2 * r.NormFloat64()))
			total += float64(row[v])
		}
		for v := range row {
			row[v] /= float32(total)
		}
	}
	truth = make([]float64, mixtures*rows)
	for range 2 * mixtures {
		truth[r.IntN(len(truth))] += 4000 * r.Float64()
	}
	b := newBlend(known, mixtures)
	b.Weights = truth
	noisy = b.Mixtures(b.Known.Matrix, b.Columns).Data
	for i := range noisy {
		noisy[i] += float32(tau * r.NormFloat64())
	}
	return known, truth, noisy
}

// loss is what Fit lowers, in one line of its definition, at the weights of cells that come from the mixtures m.
func loss(b *blend, s, m []float32, tau float64) (sum float64) {
	for i, x := range b.Mixtures(b.Known.Matrix, b.Columns).Data {
		d := float64(s[i] - x)
		sum += d * d / (2 * (tau*tau + modelError*float64(m[i])*float64(m[i])))
	}
	return sum
}

// TestFitDescends: no step raises the loss (Lee and Seung 2001, theorem 1), whatever the sign of the noisy cells.
func TestFitDescends(t *testing.T) {
	for _, tau := range []float64{0.1, 5, 100} {
		known, _, noisy := problem(tau)
		b := newBlend(known, 4)
		b.Reset(1000)
		for range 60 {
			m := b.Mixtures(b.Known.Matrix, b.Columns).Data
			before := loss(b, noisy, m, tau)
			b.Fit(noisy, tau, 1)
			if after := loss(b, noisy, m, tau); after > before*(1+1e-5) {
				t.Fatalf("noise %v: a step raises the loss from %v to %v", tau, before, after)
			}
		}
	}
}

// TestBlendRecovers: with little noise, the weights are the true ones, and those that are 0 go to 0.
func TestBlendRecovers(t *testing.T) {
	known, truth, noisy := problem(0.01)
	b := newBlend(known, 4)
	b.Reset(1000)
	for range 400 {
		b.Fit(noisy, 0.01, 10)
	}
	for i, want := range truth {
		if got := b.Weights[i]; math.Abs(got-want) > 40 {
			t.Errorf("weight %d is %.1f, want %.1f", i, got, want)
		}
	}
}

// TestBlendLoosens keeps the sum of each mixture, and no weight stays 0.
func TestBlendLoosens(t *testing.T) {
	b := newBlend(zeros(4, 1), 2)
	copy(b.Weights, []float64{8, 0, 0, 0, 1, 1, 1, 1})
	before := b.Clone()
	b.Loosen(0.5)
	if !slices.Equal(b.Weights, []float64{5, 1, 1, 1, 1, 1, 1, 1}) || before.Weights[0] != 8 {
		t.Errorf("weights are %v, and those of the copy %v", b.Weights, before.Weights)
	}
}

// TestBlendWithFactors: a blend with factors of rows and columns equals a blend of the rows times these factors.
func TestBlendWithFactors(t *testing.T) {
	known, _, noisy := problem(5)
	plain, with := newBlend(known, 4), newBlend(known, 4)
	for j := range known.Rows {
		with.Rows = append(with.Rows, 1/float64(j+1))
	}
	for v := range known.Cols {
		with.Columns = append(with.Columns, float32(v%3+1))
		for j := range known.Rows {
			known.Data[j*known.Cols+v] *= with.Columns[v] / float32(j+1)
		}
	}
	plain.Known = newPair(known)
	for _, b := range []*blend{plain, with} {
		b.Reset(1000)
		b.Fit(noisy, 5, 10)
	}
	for i, want := range plain.Weights {
		if got := with.Weights[i]; math.Abs(got-want) > 1e-3*(want+1) {
			t.Errorf("weight %d is %v, want %v", i, got, want)
		}
	}
}
