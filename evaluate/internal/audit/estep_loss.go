package audit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
)

// measure bounds the loss of the exchanged token. Each document is one of two neighbours, by a coin. The documents in a
// chain are replicas: their topics are independent, as the checks have seen.
func (a *chainAudit) measure(ctx context.Context) error {
	chains := (a.Documents + perChain - 1) / perChain
	answers, thrown := make([]*chain, chains), coins(chains*perChain)
	err := Each(ctx, a.Workers, chains, func(int) {}, func(ctx context.Context, i int) (err error) {
		documents := make([]text, perChain)
		for j := range documents {
			documents[j] = text{fmt.Sprintf("document %d", j), a.document(thrown[i*perChain+j])}
		}
		answers[i], err = a.chain(ctx, fmt.Sprintf("chain-%d", i), newKey(), documents)
		return err
	})
	if err != nil {
		return err
	}
	a.result.Runs += chains
	a.result.Rounds += chains * len(a.weights)

	var seen []assignment
	for i, c := range answers {
		switch {
		case c.coupled:
			return fault{errors.New("only some runs are marked as coupled")}
		case c.late != nil:
			return c.late
		}
		for j := range perChain {
			seen = append(seen, a.assignment(c, fmt.Sprintf("document %d", j), thrown[i*perChain+j]))
		}
	}
	claims, err := a.claims(answers)
	if err != nil {
		return err
	}
	bound, rounds := boundOn(seen, claims, a.level)
	a.result.Bound, a.result.Note = bound, fmt.Sprintf("topics after round %d", rounds)
	return nil
}

// boundOn bounds the loss in the seen documents, with error probability level. The claim for the topics up to round i+1
// is claims[i]. The bound uses the first rounds rounds. A third of the documents teaches the likelihood ratio, and
// another third the best rule. Both are measured on the last third, so that the choice costs no confidence.
func boundOn(seen []assignment, claims []claim, level float64) (b *Bound, rounds int) {
	third := len(seen) / 3
	rule, _ := choose(weighed(seen[:third], seen[third:2*third]), claims, learningLevel)
	g, c := rule.guess(weighed(seen[:third], seen[2*third:])), claims[rule.statistic]
	return &Bound{
		Confidence: 1 - level, Measured: g.with + g.without, Wrong: g.missed + g.alarms,
		Epsilon: c.lower(g, rule.way, level), ClaimedEpsilon: c.loss,
	}, rule.statistic + 1
}

// claims returns the stated loss of the rounds up to each round. All chains must state the same.
func (a *chainAudit) claims(answers []*chain) ([]claim, error) {
	claims, sum := make([]claim, len(a.weights)), 0.0
	for round := range claims {
		for _, c := range answers {
			if c.draws[round] != answers[0].draws[round] {
				return nil, fault{fmt.Errorf("round %d: it states other draws in other runs: they depend on the input",
					round+1)}
			}
		}
		sum += answers[0].draws[round]
		claims[round].loss = sum
	}
	return claims, nil
}

// An assignment is the topics drawn for one neighbour.
type assignment struct {
	with   bool
	topics []string // up to each round
}

// assignment returns what an adversary may see of one document: the topics of each word. The exchanged token's two
// words are added together, so the exchanged token stands among their other tokens. The sum does not tell which of the
// two words the token has. The topics of all tokens would not tell it either.
func (c chainCase) assignment(of *chain, id string, with bool) assignment {
	s, so := assignment{with: with}, new(strings.Builder)
	for _, counts := range of.counts {
		for topic := range c.topics {
			row := counts[id][topic*c.words():][:c.words()]
			fmt.Fprintf(so, "%v", append([]float32{row[0] + row[len(row)-1]}, row[1:len(row)-1]...))
		}
		s.topics = append(s.topics, so.String())
	}
	return s
}

// weighed returns documents as trials. A trial's values are log-likelihood ratios of the neighbours: one for the topics
// up to each round, estimated from the learnt documents. With many learnt documents, no other test has fewer errors
// (Neyman and Pearson 1933).
func weighed(learnt, documents []assignment) []trial {
	trials := make([]trial, len(documents))
	for round := range documents[0].topics {
		with, without := make(map[string]float64), make(map[string]float64)
		for _, d := range learnt {
			if d.with {
				with[d.topics[round]]++
			} else {
				without[d.topics[round]]++
			}
		}
		for i, d := range documents {
			key := d.topics[round]
			trials[i].with = d.with
			trials[i].values = append(trials[i].values, math.Log((with[key]+0.5)/(without[key]+0.5)))
		}
	}
	return trials
}
