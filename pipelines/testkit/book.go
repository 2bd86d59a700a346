package testkit

import (
	"testing"
	"time"

	"privpipe/pipelines/event"
)

// Noon is the time on all lines of a Book.
var Noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// A Book is a ledger that a test builds line by line.
type Book struct {
	event.Ledger
	Bytes []byte
}

// Add appends a line.
func (b *Book) Add(t testing.TB, line *event.Line) {
	t.Helper()
	encoded, err := line.Encode(b.LastHash())
	if err != nil {
		t.Fatal(err)
	}
	b.Lines, b.Bytes = append(b.Lines, line), append(b.Bytes, encoded...)
}

// Begin appends the head.
func (b *Book) Begin(t *testing.T) {
	t.Helper()
	line := b.Next(Noon)
	line.Type, line.Head = event.TypeHead, event.NewHead()
	b.Add(t, line)
}

// Planned appends a grant with a budget that was planned after all lines so far.
func (b *Book) Planned(t *testing.T, g *event.Grant) {
	t.Helper()
	g.Budget.After = b.LastHash()
	b.Grant(t, g)
}

// Charge appends a charge.
func (b *Book) Charge(t testing.TB, c *event.Charge) {
	t.Helper()
	line := b.Next(Noon)
	line.Type, line.Charge = event.TypeCharge, c
	b.Add(t, line)
}

// Grant appends a grant.
func (b *Book) Grant(t testing.TB, g *event.Grant) {
	t.Helper()
	line := b.Next(Noon)
	line.Type, line.Grant = event.TypeGrant, g
	b.Add(t, line)
}

// SubjectFor returns the subject that a grant must name for its mechanism to be usable.
func SubjectFor(mechanism string) (s event.Subject) {
	switch mechanism {
	case event.RandomizedResponse:
		s.VocabularySize = 1 << 20
	case event.Gaussian, event.Laplace:
		s.Matrices = []event.Matrix{{Name: "m", Rows: 1, Columns: 1}}
	}
	return s
}

// ChargeOf returns the charge for one round, as the privatizer makes it.
func ChargeOf(g *event.Grant, round int, run string) *event.Charge {
	scheme := g.Scheme
	if scheme.Method != event.All && scheme.Method != event.Epoch {
		scheme.Coins = "throw-of-" + run
	}
	c := g.Charge(round, scheme)
	c.Dataset, c.Run = "d", run
	if g.Mechanism == event.RandomizedResponse && g.VocabularySize == 0 && g.ReportWords == 0 {
		c.Sensitivity = 2 * uint64(g.MaxWords)
	}
	return c
}

// Of appends a grant and a number of charges that one run makes by it.
func (b *Book) Of(t testing.TB, g *event.Grant, releases int, run string) *Book {
	t.Helper()
	if g.Budget.Epsilon > 0 {
		g.Budget.After = b.LastHash()
	}
	b.Grant(t, g)
	for round := range releases {
		b.Charge(t, ChargeOf(g, round+1, run))
	}
	return b
}
