package event

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

func TestHeadCheck(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		rule   string
		change func(*Head)
	}{
		{"", func(*Head) {}},
		{"", func(h *Head) { h.Budget = &Limit{Epsilon: 1} }},
		{"", func(h *Head) { h.Budget, h.Filter = &Limit{1, 1e-6}, &Filter{Measure: Renyi, Order: 8, Limit: 1} }},
		{"id of the ledger must be 16 bytes", func(h *Head) { h.ID = "" }},
		{"id of the ledger must be 16 bytes", func(h *Head) { h.ID = strings.ToUpper(h.ID) }},
		{"id of the ledger must be 16 bytes", func(h *Head) { h.ID += "00" }},
		{"budget of the ledger: epsilon", func(h *Head) { h.Budget = &Limit{0, 1e-6} }},
		{"budget of the ledger: delta", func(h *Head) { h.Budget = &Limit{1, 1} }},
		{"a filter needs the budget", func(h *Head) { h.Filter = &Filter{Measure: ZCDP, Limit: 1} }},
		{"unknown measure", func(h *Head) { h.Budget, h.Filter = &Limit{1, 1e-6}, &Filter{Measure: "fdp", Limit: 1} }},
		{"order of the filter", func(h *Head) {
			h.Budget, h.Filter = &Limit{1, 1e-6},
				&Filter{Measure: Renyi, Order: 1, Limit: 1}
		}},
		{"order of the filter", func(h *Head) {
			h.Budget, h.Filter = &Limit{1, 1e-6},
				&Filter{Measure: Renyi, Order: inf, Limit: 1}
		}},
		{"an order belongs", func(h *Head) {
			h.Budget, h.Filter = &Limit{1, 1e-6},
				&Filter{Measure: GDP, Order: 2, Limit: 1}
		}},
		{"limit of the filter",
			func(h *Head) { h.Budget, h.Filter = &Limit{1, 1e-6}, &Filter{Measure: GDP, Limit: inf} }},
		{"", func(h *Head) { h.Budget, h.DisjointDatasets = &Limit{1, 1e-6}, true }},
		{"need a budget of the ledger", func(h *Head) { h.DisjointDatasets = true }},
		{"and no filter", func(h *Head) {
			h.Budget, h.Filter, h.DisjointDatasets = &Limit{1, 1e-6}, &Filter{Measure: GDP, Limit: 1}, true
		}},
	} {
		h := validHead()
		c.change(h)
		expect(t, h.Check(), c.rule)
	}
}

// TestNewLedger: two ledgers that are begun at the same time have two identities.
func TestNewLedger(t *testing.T) {
	ids := make(map[string]bool)
	for range 3 {
		b, err := NewLedger(NewHead(), noon)
		if err != nil {
			t.Fatal(err)
		}
		l, err := read(b)
		if err != nil || l.Head() == nil || len(l.Lines) != 1 {
			t.Fatalf("%s: %v", b, err)
		}
		ids[l.Head().ID] = true
	}
	if len(ids) != 3 {
		t.Errorf("identities %v", ids)
	}
}

// TestHeadIsFirst: an identity after the first line would make two ledgers of one.
func TestHeadIsFirst(t *testing.T) {
	b, err := NewLedger(NewHead(), noon)
	if err != nil {
		t.Fatal(err)
	}
	l, err := read(b)
	if err != nil {
		t.Fatal(err)
	}
	line := l.Next(noon)
	line.Type, line.Head = TypeHead, NewHead()
	_, err = line.Encode(l.LastHash())
	expect(t, err, "on its first line only")
	if l, err := read(bytes.Repeat(b, 2)); err == nil {
		t.Errorf("two heads were read: %v", l)
	}
}

