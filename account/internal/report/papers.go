package report

import (
	"fmt"

	"privpipe/account/internal/papers"
	"privpipe/account/internal/print"
	"privpipe/pipelines/event"
)

// A paperClaim is the ε that a paper computes for the rounds of a ledger, with noise over the sensitivity that it claims.
type paperClaim struct {
	Paper   string       `json:"paper"`
	Epsilon print.Number `json:"epsilon"`
	Theorem string       `json:"theorem"`
}

// paperClaims returns the claims of papers for charges that have all in common but the round, none where no grant asked for them.
func paperClaims(charges []*event.Charge, delta float64) (all []paperClaim) {
	c := charges[0]
	if c.Claimed == 0 || c.Mechanism != event.Gaussian || delta == 0 {
		return nil
	}
	scheme := c.Scheme
	scheme.Rounds = len(charges)
	moved := "any amount"
	if c.Clipping != event.ClipUnbounded {
		moved = fmt.Sprintf("%.4g·C", float64(c.Sensitivity)/float64(c.Claimed))
	}
	for _, claim := range papers.Claims(scheme, float64(c.Scale)/float64(c.Claimed), delta, moved) {
		all = append(all, paperClaim{claim.Name, print.Number(claim.Epsilon), claim.Theorem})
	}
	return all
}
