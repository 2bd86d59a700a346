package ledger

import (
	"fmt"

	"privpipe/account/internal/papers"
	"privpipe/account/internal/print"
	"privpipe/account/internal/report"
	"privpipe/pipelines/event"
)

// paperClaims returns what papers claim for the rounds in a report. There are claims only if a grant asked for them and
// all rounds are of one kind.
func paperClaims(rep *report.Report, charges []*event.Charge) (all []report.PaperClaim) {
	if len(rep.Runs) != 1 || rep.Delta == 0 {
		return nil
	}
	c := charges[0]
	if c.Claimed == 0 || c.Mechanism != event.Gaussian {
		return nil
	}
	scheme := c.Scheme
	scheme.Rounds = len(charges)
	moved := "any amount"
	if c.Clipping != event.ClipUnbounded {
		moved = fmt.Sprintf("%.4g·C", float64(c.Sensitivity)/float64(c.Claimed))
	}
	for _, claim := range papers.Claims(scheme, float64(c.Scale)/float64(c.Claimed), float64(rep.Delta), moved) {
		all = append(all, report.PaperClaim{Paper: claim.Name, Epsilon: print.Number(claim.Epsilon),
			Theorem: claim.Theorem})
	}
	return all
}
