package classic

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"privpipe/account/internal/renyi"
	"privpipe/pipelines/testkit/golden"
)

// A row is one line of testdata/golden.jsonl. The file names its source: rows of /work/shared/golden. Columns that no
// test compares here are left out.
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

	ClassicalSigma     float64 `json:"classical_sigma"`
	ClassicalTrueDelta float64 `json:"classical_true_delta"`

	Eps0, Delta0, Slack float64
	Amplified           float64 `json:"eps_amplified"`
	EpsIter             float64 `json:"eps_iter"`
	DeltaIter           float64 `json:"delta_iter"`
	Linear              float64 `json:"epsilon_linear"`
	DeltaLinear         float64 `json:"delta_linear"`

	F        float64
	Word     float64 `json:"epsilon_word_substitution"`
	Document float64 `json:"epsilon_document_V1000"`
	Beta     float64
	Clip     float64
	T100     float64 `json:"epsilon_T100"`
	MaxNtk   float64 `json:"max_ntk"`
	Nt       float64 `json:"n_t"`
	Ntprime  float64 `json:"n_tprime"`

	MaxLambda     int     `json:"max_lambda"`
	OptimalLambda int     `json:"optimal_lambda"`
	To32          float64 `json:"epsilon_max_lambda_32"`
	Lambda32      int     `json:"lambda_32"`

	Alpha        int
	BaseRho      float64                    `json:"base_rdp"`
	SubExact     float64                    `json:"eps_subsample_exact"`
	SubTruncated float64                    `json:"eps_subsample_truncated_l_le_13"`
	PaperSub     float64                    `json:"paper_eps_subsample"`
	PaperTotal   float64                    `json:"paper_total"`
	IAt          map[string]json.RawMessage `json:"I_at"`
	ArgmaxCut    float64                    `json:"argmax_if_last_term_dropped"`
}

// sigma is the row's noise over sensitivity.
func (r row) sigma() float64 { return r.Noise / r.Multiplier }

