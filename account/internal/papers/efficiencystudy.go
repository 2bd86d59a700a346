package papers

import (
	"math"

	"privpipe/account/internal/loss"
	"privpipe/account/internal/print"
	"privpipe/account/internal/renyi"
	"privpipe/pipelines/event"
)

// A study has the settings that efficiency evaluates.
type study struct {
	subLDA
	sigma  float64
	ratios []float64 // γ
	rounds int
	delta  *float64
}

// newStudy returns a study for Gaussian noise, without ratios.
func newStudy(order int, sigma float64, rounds int, delta *float64) *study {
	base := func(alpha float64) float64 { return renyi.Gaussian(sigma, alpha) }
	return &study{subLDA: subLDA{Order: order, Base: base}, sigma: sigma, rounds: rounds, delta: delta}
}

func (c *Efficiency) study() *study {
	var sigma float64
	if c.NoiseMultiplier != nil {
		sigma = *c.NoiseMultiplier
	} else {
		sigma = subLDASigma(c.Alpha, *c.EpsilonAtOrder)
	}
	s := newStudy(c.Alpha, sigma, c.Rounds, c.Delta)
	s.ratios = c.Gamma
	if len(s.ratios) == 0 {
		for k := range c.points() {
			s.ratios = append(s.ratios, float64(k+1)/float64(c.points()))
		}
	}
	return s
}

// An efficiencyAnswer is the command's answer, and its JSON form.
type efficiencyAnswer struct {
	Alpha           int             `json:"alpha"`
	NoiseMultiplier print.Number    `json:"noise_multiplier"`
	EpsilonAtOrder  print.Number    `json:"epsilon_at_order"`
	Adjacency       string          `json:"adjacency"`
	Unit            string          `json:"unit"`
	Extremum        *float64        `json:"extremum,omitempty"`       // γ0
	ClaimedExtremum *float64        `json:"claim_extremum,omitempty"` // by the paper's form of equation 3
	Rows            []efficiencyRow `json:"rows"`
	Draws           *drawsRow       `json:"draws,omitempty"`
	Theorem         string          `json:"theorem"`

	table3 bool // the rows are of the paper's table 3
}

// An efficiencyRow is about one sampling ratio. Loss is for one iteration at the order α. Total is for all iterations
// at that order, and Epsilon is for all iterations at Delta. Claim is no bound.
type efficiencyRow struct {
	Gamma         float64       `json:"gamma"`
	Rounds        int           `json:"rounds"`
	Loss          print.Number  `json:"renyi_loss"`
	Total         print.Number  `json:"renyi_total"`
	LogEfficiency float64       `json:"log_efficiency"`       // log I(γ)
	Efficiency    *float64      `json:"efficiency,omitempty"` // I(γ), if float64 can hold it
	Epsilon       *print.Number `json:"epsilon,omitempty"`
	Delta         *float64      `json:"delta,omitempty"`
	Claim         *claimRow     `json:"claim,omitempty"`
	Adaptive      *adaptiveRow  `json:"adaptive,omitempty"`
}

// A claimRow is equation 3 without its last term. For a row of table 3 it also has the numbers that the paper prints
// there. At γ = 1 the sum has no term left.
type claimRow struct {
	Loss          *float64 `json:"renyi_loss,omitempty"`
	Total         *float64 `json:"renyi_total,omitempty"`
	LogEfficiency *float64 `json:"log_efficiency,omitempty"`
	PrintedLoss   float64  `json:"printed_loss,omitempty"`
	PrintedTotal  float64  `json:"printed_total,omitempty"`
}

// An adaptiveRow is about words that are sampled at the rate V·γ, which is Rate. Round is the ε of one iteration by
// amplification. Lemma is the same by lemma 5.1. Both are at the row's δ.
type adaptiveRow struct {
	Rate    float64      `json:"rate"`
	Loss    print.Number `json:"renyi_loss"`
	Epsilon print.Number `json:"epsilon"`
	Round   print.Number `json:"round_epsilon"`
	Lemma   print.Number `json:"lemma_5_1_epsilon"`
}

// A drawsRow is about noisy counts of all words and the draws from them, if a word is replaced.
type drawsRow struct {
	Adjacency string        `json:"adjacency"`
	Inherent  print.Number  `json:"inherent_epsilon"` // pure ε of the draws in one iteration
	Loss      print.Number  `json:"renyi_loss"`
	Total     print.Number  `json:"renyi_total"`
	Epsilon   *print.Number `json:"epsilon,omitempty"`
}