func TestSubject(t *testing.T) {
	for _, c := range []struct {
		rule   string
		change func(*Subject)
	}{
		{"", func(*Subject) {}},
		{"", func(s *Subject) { *s = Subject{} }},
		{"model: name", func(s *Subject) { s.Model = "victim had cancer; n=48213 docs" }},
		{"vocabulary must be 32 bytes", func(s *Subject) { s.Vocabulary = "ab" }},
		{"vocabulary_size", func(s *Subject) { s.VocabularySize = -1 }},
		{"vocabulary_size", func(s *Subject) { s.VocabularySize = 1<<24 + 1 }},
		{"at most 64 matrices", func(s *Subject) { s.Matrices = make([]Matrix, 65) }},
		{"matrix: name", func(s *Subject) { s.Matrices[0].Name = "" }},
		{"matrix: name", func(s *Subject) { s.Matrices[0].Name = "a b" }},
		{"occurs twice", func(s *Subject) { s.Matrices = append(s.Matrices, s.Matrices[0]) }},
		{"1 to 2147483648 cells", func(s *Subject) { s.Matrices[0].Rows = 0 }},
		{"1 to 2147483648 cells", func(s *Subject) { s.Matrices[0].Columns = 0 }},
		{"1 to 2147483648 cells", func(s *Subject) { s.Matrices[0].Rows, s.Matrices[0].Columns = 1<<16, 1<<15+1 }},
		{"symmetric and has 2 × 3", func(s *Subject) { s.Matrices[0].Symmetric = true }},
	} {
		s := validGrant().Subject
		c.change(&s)
		expect(t, s.Check(), c.rule)
	}
	for _, c := range []struct {
		rule   string
		change func(*Subject)
	}{
		{"", func(*Subject) {}},
		{`for model "lda", the stream is for another`, func(s *Subject) { s.Model = "SECRET" }},
		{"another vocabulary", func(s *Subject) { s.Vocabulary = "" }},
		{"another vocabulary", func(s *Subject) { s.VocabularySize++ }},
		{"other matrices", func(s *Subject) { s.Matrices[0].Name = "SECRET" }},
		{"other matrices", func(s *Subject) { s.Matrices[0].Rows++ }},
		{"other matrices", func(s *Subject) { s.Matrices = append(s.Matrices, Matrix{"SECRET", 1, 1, false}) }},
		{"other matrices", func(s *Subject) { s.Matrices = nil }},
	} {
		s := validGrant().Subject
		c.change(&s)
		err := validGrant().Subject.Fits(s)
		expect(t, err, c.rule)
		if err != nil && strings.Contains(err.Error(), "SECRET") {
			t.Errorf("the error quotes the stream: %v", err)
		}
	}
}

// TestMatrixInMessages: the message about other matrices says all that distinguishes them.
func TestMatrixInMessages(t *testing.T) {
	s := Subject{Matrices: []Matrix{{"covariance", 3, 3, true}, {"mean", 1, 3, false}}}
	expect(t, s.Fits(Subject{}), "it names [covariance 3×3 symmetric mean 1×3]")
}

// TestHeadOfNone: a ledger without lines has no head, and nobody has begun it.
func TestHeadOfNone(t *testing.T) {
	empty := new(Ledger)
	if empty.Head() != nil {
		t.Errorf("head %+v", empty.Head())
	}
	expect(t, empty.CheckBegun(), "account ledger new")
	empty.Lines = append(empty.Lines, &Line{Head: validHead()})
	if *empty.Head() != *validHead() {
		t.Errorf("head %+v", empty.Head())
	}
	expect(t, empty.CheckBegun(), "")
}

func TestCheckCoins(t *testing.T) {
	for coins, good := range map[string]bool{
		"": true, strings.Repeat("0a", 16): true, "ABCDEFGHIJKLMNOPQRSTUVWXY2": true,
		"throw": false, "victim had cancer": false, strings.Repeat("0A", 16): false, strings.Repeat("0", 33): false,
	} {
		if err := (Scheme{Coins: coins}).CheckCoins(); (err == nil) != good {
			t.Errorf("%q: %v", coins, err)
		}
	}
}
