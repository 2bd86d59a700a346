package audit

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A chain is the binary's answers in all rounds. Each round is a process, which continues from the state of the round
// before.
type chain struct {
	coupled bool
	draws   []float64 // the loss that each round states
	late    error     // the first broken rule that leaves chains comparable
	// counts has each round's counts for each document: K × V whole numbers, row by row.
	counts []map[string][]float32
}

// newKey returns a key for the sampler's coins.
func newKey() []byte {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	return key
}

// chain runs the binary on all rounds of documents, in its own folder.
func (a *chainAudit) chain(ctx context.Context, home string, key []byte, documents []text) (*chain, error) {
	defer a.remove(home)
	if err := a.make(home); err != nil {
		return nil, err
	}
	if err := a.write(filepath.Join(home, "key"), key); err != nil {
		return nil, err
	}
	c := new(chain)
	for round := 1; round <= len(a.weights); round++ {
		if err := a.round(ctx, home, round, documents); err != nil {
			return nil, err
		}
		r := &chainRound{chainAudit: a, number: round, chain: c, documents: make(map[string]text),
			sent: make(map[string][]float32)}
		for _, d := range documents {
			r.documents[d.id] = d
		}
		err := r.read(home)
		if err == nil {
			err = r.checkState(home)
		}
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

// round runs the binary on one round.
func (a *chainAudit) round(ctx context.Context, home string, round int, documents []text) error {
	rounds, err := a.encodeRound(round, documents)
	if err != nil {
		return err
	}
	params, err := a.encodeParameters(round)
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{"rounds.pp": rounds, "params.pp": params} {
		if err := a.write(filepath.Join(home, name), content); err != nil {
			return err
		}
	}
	refusal, err := a.call(ctx, home, slices.Concat(a.arguments(), a.flags, []string{
		"--secret", "key", "--state", "state.pp", "--params", "params.pp", "-o", "contributions.pp", "rounds.pp",
	}))
	if err == nil && refusal != "" {
		err = a.malformed("it refuses a round that is in order: %s", refusal)
	}
	return err
}

// arguments returns the arguments that all cases share.
func (a *chainAudit) arguments() []string {
	statistic := "counts"
	if a.increments {
		statistic = "increments"
	}
	if a.inPlace {
		return []string{"collapsed", "--statistic", statistic}
	}
	all := []string{"gibbs", "--keep", "--statistic", statistic, "--top-topics", "0", "--word-weight", "count",
		"--norm", "0"}
	if a.undrawn {
		return all
	}
	return append(all, "--draws", strconv.FormatFloat(a.Draws, 'g', -1, 64))
}

// A chainRound is one round of a chain while it is read.
type chainRound struct {
	*chainAudit
	number    int
	chain     *chain
	documents map[string]text
	sent      map[string][]float32 // each document's contribution: K × V, row by row
}

// broken returns the error for a round that breaks a rule.
func (r *chainRound) broken(format string, args ...any) error {
	return fault{fmt.Errorf("round %d: %w", r.number, fmt.Errorf(format, args...))}
}

// late records a broken rule, unless one was recorded before.
func (r *chainRound) late(format string, args ...any) {
	if r.chain.late == nil {
		r.chain.late = r.broken(format, args...)
	}
}

// read reads the round's contributions, and checks them.
func (r *chainRound) read(home string) error {
	var open *wire.RoundOpen
	h, contributions, err := r.contributions(home, "contributions.pp", wire.Kind_CONTRIBUTIONS, &open)
	if err != nil {
		return err
	}
	if len(h.Matrices) != 1 || h.Matrices[0].Rows != uint32(r.topics) || h.Matrices[0].Columns != uint32(r.words()) {
		return r.broken("its contributions are not one matrix of counts of words by topic")
	}
	if len(contributions) != len(r.documents) {
		return r.malformed("round %d has %d contributions of %d documents", r.number, len(contributions),
			len(r.documents))
	}
	for id, c := range contributions {
		if _, asked := r.documents[id]; !asked {
			return r.malformed("round %d has a contribution of no document", r.number)
		}
		r.sent[id] = c[0]
	}
	if r.number > 1 && open.Coupled != r.chain.coupled {
		return r.broken("only some rounds are marked as coupled")
	}
	r.chain.coupled, r.chain.draws = open.Coupled, append(r.chain.draws, open.Draws)
	switch {
	case !r.undrawn && open.Draws < r.Draws:
		r.late("it states draws of %v, was asked for %v", open.Draws, r.Draws)
	case open.Draws == 0 && !open.Coupled:
		r.late("it does not state the loss of its draws")
	}
	counts, err := r.added()
	r.chain.counts = append(r.chain.counts, counts)
	return err
}

// added returns the counts after the round. They must be whole, and must add up to the counts of the document's words.
func (r *chainRound) added() (map[string][]float32, error) {
	all := make(map[string][]float32)
	for id, values := range r.sent {
		counts := slices.Clone(values)
		if r.increments && r.number > 1 {
			for i, n := range r.chain.counts[r.number-2][id] {
				counts[i] += n
			}
		}
		for word, n := range r.documents[id].counts {
			sum, least, whole := float32(0), float32(0), true
			for topic := range r.topics {
				x := counts[topic*r.words()+word]
				sum, least, whole = sum+x, min(least, x), whole && x == float32(math.Trunc(float64(x)))
			}
			switch {
			case !whole:
				return nil, r.broken("a contribution has a number that is not whole")
			case sum != float32(n):
				return nil, r.broken("a contribution counts other words than those of its document")
			case least < 0:
				return nil, r.broken("a document has a negative count of a word")
			}
		}
		all[id] = counts
	}
	return all, nil
}

// checkState checks that the state has the contributions that were sent and, for increments, the counts. Only rounds
// that are marked as coupled may keep more.
func (r *chainRound) checkState(home string) error {
	h, state, err := r.contributions(home, "state.pp", wire.Kind_STATE, new(*wire.RoundOpen))
	if err != nil {
		return err
	}
	kept := []map[string][]float32{r.sent}
	if r.increments {
		kept = append(kept, r.chain.counts[r.number-1])
	}
	if len(h.Matrices) < len(kept) || len(h.Matrices) > len(kept) && !r.chain.coupled {
		r.late("its state has %d matrices for each document, must have %d", len(h.Matrices), len(kept))
		return nil
	}
	for id := range r.documents {
		for i, values := range kept {
			if state[id] == nil || !slices.Equal(state[id][i], values[id]) {
				r.late("the state of a document is not what it contributed")
				return nil
			}
		}
	}
	return nil
}

// contributions reads a stream with a single round. It returns the cells of all matrices for each unit. open receives
// the round's opening record.
func (r *chainRound) contributions(home, name string, kind wire.Kind,
	open **wire.RoundOpen) (*wire.Header, map[string][][]float32, error) {
	content, err := os.ReadFile(r.path(filepath.Join(home, name)))
	if err != nil {
		return nil, nil, r.malformed("it wrote no %s: %w", kind, err)
	}
	in, err := stream.NewReader(bytes.NewReader(content), name)
	if err != nil {
		return nil, nil, r.malformed("%w", err)
	}
	h, err := in.Header()
	if err == nil && h.Kind != kind {
		err = fmt.Errorf("%s is a stream of %s, must be of %s", name, h.Kind, kind)
	}
	for _, m := range h.GetMatrices() {
		if uint64(m.Rows)*uint64(m.Columns) > uint64(r.topics*r.words()) && err == nil {
			err = fmt.Errorf("%s has a matrix of more than %d × %d cells", name, r.topics, r.words())
		}
	}
	all := make(map[string][][]float32)
	for err == nil {
		var record *wire.Record
		if record, err = in.Next(); err != nil {
			break
		}
		if int(record.Round) != r.number {
			err = fmt.Errorf("%s is of round %d, must be of round %d", name, record.Round, r.number)
		} else if o := record.GetRoundOpen(); o != nil {
			*open = o
		} else if c := record.GetContribution(); c != nil {
			if all[c.Unit] == nil {
				all[c.Unit] = emptyMatrices(h)
			}
			addParts(all[c.Unit], h, c.Parts)
		}
	}
	if err == io.EOF && *open == nil {
		err = fmt.Errorf("%s has no round", name)
	}
	if err != io.EOF {
		return nil, nil, r.malformed("%w", err)
	}
	return h, all, nil
}

func emptyMatrices(h *wire.Header) (cells [][]float32) {
	for _, m := range h.Matrices {
		cells = append(cells, make([]float32, m.Rows*m.Columns))
	}
	return cells
}

// addParts adds the cells in parts to matrices.
func addParts(to [][]float32, h *wire.Header, parts []*wire.Part) {
	for _, p := range parts {
		m := h.Matrices[p.Matrix]
		rows, columns := idsOf(p.RowGaps, m.Rows), idsOf(p.ColumnGaps, m.Columns)
		numbers := wire.AppendNumbers(nil, m, p)
		for i, row := range rows {
			for j, column := range columns {
				if p.Factored {
					to[p.Matrix][row*m.Columns+column] += numbers[i] * numbers[len(rows)+j]
				} else {
					to[p.Matrix][row*m.Columns+column] += numbers[i*len(columns)+j]
				}
			}
		}
	}
}

// idsOf returns the ids that gaps encode. Without gaps these are all ids below n.
func idsOf(gaps []uint32, n uint32) []uint32 {
	if len(gaps) > 0 {
		return wire.AppendIDs(nil, gaps)
	}
	all := make([]uint32, n)
	for i := range all {
		all[i] = uint32(i)
	}
	return all
}
