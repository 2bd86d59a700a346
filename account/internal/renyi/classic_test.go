package renyi

import (
	"math"
	"testing"

	"privpipe/pipelines/testkit"
)

// A row is one line of testdata/classic.jsonl or samples.jsonl. The files name their source: rows of
// /work/shared/golden.
// Columns that no test compares here are left out.
type row struct {
	ID, Group, Accountant, Solve string

	Noise       float64 `json:"noise_multiplier"`
	Multiplier  float64 `json:"sensitivity_multiplier"`
	Q           float64
	Steps       uint64
	Delta       float64
	Epsilon     float64
	Target      float64 `json:"target_epsilon"`
	Sigma       float64
	Rho         float64
	RhoImproved float64 `json:"rho_improved"`
	Improved    float64 `json:"epsilon_improved_conversion"`
	Exact       float64 `json:"exact_gaussian_epsilon"`

	Order         int `json:"optimal_order"`
	OrderImproved int `json:"order_improved"`

	// The tolerance of the rows of a privacy loss distribution.
	Low  float64 `json:"accept_low"`
	High float64 `json:"accept_high"`

	ClassicalSigma     float64 `json:"classical_sigma"`
	ClassicalTrueDelta float64 `json:"classical_true_delta"`

	Eps0, Delta0, Slack float64
	Amplified           float64 `json:"eps_amplified"`
	Linear              float64 `json:"epsilon_linear"`
	DeltaLinear         float64 `json:"delta_linear"`

	MaxLambda     int     `json:"max_lambda"`
	OptimalLambda int     `json:"optimal_lambda"`
	To32          float64 `json:"epsilon_max_lambda_32"`
	Lambda32      int     `json:"lambda_32"`
}

// sigma is the row's noise over sensitivity.
func (r row) sigma() float64 { return r.Noise / r.Multiplier }

// rowsOf returns the rows of the accountant, of which there must be as many.
func rowsOf(t *testing.T, accountant string, count int) []row {
	t.Helper()
	return testkit.Rows(t, "testdata/classic.jsonl", count, func(r row) bool { return r.Accountant == accountant })
}

// above tells whether got is at least want, except for the reference's own rounding, and above it by less than the
// relative tolerance.
func above(got, want, tolerance float64) bool {
	return got >= want-1e-12*math.Abs(want) && got <= want+tolerance*math.Abs(want)
}

// below tells the same of a number that is rounded down.
func below(got, want, tolerance float64) bool { return above(-got, -want, tolerance) }

// near tells whether got is want except for the relative tolerance.
func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance*math.Abs(want) }

func TestAnalyticGaussianGolden(t *testing.T) {
	for _, r := range rowsOf(t, "analytic_gaussian", 64+56+55) {
		switch {
		case r.Group == "mechanisms":
			if got := GaussianDelta(r.Sigma, r.Epsilon); !near(got, r.Delta, 1e-8) {
				t.Errorf("%s: δ of σ %v is %v, want %v", r.ID, r.Sigma, got, r.Delta)
			}
			if got := GaussianDelta(r.ClassicalSigma, r.Epsilon); !near(got, r.ClassicalTrueDelta, 1e-9) {
				t.Errorf("%s: δ of the classical σ %v, want %v", r.ID, got, r.ClassicalTrueDelta)
			}
		case r.Group == "calibration":
			if got := GaussianEpsilon(JointSigma(r.Sigma, r.Steps), r.Delta); !near(got, r.Target, 1e-8) {
				t.Errorf("%s: ε of σ %v is %v, want %v", r.ID, r.Sigma, got, r.Target)
			}
		case r.Solve == "delta":
			if got := GaussianDelta(JointSigma(r.sigma(), r.Steps), r.Epsilon); !near(got, r.Delta, 1e-9) {
				t.Errorf("%s: δ %v, want %v", r.ID, got, r.Delta)
			}
		default:
			if got := GaussianEpsilon(JointSigma(r.sigma(), r.Steps), r.Delta); !near(got, r.Epsilon, 1e-9) {
				t.Errorf("%s: ε %v, want %v", r.ID, got, r.Epsilon)
			}
		}
	}
}

// TestOnePass: a pass over disjoint batches costs what one batch costs.
func TestOnePass(t *testing.T) {
	passes := 0
	for _, r := range rowsOf(t, "analytic_gaussian", 175) {
		if r.Group != "one_pass" {
			continue
		}
		passes++
		if got := GaussianEpsilon(r.sigma(), r.Delta); !near(got, r.Epsilon, 1e-9) {
			t.Errorf("%s: %v, want %v", r.ID, got, r.Epsilon)
		}
	}
	if passes != 14 {
		t.Errorf("%d rows, want 14", passes)
	}
}