// rowsOf returns the rows of the accountant, of which there must be as many.
func rowsOf(t *testing.T, accountant string, count int) []row {
	t.Helper()
	return golden.Rows(t, "testdata/golden.jsonl", count, func(r row) bool { return r.Accountant == accountant })
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
			if got := (Recipe{RoundDelta: r.Delta}).Round(r.ClassicalSigma).Epsilon; !above(got, r.Epsilon, 1e-12) {
				t.Errorf("%s: ε of the classical σ %v, want %v", r.ID, got, r.Epsilon)
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
	for _, r := range rowsOf(t, "strong_composition_dwork_roth_3.20", 21) {
		if r.Group == "vips_lda" {
			papers := Recipe{r.Q, r.Steps, r.Delta, r.DeltaIter}
			round := papers.Round(r.Noise)
			if !above(round.Epsilon, r.EpsIter, 1e-9) {
				t.Errorf("%s: ε of a round %v, want %v", r.ID, round.Epsilon, r.EpsIter)
			}
			if got := round.Amplified(r.Q).Epsilon; !above(got, r.Amplified, 1e-9) {
				t.Errorf("%s: amplified ε %v, want %v", r.ID, got, r.Amplified)
			}
			if got := papers.Strong(r.Noise); !near(got, r.Epsilon, 1e-9) {
				t.Errorf("%s: ε %v, want %v", r.ID, got, r.Epsilon)
			}
			continue
		}
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
	for _, r := range rowsOf(t, "zcdp_workshop_eq5_eq6", 9) {
		papers := Recipe{r.Q, r.Steps, r.Delta, r.DeltaIter}
		round := papers.Round(r.Noise)
		if got := round.Amplified(r.Q).Epsilon; !above(round.Epsilon, r.EpsIter, 1e-9) ||
			!above(got, r.Amplified, 1e-9) {
			t.Errorf("%s: ε of a round %v, amplified %v, want %v, %v", r.ID, round.Epsilon, got, r.EpsIter, r.Amplified)
		}
		if got := ZCDPEpsilon(r.Rho, r.Delta); !near(got, r.Epsilon, 1e-9) {
			t.Errorf("%s: ε of ρ %v is %v, want %v", r.ID, r.Rho, got, r.Epsilon)
		}
		if got := papers.ZCDP(r.Noise); !near(got, r.Epsilon, 1e-9) {
			t.Errorf("%s: ε %v, want %v", r.ID, got, r.Epsilon)
		}
	}
}

func TestGibbsGolden(t *testing.T) {
	for _, r := range rowsOf(t, "linear", 26) {
		switch {
		case r.Group == "lp_lda":
			if got := BitEpsilon(r.F); !above(got, r.Epsilon, 1e-9) {
				t.Errorf("%s: bit %v, want %v", r.ID, got, r.Epsilon)
			}
			if got := WordEpsilon(r.F); !above(got, r.Word, 1e-9) {
				t.Errorf("%s: word %v, want %v", r.ID, got, r.Word)
			}
			if got := DocumentEpsilon(r.F, 1000, 500); !above(got, r.Document, 1e-9) {
				t.Errorf("%s: document %v, want %v", r.ID, got, r.Document)
			}
		case strings.HasPrefix(r.ID, "hdpT1"):
			if got := UnclippedInherentLoss(r.MaxNtk, r.Nt, r.Ntprime, r.Beta); !above(got, r.Epsilon, 1e-9) {
				t.Errorf("%s: %v, want %v", r.ID, got, r.Epsilon)
			}
		default:
			sweep := Guarantee{Epsilon: InherentLoss(r.Clip, r.Beta)}
			if !above(sweep.Epsilon, r.Epsilon, 1e-9) || !above(sweep.Linear(100).Epsilon, r.T100, 1e-9) {
				t.Errorf("%s: %v, want %v and, 100 times, %v", r.ID, sweep, r.Epsilon, r.T100)
			}
		}
	}
}

func TestMomentsGolden(t *testing.T) {
	for _, r := range rowsOf(t, "moments_abadi_integer", 27) {
		curve := func(alpha float64) float64 { return renyi.PoissonGaussian(r.Q, r.Noise, alpha) }
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
		curve := func(alpha float64) float64 { return renyi.PoissonGaussian(r.Q, r.Noise, alpha) }
		if got, _ := MomentsEpsilon(curve, r.Steps, r.Delta, 256); got < r.Epsilon*1.01 {
			t.Errorf("%s: moments %v, the approximation %v", r.ID, got, r.Epsilon)
		}
	}
}

// gaussian is the Rényi curve of noise σ.
func gaussian(sigma float64) renyi.Curve {
	return func(alpha float64) float64 { return renyi.Gaussian(sigma, alpha) }
}

func TestSubLDATable3(t *testing.T) {
	for _, r := range rowsOf(t, "rdp_single_order", 6) {
		sigma := SubLDASigma(r.Alpha, r.BaseRho)
		if !above(sigma, r.Noise, 1e-9) {
			t.Errorf("%s: σ %v, want %v", r.ID, sigma, r.Noise)
		}
		s := SubLDA{r.Alpha, gaussian(r.Noise)}
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
		if !near(got, r.SubTruncated, 1e-9) {
			t.Errorf("%s: printed %v, want %v", r.ID, got, r.SubTruncated)
		}
		// The paper's own digits are cut or rounded to two places.
		if math.Abs(got-r.PaperSub) > 0.01 || !near(float64(r.Steps)*r.PaperSub, r.PaperTotal, 0.02) {
			t.Errorf("%s: printed %v, the paper has %v and %v", r.ID, got, r.PaperSub, r.PaperTotal)
		}
	}
}

func TestEfficiencyGolden(t *testing.T) {
	for _, r := range rowsOf(t, "efficiency_privacy_function", 24) {
		s := SubLDA{r.Alpha, gaussian(r.Noise)}
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
			if !near(math.Exp(got), want, 1e-9) {
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

// beforeAmplification returns the ε that is amplified to epsilon by a sample of the given rate in (0, 1]:
// log(1+(e^ε−1)/q), rounded down.
func beforeAmplification(epsilon, rate float64) float64 {
	if epsilon < 1 {
		return down(math.Log1p(math.Expm1(epsilon) / rate))
	}
	return down(epsilon + math.Log((1-math.Exp(-epsilon))/rate+math.Exp(-epsilon))) // e^ε may be beyond float64
}
