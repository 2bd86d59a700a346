package job

import (
	"maps"
	"slices"

	"privpipe/pipelines/metrics"
	"privpipe/pipelines/parallel"
	"privpipe/pipelines/wire"
)

// meanRecord is the record of a user's contribution, in place of a document's id: she has one in a round.
const meanRecord = "mean"

// A total is the sum of the shares of a user's documents in a round, by row. Its mean over the documents has the norm 1
// in L1, as each document has: a user with many documents counts once.
type total struct {
	unit      string
	rows      map[uint32][]float64
	documents float64
}

// add adds a document.
func (u *total) add(row uint32, shares []float64) {
	u.documents++
	sums := u.rows[row]
	if sums == nil {
		u.rows[row] = shares
		return
	}
	for i, x := range shares {
		sums[i] += x
	}
}

// A shared is one document's shares, and its user.
type shared struct {
	unit   string
	row    uint32
	shares []float64
}

// answerUsers answers a round with one contribution a user, the mean of her documents. It keeps a row of shares for
// each user in memory. Users come in the order of their first documents, and documents are added in their order. So a
// round that is answered again has the same bytes. answerUsers returns the number of contributions.
func (t *trainer) answerUsers(round uint32, next func() (*batch, bool, error),
	write func(answer) error) (int, error) {
	worker := workers(t.step, t.N())
	work := func(i int, b *batch) ([]shared, error) {
		defer t.memory.give(b)
		metrics.Documents(len(b.documents))
		t.meter.Documents.Add(int64(len(b.documents)))
		documents := make([]shared, len(b.documents))
		for n, d := range b.documents {
			row, shares, err := worker(i).(*sharer).share(d)
			if err != nil {
				return nil, err
			}
			documents[n] = shared{wire.UnitName(t.header.Unit, d), row, shares}
		}
		return documents, nil
	}
	var users []*total
	known := make(map[string]*total)
	err := parallel.Map(t, t.N(), next, work, func(documents []shared) error {
		for _, d := range documents {
			user := known[d.unit]
			if user == nil {
				user = &total{unit: d.unit, rows: make(map[uint32][]float64)}
				known[d.unit], users = user, append(users, user)
			}
			user.add(d.row, d.shares)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	a := answering{t: t, round: round, to: t.out.Framer().Batcher()}
	sharer := t.step.NewWorker().(*sharer)
	for _, user := range users {
		if err := a.add(&wire.Contribution{Unit: user.unit, Record: meanRecord}, user.parts(sharer)); err != nil {
			return 0, err
		}
	}
	return len(users), write(a.answer())
}

// parts returns the mean.
func (u *total) parts(w *sharer) []*wire.Part {
	var parts []*wire.Part
	for _, row := range slices.Sorted(maps.Keys(u.rows)) {
		for i := range u.rows[row] {
			u.rows[row][i] /= u.documents
		}
		parts = w.part(parts, row, u.rows[row])
	}
	return parts
}
