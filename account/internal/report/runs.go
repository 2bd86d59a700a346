package report

import (
	"fmt"
	"math"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/print"
	"privpipe/pipelines/event"
)

// A runReport has the charges of one run that are equal in everything but the round.
type runReport struct {
	Dataset   string `json:"dataset"`
	Run       string `json:"run"`
	Rounds    int    `json:"rounds"` // number of releases, including repeated attempts
	Mechanism string `json:"mechanism"`
	Clipping  string `json:"clipping,omitempty"`

	// noise over sensitivity; 0 for randomized-response
	NoiseMultiplier print.Number `json:"noise_multiplier"`
	// the same with the sensitivity that a paper claims
	ClaimedNoise print.Number `json:"claimed_noise,omitempty"`
	// objective: a paper's claimed pure ε of one release
	ClaimedEpsilon print.Number `json:"claimed_epsilon,omitempty"`
	// randomized-response: probability that a bit is reported wrong
	Flip print.Number `json:"flip,omitempty"`
	// randomized-response: bits that can differ, or drawn words
	Bits      uint64       `json:"bits,omitempty"`
	Draws     print.Number `json:"draws,omitempty"`            // pure loss by a token's own draws in one round
	Threshold print.Number `json:"threshold,omitempty"`        // select: threshold over one unit's weight
	MaxWords  int          `json:"max_words,omitempty"`        // select
	StrayWord print.Number `json:"stray_word_delta,omitempty"` // select: δ′ of one release

	Scheme    event.Scheme `json:"scheme"`
	Amplified bool         `json:"amplified"`
}

// runs groups the charges into reports, in the order of the ledger.
func runs(charges []*event.Charge, composition *accountant.Composition) []runReport {
	reports := []runReport{}
	at := make(map[runReport]int)
	for _, c := range charges {
		key := runReport{
			Dataset: c.Dataset, Run: c.Run, Mechanism: c.Mechanism, Clipping: c.Clipping, Scheme: c.Scheme,
			Amplified: composition.Amplified(c),
		}
		key.Scheme.Coins = "" // a resumed run has several names of coins
		key.setNoise(c)
		i, ok := at[key]
		if !ok {
			i = len(reports)
			at[key] = i
			reports = append(reports, key)
		}
		reports[i].Rounds++
	}
	return reports
}

func (r *runReport) setNoise(c *event.Charge) {
	if c.Mechanism == event.RandomizedResponse {
		r.Flip, r.Bits = print.Number(float64(c.Scale)/event.FlipSteps), c.Sensitivity
		return
	}
	r.NoiseMultiplier, r.Draws = print.Number(c.NoiseMultiplier()), print.Number(c.Draws)
	if c.Mechanism == event.Objective {
		r.ClaimedEpsilon = print.Number(float64(c.Claimed) / float64(c.Scale))
		return
	}
	if accountant.HasClaim(c) {
		r.ClaimedNoise = print.Number(float64(c.Scale) / float64(c.Claimed))
	}
	if c.Mechanism == event.Select {
		r.Threshold, r.MaxWords = print.Number(float64(c.Threshold)/float64(c.Sensitivity)), c.MaxWords
		r.StrayWord = print.Number(accountant.StrayWord(c))
	}
}

// Noise describes the noise over the sensitivity, for the table and for forms.
func (r *runReport) Noise() string {
	text := fmt.Sprintf("%.6g", float64(r.NoiseMultiplier))
	if r.Clipping == event.ClipUnbounded {
		text = event.ClipUnbounded
	}
	switch r.Mechanism {
	case event.RandomizedResponse:
		return fmt.Sprintf("flip %.6g of %d bits or words", float64(r.Flip), r.Bits)
	case event.Objective:
		return fmt.Sprintf("%s (claimed ε %.6g)", text, float64(r.ClaimedEpsilon))
	case event.Select:
		return fmt.Sprintf("%s, threshold %.6g, δ′ %s", text, float64(r.Threshold), r.StrayWord)
	}
	if r.ClaimedNoise > 0 {
		text += fmt.Sprintf(" (claimed %.6g)", float64(r.ClaimedNoise))
	}
	if r.Draws > 0 {
		text += fmt.Sprintf(", draws of ε %.6g", float64(r.Draws))
	}
	return text
}

// A grantReport says how much is left of one grant.
type grantReport struct {
	ID           string        `json:"id"`
	ReleasesLeft int           `json:"releases_left"`
	Epsilon      float64       `json:"epsilon,omitempty"`
	Delta        float64       `json:"delta,omitempty"`
	EpsilonLeft  *print.Number `json:"epsilon_left,omitempty"` // nil for a grant without a budget
	Cost         print.Number  `json:"cost,omitempty"`         // cost of one release, by the ledger's filter
}

// grants says how much of each grant is left: its releases, and the part of its ε that is not spent. If data sets share
// no unit, only spending on the grant's data set counts. Otherwise the spending of the whole ledger counts, which is in
// spent[""].
func grants(ledger *event.Ledger, spent map[string]accountant.UpperProfile) ([]grantReport, error) {
	reports := []grantReport{}
	used := make(map[string]int)
	for _, c := range ledger.Charges() {
		used[c.Grant]++
	}
	for _, line := range ledger.Lines {
		g := line.Grant
		if g == nil {
			continue
		}
		rep := grantReport{ID: g.ID, ReleasesLeft: g.Releases - used[g.ID], Epsilon: g.Budget.Epsilon,
			Delta: g.Budget.Delta, Cost: print.Number(g.Cost)}
		if of := spent[g.Dataset]; g.Budget.Epsilon > 0 && of != nil {
			epsilon, err := of.Epsilon(g.Budget.Delta)
			if err != nil {
				return nil, err
			}
			left := print.Number(math.Max(0, g.Budget.Epsilon-epsilon))
			rep.EpsilonLeft = &left
		}
		reports = append(reports, rep)
	}
	return reports, nil
}
