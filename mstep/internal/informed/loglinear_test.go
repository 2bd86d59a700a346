package informed

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestLogLinearSolves: enough steps of conjugate gradients give what a dense solver gives for the normal equations.
func TestLogLinearSolves(t *testing.T) {
	const k, p, v, tau = 3, 5, 200, 4
	r := rand.New(rand.NewPCG(7, 8))
	features, m, s := zeros(p, v), make([]float32, k*v), make([]float32, k*v)
	for i := range features.Data {
		features.Data[i] = float32(r.NormFloat64())
	}
	for i := range m {
		m[i] = float32(10 * r.ExpFloat64())
		s[i] = m[i] + float32(tau*r.NormFloat64())
	}
	o := logLinear{Ridge: 3, ModelError: 0.5, Steps: 3 * p}
	got := fitLogLinear(m, s, newPair(features), tau, o)
	for row := range k {
		normal, right := mat.NewSymDense(p, nil), mat.NewVecDense(p, nil)
		for a := range p {
			for b := a; b < p; b++ {
				sum := 0.0
				for at := range v {
					x := float64(m[row*v+at])
					sum += x * x / (tau*tau +
						o.ModelError*x*x) * float64(features.Data[a*v+at]) * float64(features.Data[b*v+at])
				}
				if a == b {
					sum += o.Ridge
				}
				normal.SetSym(a, b, sum)
			}
			sum := 0.0
			for at := range v {
				x := float64(m[row*v+at])
				sum += x * float64(s[row*v+at]-m[row*v+at]) / (tau*tau +
					o.ModelError*x*x) * float64(features.Data[a*v+at])
			}
			right.SetVec(a, sum)
		}
		var want mat.VecDense
		if err := want.SolveVec(normal, right); err != nil {
			t.Fatal(err)
		}
		for a := range p {
			if d := math.Abs(float64(got.Data[row*p+a]) - want.AtVec(a)); d > 1e-4 {
				t.Errorf("row %d: weight %d is %v, want %v", row, a, got.Data[row*p+a], want.AtVec(a))
			}
		}
	}
}

// TestCorrectionRecovers: sizes that are off by exp(f·w) are corrected, and the correction of no cell exceeds its
// bound.
func TestCorrectionRecovers(t *testing.T) {
	const v = 3000
	r := rand.New(rand.NewPCG(9, 10))
	features, m, s, truth := zeros(2, v), make([]float32, v), make([]float32, v), make([]float64, v)
	for at := range v {
		features.Data[at], features.Data[v+at] = float32(r.NormFloat64()), float32(r.NormFloat64())
		m[at] = float32(20 * r.ExpFloat64())
		truth[at] = float64(m[at]) * math.Exp(0.2*float64(features.Data[at])-0.1*float64(features.Data[v+at]))
		s[at] = float32(truth[at] + 2*r.NormFloat64())
	}
	off := func() (sum float64) {
		for at, want := range truth {
			sum += math.Abs(float64(m[at]) - want)
		}
		return sum
	}
	before := off()
	correct(m, newFactor(features),
		fitLogLinear(m, s, newPair(features), 2, logLinear{Ridge: 1, ModelError: 0.5, Steps: 8}))
	if after := off(); after > before/4 {
		t.Errorf("the error fell from %.0f to %.0f, want a quarter or less", before, after)
	}
	one, w := []float32{1, 1}, zeros(1, 1)
	w.Data[0] = 100
	wide := zeros(1, 2)
	copy(wide.Data, []float32{1, -1})
	correct(one, newFactor(wide), w)
	up, down := math.Log(float64(one[0])), math.Log(float64(one[1]))
	if math.Abs(up-mostCorrection) > 1e-5 || math.Abs(down+mostCorrection) > 1e-5 {
		t.Errorf("cells of weight ±100 are %v, want exp(±%d)", one, mostCorrection)
	}
}
