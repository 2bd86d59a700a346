package papers

import (
	"encoding/json"
	"math"
	"testing"

	"privpipe/account/internal/renyi"
)

func TestSubLDATable3(t *testing.T) {
	for _, r := range rowsOf(t, "rdp_single_order", 6) {
		sigma := subLDASigma(r.Alpha, r.BaseRho)
		if !above(sigma, r.Noise, 1e-9) {
			t.Errorf("%s: σ %v, want %v", r.ID, sigma, r.Noise)
		}
		s := subLDA{r.Alpha, gaussianCurve(r.Noise)}
		if got := s.Loss(r.Q); !above(got, r.SubExact, 1e-9) {
			t.Errorf("%s: loss %v, want %v", r.ID, got, r.SubExact)
		}
		if got := float64(r.Steps) * s.Loss(r.Q); !above(got, r.Epsilon, 1e-9) {
			t.Errorf("%s: total %v, want %v", r.ID, got, r.Epsilon)
		}
		if r.Q == 1 {
			if got := s.Printed(1); !math.IsInf(got, -1) {
				t.Errorf("%s: printed %v, want nothing", r.ID, got)
			}
			continue
		}
		got := s.Printed(r.Q)
		if !almost(got, r.SubTruncated, 1e-9) {
			t.Errorf("%s: printed %v, want %v", r.ID, got, r.SubTruncated)
		}
		// The paper's own digits are cut or rounded to two places.
		if math.Abs(got-r.PaperSub) > 0.01 || !almost(float64(r.Steps)*r.PaperSub, r.PaperTotal, 0.02) {
			t.Errorf("%s: printed %v, the paper has %v and %v", r.ID, got, r.PaperSub, r.PaperTotal)
		}
	}
}

// gaussianCurve is the Rényi curve of noise σ.
func gaussianCurve(sigma float64) renyi.Curve {
	return func(alpha float64) float64 { return renyi.Gaussian(sigma, alpha) }
}

func TestEfficiencyGolden(t *testing.T) {
	for _, r := range rowsOf(t, "efficiency_privacy_function", 24) {
		s := subLDA{r.Alpha, gaussianCurve(r.Noise)}
		for at, raw := range r.IAt {
			var gamma, want float64
			if err := json.Unmarshal([]byte(at), &gamma); err != nil {
				t.Fatal(err)
			}
			got := s.LogEfficiency(gamma, s.Loss)
			if string(raw) == `"inf"` {
				if got < math.Log(math.MaxFloat64) {
					t.Errorf("%s: log I(%s) = %v, want it beyond float64", r.ID, at, got)
				}
				continue
			}
			if err := json.Unmarshal(raw, &want); err != nil {
				t.Fatal(err)
			}
			if !almost(math.Exp(got), want, 1e-9) {
				t.Errorf("%s: I(%s) = %v, want %v", r.ID, at, math.Exp(got), want)
			}
		}
		if got := s.Extremum(s.Loss); got != 1 {
			t.Errorf("%s: I is largest at %v, want 1", r.ID, got)
		}
		if got := s.Extremum(s.Printed); r.ArgmaxCut != 0 && math.Abs(got-r.ArgmaxCut) > 1e-3 {
			t.Errorf("%s: without the last term I is largest at %v, want %v", r.ID, got, r.ArgmaxCut)
		}
	}
}

// TestSubLDALoss: equation 3 is the Rényi curve of Poisson sampling; the printed one lacks its last term; and lemma 5.1
// is above what it bounds.
func TestSubLDALoss(t *testing.T) {
	for _, order := range []int{2, 3, 14, 40} {
		for _, sigma := range []float64{0.5, 2, 100} {
			s := subLDA{order, gaussianCurve(sigma)}
			n := float64(order)
			before := 0.0
			for _, gamma := range []float64{1e-8, 0.01, 0.3, 0.7, 0.999, 1} {
				loss := s.Loss(gamma)
				if want := renyi.PoissonGaussian(gamma, sigma, n); !almost(loss, want, 1e-9) && loss*n > 1e-12 {
					t.Errorf("α %v σ %v γ %v: %v, want %v", n, sigma, gamma, loss, want)
				}
				if !(loss >= before) || !(loss <= renyi.RoundUp(s.Base(n))) {
					t.Errorf("α %v σ %v γ %v: %v after %v, without sampling %v", n, sigma, gamma, loss, before,
						s.Base(n))
				}
				before = loss
				// e^((α−1)·loss) = e^((α−1)·printed) + γ^α·e^((α−1)ε(α))
				last := n*math.Log(gamma) + (n-1)*s.Base(n)
				whole := math.Exp((n-1)*(s.Printed(gamma)-loss)) + math.Exp(last-(n-1)*loss)
				if !almost(whole, 1, 1e-7) {
					t.Errorf("α %v σ %v γ %v: printed and last term are %v of the whole", n, sigma, gamma, whole)
				}
			}
			if s.Loss(0) != 0 {
				t.Errorf("α %v σ %v: %v of no words", n, sigma, s.Loss(0))
			}
		}
	}
	for _, v := range []float64{1, 1.5, 3} {
		for _, epsilon := range []float64{0.01, 1, 20} {
			base := renyi.Guarantee{Epsilon: epsilon, Delta: 1e-6}
			claim, exact := adaptive(base.Amplified(0.1), v), base.Amplified(0.1*v)
			if claim.Epsilon < exact.Epsilon || !almost(claim.Delta, exact.Delta, 1e-9) {
				t.Errorf("v %v ε %v: lemma 5.1 %v, exactly %v", v, epsilon, claim, exact)
			}
		}
	}
}