func (s *study) answer() *efficiencyAnswer {
	theorem := "Poisson sampling at a whole order (SUB-LDA, thm. 3.1, eq. 3; Mironov, Talwar, Zhang 2019, §3.3); " +
		"composition (Mironov 2017, prop. 1)"
	if s.delta != nil {
		theorem += "; ε by privacy loss distributions (Zhu, Dong, Wang 2022, thm. 10, prop. 30), at γ = 1 exactly " +
			"(Balle, Wang 2018, thm. 8)"
	}
	return &efficiencyAnswer{
		Alpha: s.Order, NoiseMultiplier: print.Number(s.sigma), EpsilonAtOrder: print.Number(s.Loss(1)),
		Adjacency: event.AddRemove, Unit: "word", Theorem: theorem,
	}
}

// total returns the losses of all iterations together, rounded up.
func (s *study) total(rho float64) print.Number {
	return print.Number(math.Nextafter(float64(s.rounds)*rho, math.Inf(1)))
}

func (s *study) row(gamma float64) (row efficiencyRow, err error) {
	rho := s.Loss(gamma)
	row = efficiencyRow{
		Gamma: gamma, Rounds: s.rounds, Loss: print.Number(rho), Total: s.total(rho),
		LogEfficiency: s.LogEfficiency(gamma, s.Loss), Delta: s.delta,
	}
	if i := math.Exp(row.LogEfficiency); !math.IsInf(i, 1) {
		row.Efficiency = &i
	}
	row.Epsilon, err = s.epsilon(gamma)
	return row, err
}

// epsilon returns the ε of all iterations if words are sampled by coins with this probability. It is at most the ε
// without sampling. Without a δ it returns nil.
func (s *study) epsilon(rate float64) (*print.Number, error) {
	if s.delta == nil {
		return nil, nil
	}
	all := print.Number(renyi.GaussianEpsilon(renyi.JointSigma(s.sigma, uint64(s.rounds)), *s.delta))
	if rate == 1 {
		return &all, nil
	}
	word := loss.Release{Sampling: loss.Poisson, Rate: rate, Released: []loss.Mechanism{s.noise(1)}, Count: 1}
	sampled, err := tightEpsilon(event.AddRemove, s.rounds, *s.delta, word)
	if err != nil {
		return nil, err
	}
	least := min(all, *sampled)
	return &least, nil
}

// noise returns the noise on counts that move by an L2 norm of sensitivity.
func (s *study) noise(sensitivity float64) loss.Gaussian {
	return loss.Gaussian{Noise: s.sigma, Sensitivity: sensitivity}
}

// claim returns the paper's form of a row.
func (s *study) claim(gamma float64) *claimRow {
	rho := s.Printed(gamma)
	if math.IsInf(rho, -1) {
		return &claimRow{}
	}
	total, log := float64(s.rounds)*rho, s.LogEfficiency(gamma, s.Printed)
	return &claimRow{Loss: &rho, Total: &total, LogEfficiency: &log}
}

// adaptive returns the row for words that are sampled v times as often as by the uniform ratio γ. The product v·γ is at
// most 1. Lemma 5.1 gets an iteration with (ε, δ₀), δ₀ = δ/(vγ), so that both of its sides are at the same δ.
func (s *study) adaptive(gamma, v float64) (*adaptiveRow, error) {
	rate := v * gamma
	whole := min(1, *s.delta/rate*(1-1e-12))
	round := renyi.Guarantee{Epsilon: renyi.GaussianEpsilon(s.sigma, whole), Delta: whole}
	epsilon, err := s.epsilon(rate)
	if err != nil {
		return nil, err
	}
	return &adaptiveRow{
		Rate: rate, Loss: print.Number(s.Loss(rate)), Epsilon: *epsilon,
		Round: print.Number(round.Amplified(rate).Epsilon),
		Lemma: print.Number(adaptive(round.Amplified(gamma), v).Epsilon),
	}, nil
}

// draws returns the row for counts of all words, and pure draws from them (HDP-LDA, theorem 3). A replaced word moves
// two counts by 1.
func (s *study) draws(clip, prior float64) (row *drawsRow, err error) {
	inherent := inherentLoss(clip, prior)
	sigma, alpha := s.sigma/math.Nextafter(math.Sqrt2, 2), float64(s.Order)
	// some ten roundings
	rho := (renyi.Gaussian(sigma, alpha) + renyi.RandomizedResponse(inherent, alpha)) * (1 + 1e-14)
	row = &drawsRow{Adjacency: event.ReplaceOne, Inherent: print.Number(inherent), Loss: print.Number(rho),
		Total: s.total(rho)}
	if s.delta != nil {
		row.Epsilon, err = tightEpsilon(event.ReplaceOne, s.rounds, *s.delta,
			of(1, s.noise(math.Sqrt2)), of(1, loss.Pure{Epsilon: inherent}))
	}
	return row, err
}