func TestZCDPGolden(t *testing.T) {
	for _, r := range rowsOf(t, "zcdp", 17) {
		if r.Group == "zcdp" {
			if got := Rho(r.Noise, r.Steps); !above(got, r.Rho, 1e-12) {
				t.Errorf("%s: ρ %v, want %v", r.ID, got, r.Rho)
			}
			if got := GaussianEpsilon(JointSigma(r.Noise, r.Steps), r.Delta); !near(got, r.Exact, 1e-9) {
				t.Errorf("%s: exact ε %v, want %v", r.ID, got, r.Exact)
			}
		}
		if got := ZCDPEpsilon(r.Rho, r.Delta); !above(got, r.Epsilon, 1e-9) {
			t.Errorf("%s: ε %v, want %v", r.ID, got, r.Epsilon)
		}
		if got := ZCDPEpsilonTight(r.Rho, r.Delta); !near(got, r.Improved, 1e-9) {
			t.Errorf("%s: tight ε %v, want %v", r.ID, got, r.Improved)
		}
		if got := ZCDPDelta(r.Rho, r.Improved); !near(got, r.Delta, 1e-8) {
			t.Errorf("%s: δ %v, want %v", r.ID, got, r.Delta)
		}
	}
	for _, r := range rowsOf(t, "zcdp_inverse", 7) {
		if got := ZCDPEpsilon(r.Rho, r.Delta); !near(got, r.Epsilon, 1e-9) {
			t.Errorf("%s: ε of ρ %v is %v, want %v", r.ID, r.Rho, got, r.Epsilon)
		}
		if got := ZCDPEpsilonTight(r.RhoImproved, r.Delta); !near(got, r.Epsilon, 1e-8) {
			t.Errorf("%s: tight ε of ρ %v is %v, want %v", r.ID, r.RhoImproved, got, r.Epsilon)
		}
	}
}

func TestCompositionGolden(t *testing.T) {
	for _, r := range rowsOf(t, "strong_composition_dwork_roth_3.20", 6) {
		one := Guarantee{r.Eps0, r.Delta0}
		if got := one.Strong(r.Steps, r.Slack); !above(got.Epsilon, r.Epsilon, 1e-9) ||
			!above(got.Delta, r.Delta, 1e-9) {
			t.Errorf("%s: %v, want %v, %v", r.ID, got, r.Epsilon, r.Delta)
		}
		got := one.Linear(r.Steps)
		if !above(got.Epsilon, r.Linear, 1e-9) || !above(got.Delta, r.DeltaLinear, 1e-9) {
			t.Errorf("%s: linear %v, want %v, %v", r.ID, got, r.Linear, r.DeltaLinear)
		}
	}
	for _, r := range rowsOf(t, "amplification_thm1_000", 7) {
		got := Guarantee{r.Eps0, r.Delta0}.Amplified(r.Q)
		if !above(got.Epsilon, r.Epsilon, 1e-9) || !above(got.Delta, r.Delta, 1e-9) {
			t.Errorf("%s: %v, want %v, %v", r.ID, got, r.Epsilon, r.Delta)
		}
	}
	for _, r := range rowsOf(t, "amplification_thm1_000_inverse", 5) {
		if got := beforeAmplification(r.Amplified, r.Q); !below(got, r.Epsilon, 1e-9) {
			t.Errorf("%s: %v, want %v", r.ID, got, r.Epsilon)
		}
	}
}

func TestMomentsGolden(t *testing.T) {
	for _, r := range rowsOf(t, "moments_abadi_integer", 27) {
		curve := func(alpha float64) float64 { return PoissonGaussian(r.Q, r.Noise, alpha) }
		got, lambda := MomentsEpsilon(curve, r.Steps, r.Delta, r.MaxLambda)
		if !near(got, r.Epsilon, 1e-6) || lambda != r.OptimalLambda {
			t.Errorf("%s: ε %v at λ %d, want %v at %d", r.ID, got, lambda, r.Epsilon, r.OptimalLambda)
		}
		if r.Lambda32 == 0 {
			continue // the row has one grid, up to 32
		}
		if most := MomentsLambda(r.Q, r.Noise); most != r.MaxLambda {
			t.Errorf("%s: λ up to %d, want %d", r.ID, most, r.MaxLambda)
		}
		got, lambda = MomentsEpsilon(curve, r.Steps, r.Delta, 32)
		if !near(got, r.To32, 1e-6) || lambda != r.Lambda32 {
			t.Errorf("%s: ε %v at λ %d of 32, want %v at %d", r.ID, got, lambda, r.To32, r.Lambda32)
		}
	}
}

// TestCentralLimit: Gaussian differential privacy by the central limit is not a bound, and no accountant reports its ε.
// Each row of the approximation is below the moments accountant. Most rows are below the certain loss.
func TestCentralLimit(t *testing.T) {
	for _, r := range rowsOf(t, "gdp_clt_approximation", 19) {
		curve := func(alpha float64) float64 { return PoissonGaussian(r.Q, r.Noise, alpha) }
		if got, _ := MomentsEpsilon(curve, r.Steps, r.Delta, 256); got < r.Epsilon*1.01 {
			t.Errorf("%s: moments %v, the approximation %v", r.ID, got, r.Epsilon)
		}
	}
}

// beforeAmplification returns the ε that is amplified to epsilon by a sample of the given rate in (0, 1]:
// log(1+(e^ε−1)/q), rounded down.
func beforeAmplification(epsilon, rate float64) float64 {
	if epsilon < 1 {
		return down(math.Log1p(math.Expm1(epsilon) / rate))
	}
	return down(epsilon + math.Log((1-math.Exp(-epsilon))/rate+math.Exp(-epsilon))) // e^ε may be beyond float64
}
