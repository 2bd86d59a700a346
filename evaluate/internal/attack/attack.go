package attack

import (
	"io"
	"math"
	"slices"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Options are the settings for an attack.
type Options struct {
	Size       model.Size
	Tokens     int                     // the largest number of attacked tokens
	Seed       uint64                  // chooses the tokens
	Increments bool                    // contributions are changes since the round before
	Wanted     func(round uint32) bool // selects rounds with a Row, beside the last round
	After      func(round, of uint32)  // is called after each round
}

// A Row has the scores after one round.
type Row struct {
	Round    uint32 `json:"round"`
	Equation Score  `json:"equation_24"`
	Exact    Score  `json:"exact"`
}

// A Result is the success of one attack.
type Result struct {
	Tokens     int     `json:"tokens"`     // attacked
	Candidates int     `json:"candidates"` // tokens that occur once in their document
	Chance     float64 `json:"chance"`     // 1/V, each word's probability before any round
	Rounds     []Row   `json:"rounds"`
}

// Run attacks tokens in the documents of the stream assignments, given the parameters of all rounds in the stream
// params. Both streams must have the sizes in the options. It is algorithm 3 of Zhao et al., Latent Dirichlet
// Allocation Model Training with Differential Privacy (IEEE TIFS 16, 2021).
//
// The attacker attacks one token and does not know its word. It knows the token's topic k_i in each round i, the
// parameters that the sampler read, and all other tokens of all documents. Two scores weigh each word t of the
// vocabulary:
//
//   - equation 24 of the paper, log P(t) = Σ_i log(n̂_{k_i,t} / Σ_t n̂_{k_i,t}), with n̂ the released counts that the
//     sampler read in round i. Line 4 of algorithm 3 records them before line 6 draws k_i. As printed, P is no
//     distribution over words: it is normalised here;
//   - the exact likelihood, Σ_i log p(k_i | t), with p the probabilities that the sampler draws from.
//
// The attack's accuracy is the posterior probability of the true word under a uniform prior, averaged over tokens.
func Run(o Options, assignments, params *stream.Reader) (*Result, error) {
	a := &attack{Options: o, assignments: assignments, params: params}
	result := &Result{Chance: 1 / float64(o.Size.Words)}
	for scored := uint32(0); ; {
		more, err := a.round()
		if err != nil {
			return nil, err
		}
		if scored < a.last && (!more || o.Wanted(a.last)) {
			result.Rounds, scored = append(result.Rounds, a.row()), a.last
		}
		if !more {
			result.Tokens, result.Candidates = len(a.tokens), a.candidates
			return result, nil
		}
	}
}

type attack struct {
	Options
	assignments, params *stream.Reader

	last       uint32 // round
	coupled    bool   // whether the rounds are
	tokens     []*token
	candidates int
	documents  map[name]*document // of the tokens

	// For coupled rounds: the counts over all documents after the last round, and after the round before it. K×V, row
	// by row.
	counts, before []float64
}

func (a *attack) row() Row {
	return Row{
		Round:    a.last,
		Equation: scoreOf(a.tokens, func(t *token) []float64 { return t.equation }),
		Exact:    scoreOf(a.tokens, func(t *token) []float64 { return t.exact }),
	}
}

// round reads one round of contributions and its parameters, and adds the round to the scores. It returns false at the
// end.
func (a *attack) round() (more bool, err error) {
	record, err := a.assignments.Next()
	if err == io.EOF && a.last > 0 {
		return false, nil
	}
	if err == io.EOF {
		return false, exit.Errorf(exit.Malformed, "%s: holds no round", a.assignments.Name())
	}
	if err != nil {
		return false, err
	}
	open := record.GetRoundOpen()
	switch {
	case record.Round != a.last+1:
		return false, a.assignments.Errorf("round %d comes after round %d, but the attack needs all rounds",
			record.Round, a.last)
	case open.Scheme.Method != wire.Scheme_ALL:
		return false, a.assignments.Errorf("round %d is of a sample of the documents, but the attack needs all of "+
			"them (sample --all)", record.Round)
	case !open.Coupled && severalSweeps(open.Draws):
		return false, a.assignments.Errorf("round %d has several sweeps, but the attack needs the topics after each "+
			"(estep gibbs --sweeps 1)", record.Round)
	case a.last > 0 && open.Coupled != a.coupled:
		return false, a.assignments.Errorf("only some rounds are coupled")
	}
	a.last, a.coupled = record.Round, open.Coupled
	p, err := a.parameters()
	if err != nil {
		return false, err
	}
	if a.last == 1 {
		err = a.first()
	} else {
		err = a.next()
	}
	if err != nil {
		return false, err
	}
	if err := a.score(p, open.Draws); err != nil {
		return false, err
	}
	a.After(a.last, open.Scheme.Rounds)
	return true, nil
}

// severalSweeps says whether the stated loss of the draws is the loss of several sweeps without a requested bound. With
// a requested bound, no stream tells the number of sweeps.
func severalSweeps(draws float64) bool {
	sweeps := draws / unbounded
	return sweeps > 1.5 && math.Abs(sweeps-math.Round(sweeps)) < 1e-9
}

// parameters reads the parameters that the sampler read before the round.
func (a *attack) parameters() (*parameters, error) {
	set, err := stream.ReadSet(a.params, nil)
	if err == io.EOF {
		return nil, exit.Errorf(exit.Malformed, "%s: ends before the parameters after round %d", a.params.Name(),
			a.last-1)
	}
	if err != nil {
		return nil, err
	}
	if set.Round != a.last-1 {
		return nil, a.params.Errorf("the parameters are those after round %d, must be those after round %d", set.Round,
			a.last-1)
	}
	p, err := newParameters(set, a.Size)
	if err != nil {
		return nil, a.params.Errorf("%w", err)
	}
	return p, nil
}

// first reads the contributions of round 1, and chooses the tokens to attack.
func (a *attack) first() error {
	choose := &chooser{seed: a.Seed, most: a.Tokens}
	seen := make(map[name]bool)
	err := a.contributions(func(name) bool { return true }, func(of name, cells []cell) error {
		if seen[of] {
			return errTwice
		}
		seen[of] = true
		d, err := newDocument(cells, a.Increments)
		if err == nil {
			choose.add(of, d)
		}
		return err
	})
	if err != nil {
		return err
	}
	a.tokens, a.candidates, a.documents = choose.chosen(), choose.seen, make(map[name]*document)
	if len(a.tokens) == 0 {
		return exit.Errorf(exit.Malformed,
			"%s: no word occurs once in a document, so no contribution names the topic of a token",
			a.assignments.Name())
	}
	for _, t := range a.tokens {
		t.equation, t.exact = make([]float64, a.Size.Words), make([]float64, a.Size.Words)
		a.documents[t.of] = t.document
	}
	return nil
}

// next reads the contributions of one later round.
func (a *attack) next() error {
	err := a.contributions(func(of name) bool { return a.documents[of] != nil }, func(of name, cells []cell) error {
		if a.documents[of].round == a.last {
			return errTwice
		}
		return a.documents[of].advance(a.last, cells, a.Increments)
	})
	for _, d := range a.documents {
		if err == nil && d.round != a.last {
			err = a.assignments.Errorf("round %d has not all documents of round 1", a.last)
		}
	}
	return err
}

// contributions reads the contributions of one round, and passes the wanted documents' contributions to take.
func (a *attack) contributions(wanted func(name) bool, take func(name, []cell) error) error {
	if a.coupled {
		if a.counts == nil {
			a.counts = make([]float64, a.Size.Components*a.Size.Words)
		}
		a.before = append(a.before[:0], a.counts...)
		if !a.Increments {
			clear(a.counts)
		}
	}
	h, err := a.assignments.Header()
	if err != nil {
		return err
	}
	var cells []cell
	for {
		record, err := a.assignments.Next()
		if err != nil {
			return err
		}
		c := record.GetContribution()
		if c == nil {
			return nil // the round closes
		}
		of := name{c.Unit, c.Record}
		if !a.coupled && !wanted(of) {
			continue
		}
		for _, part := range c.Parts {
			if cells, err = appendCells(cells, a.Size, h.Matrices[part.Matrix], part); err != nil {
				return a.assignments.Errorf("%w", err)
			}
		}
		if c.More {
			continue
		}
		if a.coupled {
			for _, x := range cells {
				a.counts[x.topic*a.Size.Words+x.word] += x.value
			}
		}
		if wanted(of) {
			if err := take(of, cells); err != nil {
				return a.assignments.Errorf("%w", err)
			}
		}
		cells = cells[:0]
	}
}

// score adds the round to the scores of all tokens.
func (a *attack) score(p *parameters, draws float64) error {
	s, err := a.sampler(p, draws)
	if err != nil {
		return err
	}
	logs := make([][]float64, a.Size.Components) // of n̂, without equation 24's sum: it is the same for all words
	for _, t := range a.tokens {
		topic, others := t.document.token(t.word, a.Size.Components)
		if logs[topic] == nil {
			logs[topic] = logarithms(p.row(p.released, topic))
		}
		for word, x := range logs[topic] {
			t.equation[word] += x
		}
		s.add(t.exact, topic, t.word, others)
	}
	return nil
}

func logarithms(row []float64) []float64 {
	logs := make([]float64, len(row))
	for i, x := range row {
		logs[i] = math.Log(x)
	}
	return logs
}

// sampler returns the sampler for the round. An in-place sampler begins with the counts in the parameters, if they have
// any, and adds the changes in the round, without noise. Without such counts it begins with the counts over all
// documents.
func (a *attack) sampler(p *parameters, draws float64) (*sampler, error) {
	if !a.coupled {
		return newFrozen(p, draws), nil
	}
	after := slices.Clone(a.counts)
	if p.counts != nil {
		for i, n := range p.counts {
			after[i] += n - a.before[i]
		}
	}
	s, err := newInPlace(p, after)
	if err != nil {
		return nil, a.params.Errorf("%w", err)
	}
	return s, nil
}
