package report

import (
	"bytes"
	"fmt"
	"math"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/print"
	"privpipe/account/internal/search"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
)

// MostUnits is the largest group size.
const MostUnits = 1 << 20

// A groupReport is the joint loss of several units, and its JSON form.
type groupReport struct {
	Units   int          `json:"units"`
	Epsilon print.Number `json:"epsilon"`
	Delta   print.Number `json:"delta"`
	Theorem string       `json:"theorem"`
}

// groupTheorem bounds the group's loss by one unit's loss.
const groupTheorem = "group privacy: k·ε, with δ·(e^(k·ε) − 1)/(e^ε − 1)"

// ofOthers bounds a group's joint loss by the loss of one unit. Let data sets D₀ … D_k be neighbours in a row. If
// P[M(D_i) ∈ S] ≤ e^ε·P[M(D_i+1) ∈ S] + δ for each, then P[M(D₀) ∈ S] ≤ e^(kε)·P[M(D_k) ∈ S] + δ·(1 + e^ε + … +
// e^((k−1)ε)) (Vadhan, The Complexity of Differential Privacy, 2017, lemma 2.2, has k·e^(kε)·δ for the last term).
type ofOthers struct {
	accountant.UpperProfile
	units float64
}

func (p ofOthers) Delta(epsilon float64) (float64, error) {
	one := epsilon / p.units
	delta, err := p.UpperProfile.Delta(one)
	if delta == 0 || err != nil {
		return delta, err
	}
	if epsilon == 0 { // 1 + e^ε + … has units terms, each 1
		return min(1, p.units*delta*(1+1e-12)), nil
	}
	// This is (e^kε − 1)/(e^ε − 1). e^kε may exceed float64, so compute the logarithm.
	log := math.Log(delta) + epsilon - one + math.Log(-math.Expm1(-epsilon)) - math.Log(-math.Expm1(-one))
	return min(1, math.Exp(log)*(1+1e-12)), nil
}

func (p ofOthers) Epsilon(delta float64) (float64, error) {
	pure, err := p.UpperProfile.Epsilon(0)
	if err != nil || delta == 0 || pure == 0 {
		return p.units * pure, err
	}
	high := 1.0
	for {
		at, err := p.Delta(high)
		if err != nil {
			return 0, err
		}
		if at <= delta {
			break
		}
		if high *= 2; high > 1e6 {
			return p.units * pure, nil
		}
	}
	return search.Least(high*1e-9, high, search.Within(1e-6), func(epsilon float64) (float64, error) {
		at, err := p.Delta(epsilon)
		return at / delta, err
	})
}

// group fills in the joint loss of several units. There are two bounds: by one unit's loss, and by the movement of the
// sum. The smaller one counts.
func (rep *Report) group(c *Query, ledger *event.Ledger) error {
	if c.Group == 0 {
		return nil
	}
	if rep.Unit == event.Word {
		return exit.Errorf(exit.Usage, "--group is for documents or users, and the unit of %s is a word", c.Ledger)
	}
	spent := c.Spending(ledger)
	one, err := spent(ledger.Charges())
	if err != nil {
		return err
	}
	rep.Group = &groupReport{c.Group, rep.Epsilon, rep.Delta, groupTheorem}
	value, ask := &rep.Group.Epsilon,
		func(p accountant.UpperProfile) (float64, error) { return p.Epsilon(float64(rep.Delta)) }
	if c.Epsilon != nil {
		value, ask = &rep.Group.Delta, func(p accountant.UpperProfile) (float64, error) { return p.Delta(*c.Epsilon) }
	}
	bound, err := ask(ofOthers{one, float64(c.Group)})
	if err != nil {
		return err
	}
	*value = print.Number(bound)
	grouped, ok := accountant.Group(ledger.Charges(), c.Group)
	if !ok || rep.DisjointDatasets { // a person may have documents in several data sets, so their sum is no bound
		return nil
	}
	together, err := spent(grouped)
	if err != nil { // the accountant has no answer for so little noise
		return nil
	}
	if sum, err := ask(together); err == nil && sum <= bound {
		*value, rep.Group.Theorem = print.Number(sum),
			fmt.Sprintf("a sum that moves by %d times the bound: %s", c.Group, rep.Theorem)
	}
	return nil
}

// groups prints the joint loss of several documents by one person.
func (rep *Report) groups(b *bytes.Buffer) {
	if rep.Unit == event.Document {
		fmt.Fprint(b, "\nof one document; k documents of one person have at most k·ε, with δ·(e^(k·ε) − 1)/(e^ε − "+
			"1): account report --group k\n")
	}
	if g := rep.Group; g != nil {
		fmt.Fprintf(b, "\n%d %ss together: ε %s at δ %s (%s)\n", g.Units, rep.Unit, g.Epsilon, g.Delta, g.Theorem)
	}
}
