package papers

import (
	"encoding/json"
	"math"
	"testing"

	"privpipe/account/internal/renyi"
	"privpipe/account/internal/search"
	"privpipe/pipelines/testkit"
)

// A row is a line of testdata/golden.jsonl, which names its source: rows of /work/shared/golden. Columns that no test
// compares here are left out.
type row struct {
	ID, Group, Accountant string

	Noise   float64 `json:"noise_multiplier"`
	Q       float64
	Steps   uint64
	Delta   float64
	Epsilon float64
	Rho     float64

	Amplified float64 `json:"eps_amplified"`
	EpsIter   float64 `json:"eps_iter"`
	DeltaIter float64 `json:"delta_iter"`

	ClassicalSigma float64 `json:"classical_sigma"`

	F        float64
	Word     float64 `json:"epsilon_word_substitution"`
	Document float64 `json:"epsilon_document_V1000"`
	Beta     float64
	Clip     float64
	T100     float64 `json:"epsilon_T100"`
	MaxNtk   float64 `json:"max_ntk"`
	Nt       float64 `json:"n_t"`
	Ntprime  float64 `json:"n_tprime"`

	Alpha        int
	BaseRho      float64                    `json:"base_rdp"`
	SubExact     float64                    `json:"eps_subsample_exact"`
	SubTruncated float64                    `json:"eps_subsample_truncated_l_le_13"`
	PaperSub     float64                    `json:"paper_eps_subsample"`
	PaperTotal   float64                    `json:"paper_total"`
	IAt          map[string]json.RawMessage `json:"I_at"`
	ArgmaxCut    float64                    `json:"argmax_if_last_term_dropped"`
}

// rowsOf returns the rows of the accountant, and fails unless there are count rows.
func rowsOf(t *testing.T, accountant string, count int) []row {
	t.Helper()
	return testkit.Rows(t, "testdata/golden.jsonl", count, func(r row) bool { return r.Accountant == accountant })
}

// above tells whether got is at least want, except for the reference's own rounding, and above it by less than the
// relative tolerance.
func above(got, want, tolerance float64) bool {
	return got >= want-1e-12*math.Abs(want) && got <= want+tolerance*math.Abs(want)
}

// TestRecipeGolden: the accounts of the workshop papers, and the classical formula behind them.
func TestRecipeGolden(t *testing.T) {
	for _, r := range testkit.Rows(t, "../renyi/testdata/classic.jsonl", 55,
		func(r row) bool { return r.Group == "mechanisms" }) {
		if got := (recipe{RoundDelta: r.Delta}).Round(r.ClassicalSigma).Epsilon; !above(got, r.Epsilon, 1e-12) {
			t.Errorf("%s: ε of the classical σ %v, want %v", r.ID, got, r.Epsilon)
		}
	}
	for _, r := range rowsOf(t, "strong_composition_dwork_roth_3.20", 15) {
		papers := recipe{r.Q, r.Steps, r.Delta, r.DeltaIter}
		round := papers.Round(r.Noise)
		if !above(round.Epsilon, r.EpsIter, 1e-9) {
			t.Errorf("%s: ε of a round %v, want %v", r.ID, round.Epsilon, r.EpsIter)
		}
		if got := round.Amplified(r.Q).Epsilon; !above(got, r.Amplified, 1e-9) {
			t.Errorf("%s: amplified ε %v, want %v", r.ID, got, r.Amplified)
		}
		if got := papers.Strong(r.Noise); !almost(got, r.Epsilon, 1e-9) {
			t.Errorf("%s: ε %v, want %v", r.ID, got, r.Epsilon)
		}
	}
	for _, r := range rowsOf(t, "zcdp_workshop_eq5_eq6", 9) {
		papers := recipe{r.Q, r.Steps, r.Delta, r.DeltaIter}
		round := papers.Round(r.Noise)
		if got := round.Amplified(r.Q).Epsilon; !above(round.Epsilon, r.EpsIter, 1e-9) ||
			!above(got, r.Amplified, 1e-9) {
			t.Errorf("%s: ε of a round %v, amplified %v, want %v, %v", r.ID, round.Epsilon, got, r.EpsIter, r.Amplified)
		}
		if got := renyi.ZCDPEpsilon(r.Rho, r.Delta); !almost(got, r.Epsilon, 1e-9) {
			t.Errorf("%s: ε of ρ %v is %v, want %v", r.ID, r.Rho, got, r.Epsilon)
		}
		if got := papers.ZCDP(r.Noise); !almost(got, r.Epsilon, 1e-9) {
			t.Errorf("%s: ε %v, want %v", r.ID, got, r.Epsilon)
		}
	}
}

// TestRecipeLimits: δ that is spent already is no guarantee, and less noise is a larger claim.
func TestRecipeLimits(t *testing.T) {
	r := recipe{Rate: 0.05, Rounds: 20, Delta: 1e-6, RoundDelta: 1e-6} // 20·0.05·1e-6 is all of it
	if got := r.Strong(3); !math.IsInf(got, 1) {
		t.Errorf("strong composition without slack: %v", got)
	}
	r.Delta = 1e-4
	for _, claim := range []func(float64) float64{r.Linear, r.Strong, r.ZCDP} {
		sigma := noiseFor(claim)
		if got := claim(sigma); !(got <= 1) || !(got > 1-1e-8) {
			t.Errorf("noise %v has ε %v, want 1", sigma, got)
		}
		for _, extreme := range []float64{0, 1e-300, 1e300, math.Inf(1)} {
			if got := claim(extreme); !(got >= 0) {
				t.Errorf("σ %v: ε %v", extreme, got)
			}
		}
	}
	if got := (recipe{Rate: 0.05, Rounds: 2000, Delta: 1e-6, RoundDelta: 1e-6}).Linear(3); !math.IsInf(got, 1) {
		t.Errorf("linear composition beyond δ: %v", got)
	}
	// zcdp16's finding: the sharper the composition, the less noise. At these settings.
	r = recipe{Rate: 1e-3, Rounds: 400, Delta: 1e-4, RoundDelta: 1e-6}
	linear, strong, zcdp := noiseFor(r.Linear), noiseFor(r.Strong), noiseFor(r.ZCDP)
	if !(zcdp < strong && strong < linear) {
		t.Errorf("noise %v by zCDP, %v by strong, %v by linear composition", zcdp, strong, linear)
	}
}

// noiseFor returns the least σ at which the claim is at most 1.
func noiseFor(claim func(sigma float64) float64) float64 {
	return search.Bisect(1e-3, 1e6, func(sigma float64) bool { return claim(sigma) <= 1 })
}
