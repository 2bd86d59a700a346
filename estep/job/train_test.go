package job

import (
	"path/filepath"
	"testing"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/progress"
	"privpipe/pipelines/wire"
)

// TestAnswerKeepsContributionsApart: documents that are answered together have contributions of their own, in the
// output and in the state.
func TestAnswerKeepsContributionsApart(t *testing.T) {
	documents := []*wire.Document{
		{Id: "1", User: "u", WordGaps: []uint32{100}, Counts: []uint32{1}},
		{Id: "2", User: "u", WordGaps: []uint32{200}, Counts: []uint32{1}},
		{Id: "3", WordGaps: []uint32{300}, Counts: []uint32{1}},
	}
	check := func(what string, records []*wire.Record) {
		t.Helper()
		if len(records) != len(documents) {
			t.Fatalf("%s: %d contributions, want %d", what, len(records), len(documents))
		}
		for i, r := range records {
			c, d := r.GetContribution(), documents[i]
			named := r.Round == 1 && c.Unit == wire.UnitName(wire.Unit_USER, d) && c.Record == d.Id
			if !named || len(c.Parts) != 1 || c.Parts[0].ColumnGaps[0] != d.WordGaps[0] {
				t.Errorf("%s: record %v, want one of %v", what, r, d)
			}
		}
	}
	for _, kept := range []bool{true, false} {
		tr := keeper(filepath.Join(t.TempDir(), "state.pp"), 1)
		tr.meter = new(progress.Meter)
		var err error
		if kept {
			if tr.state, err = tr.openState(); err != nil {
				t.Fatal(err)
			}
		}
		if tr.out, err = endpoint.CreateStream(t.Context(), filepath.Join(t.TempDir(), "out.pp"), tr.header,
			"none"); err != nil {
			t.Fatal(err)
		}
		defer tr.out.Abort()
		a, err := tr.answer(echo{}, 1, documents)
		if err != nil {
			t.Fatal(err)
		}
		if kept {
			check("state", a.kept)
		} else if len(a.kept) > 0 {
			t.Errorf("%d records are kept for no state", len(a.kept))
		}
		check("output", sent(t, tr, a))
	}
}

// sent returns the records that an answer sends.
func sent(t *testing.T, tr *trainer, a answer) (records []*wire.Record) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "answer.pp")
	out, err := endpoint.CreateStream(t.Context(), name, tr.header, "none")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Abort()
	scheme := &wire.Scheme{Method: wire.Scheme_POISSON, Rate: 0.5, Rounds: 1}
	if err := out.Write(&wire.Record{Round: 1,
		Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{Scheme: scheme}}}); err != nil {
		t.Fatal(err)
	}
	for _, b := range a.batches {
		if err := out.WriteBatch(b); err != nil {
			t.Fatal(err)
		}
	}
	end := &wire.RoundClose{Records: 3, Units: 2}
	if err := out.Write(&wire.Record{Round: 1, Body: &wire.Record_RoundClose{RoundClose: end}}); err != nil {
		t.Fatal(err)
	}
	if err := out.Commit(); err != nil {
		t.Fatal(err)
	}
	in, _, err := endpoint.OpenStream(t.Context(), name, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_CONTRIBUTIONS}})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for {
		r, err := in.Next()
		if err != nil {
			t.Fatal(err)
		}
		if r.GetRoundClose() != nil {
			return records
		}
		if r.GetContribution() != nil {
			records = append(records, r)
		}
	}
}
