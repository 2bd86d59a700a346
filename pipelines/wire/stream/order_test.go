package stream

import (
	"io"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/wire"
)

func open(round uint32) *wire.Record {
	scheme := &wire.Scheme{Method: wire.Scheme_ALL, Rate: 1, Rounds: 9}
	return &wire.Record{Round: round, Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{Scheme: scheme}}}
}

func closing(round uint32, records uint64) *wire.Record {
	return &wire.Record{Round: round,
		Body: &wire.Record_RoundClose{RoundClose: &wire.RoundClose{Units: records, Records: records}}}
}

func inRound(round uint32, r *wire.Record) *wire.Record { r.Round = round; return r }

func contribution(round uint32, unit string, more bool, parts ...*wire.Part) *wire.Record {
	c := &wire.Contribution{Unit: unit, More: more, Parts: parts}
	return &wire.Record{Round: round, Body: &wire.Record_Contribution{Contribution: c}}
}

// rows is a part of matrix m with some rows and its first column.
func rows(m uint32, gaps ...uint32) *wire.Part {
	return &wire.Part{Matrix: m, RowGaps: gaps, ColumnGaps: []uint32{0}, Values: make([]byte, 4*max(1, len(gaps)))}
}

func release(round uint32) *wire.Record {
	r := &wire.Release{Mechanism: "none", Grid: 1, Scheme: &wire.Scheme{Method: wire.Scheme_ALL, Rate: 1, Rounds: 9}}
	return &wire.Record{Round: round, Body: &wire.Record_Release{Release: r}}
}

func block(round, matrix uint32, offset uint64, cells int) *wire.Record {
	b := &wire.Block{Matrix: matrix, Offset: offset, Values: make([]byte, 8*cells)}
	return &wire.Record{Round: round, Body: &wire.Record_Block{Block: b}}
}

func releaseRecords() []*wire.Record {
	return []*wire.Record{release(1), block(1, 0, 0, 1), block(1, 0, 1, 3), block(1, 1, 0, 1), release(3),
		block(3, 0, 0, 4), block(3, 1, 0, 1)}
}

func words(first uint32, n int) *wire.Record {
	w := &wire.Words{First: first}
	for range n {
		w.Words = append(w.Words, "w")
	}
	return &wire.Record{Body: &wire.Record_Words{Words: w}}
}

// keys are the keys of some units, each a byte and then zeros.
func keys(first ...byte) []byte {
	var b []byte
	for _, k := range first {
		b = append(append(b, k), make([]byte, wire.KeySize-1)...)
	}
	return b
}

func members(round uint32, first ...byte) *wire.Record {
	return &wire.Record{Round: round, Body: &wire.Record_Members{Members: &wire.Members{Keys: keys(first...)}}}
}

func sum(round uint32) *wire.Record {
	s := &wire.Sum{Grant: "g", Grid: 0.5, Clip: 2, Bounds: []float64{1, 4}, Settings: make([]byte, 32)}
	return &wire.Record{Round: round, Body: &wire.Record_Sum{Sum: s}}
}

// sumRecords are of two rounds of the header of SUMS: of three units in two records of members, and of none.
func sumRecords() []*wire.Record {
	return []*wire.Record{
		open(1), members(1, 0, 7), members(1, 9), sum(1), block(1, 0, 0, 2), block(1, 0, 2, 1), block(1, 1, 0, 1),
		closing(1, 3),
		open(3), sum(3), block(3, 0, 0, 3), block(3, 1, 0, 1), closing(3, 0),
	}
}

func terms(round uint32, list ...string) *wire.Record {
	return &wire.Record{Round: round, Body: &wire.Record_Terms{Terms: &wire.Terms{Id: "a", User: "u", Words: list}}}
}

// TestOrder has sequences of records for each kind of stream, with the rule that the last one (or the end) breaks.
func score(round uint32) *wire.Record {
	return &wire.Record{Round: round, Body: &wire.Record_Score{Score: &wire.Score{}}}
}

// prediction is of 100 columns.
func prediction(round uint32) *wire.Record {
	p := &wire.Prediction{Probabilities: make([]byte, 4*100)}
	return &wire.Record{Round: round, Body: &wire.Record_Prediction{Prediction: p}}
}

func TestOrder(t *testing.T) {
	document := func(round uint32) *wire.Record { return inRound(round, documentRecord("d", 1)) }
	parameters := func(round uint32) *wire.Record {
		return &wire.Record{Round: round, Body: &wire.Record_Parameters{Parameters: &wire.Parameters{}}}
	}
	for _, c := range []struct {
		kind    wire.Kind
		rule    string // "" for a valid stream
		records []*wire.Record
	}{
		{wire.Kind_DOCUMENTS, "", nil},
		{wire.Kind_DOCUMENTS, "document of round 1 is outside the rounds", []*wire.Record{document(1)}},
		{wire.Kind_DOCUMENTS, "round_open record in a stream of DOCUMENTS", []*wire.Record{open(1)}},

		{wire.Kind_ROUNDS, "",
			[]*wire.Record{open(1), closing(1, 0), open(4), document(4), document(4), closing(4, 2)}},
		{wire.Kind_ROUNDS, "outside that round", []*wire.Record{document(1)}},
		{wire.Kind_ROUNDS, "outside that round", []*wire.Record{open(2), document(1)}},
		{wire.Kind_ROUNDS, "opens inside round 1", []*wire.Record{open(1), open(2)}},
		{wire.Kind_ROUNDS, "counted from 1", []*wire.Record{open(0)}},
		{wire.Kind_ROUNDS, "comes after round 2", []*wire.Record{open(2), closing(2, 0), open(2)}},
		{wire.Kind_ROUNDS, "", []*wire.Record{open(1 << 31), closing(1<<31, 0)}},
		{wire.Kind_ROUNDS, "is beyond", []*wire.Record{open(1<<31 + 1)}},
		{wire.Kind_ROUNDS, "not open", []*wire.Record{closing(1, 0)}},
		{wire.Kind_ROUNDS, "not open", []*wire.Record{open(1), closing(2, 0)}},
		{wire.Kind_ROUNDS, "were lost or added", []*wire.Record{open(1), document(1), closing(1, 2)}},
		{wire.Kind_ROUNDS, "ends inside round 1", []*wire.Record{open(1), document(1)}},
		{wire.Kind_ROUNDS, "more units than records", []*wire.Record{open(1),
			{Round: 1, Body: &wire.Record_RoundClose{RoundClose: &wire.RoundClose{Units: 1}}}}},
		{wire.Kind_ROUNDS, "stream of ROUNDS", []*wire.Record{open(1), contribution(1, "u", false)}},

		{wire.Kind_CONTRIBUTIONS, "", []*wire.Record{open(1), contribution(1, "u", true, rows(0, 0)),
			contribution(1, "u", false, rows(0, 1, 1), rows(1)), contribution(1, "v", false), closing(1, 2)}},
		{wire.Kind_CONTRIBUTIONS, "not whole",
			[]*wire.Record{open(1), contribution(1, "u", true), contribution(1, "v", false)}},
		{wire.Kind_CONTRIBUTIONS, "inside a contribution",
			[]*wire.Record{open(1), contribution(1, "u", true), closing(1, 1)}},
		{wire.Kind_CONTRIBUTIONS, "ascending order of matrices and rows",
			[]*wire.Record{open(1), contribution(1, "u", false, rows(0, 1), rows(0, 1))}},
		{wire.Kind_CONTRIBUTIONS, "ascending order of matrices and rows",
			[]*wire.Record{open(1), contribution(1, "u", false, rows(1), rows(0))}},
		{wire.Kind_CONTRIBUTIONS, "ascending order of matrices and rows",
			[]*wire.Record{open(1), contribution(1, "u", true, rows(0, 0)), contribution(1, "u", false, rows(0, 0))}},

		{wire.Kind_STATE, "", []*wire.Record{open(7), contribution(7, "u", false, rows(0, 0)),
			contribution(7, "v", false), closing(7, 2)}},
		{wire.Kind_STATE, "no round", nil},
		{wire.Kind_STATE, "second round", []*wire.Record{open(1), closing(1, 0), open(2)}},
		{wire.Kind_STATE, "ends inside round 1", []*wire.Record{open(1)}},
		{wire.Kind_STATE, "document record in a stream of STATE", []*wire.Record{open(1), document(1)}},
		{wire.Kind_STATE, "members record in a stream of STATE", []*wire.Record{open(1), members(1, 0)}},

		{wire.Kind_RELEASES, "", releaseRecords()},
		{wire.Kind_RELEASES, "no announced matrix", []*wire.Record{block(1, 0, 0, 1)}},
		{wire.Kind_RELEASES, "no announced matrix", []*wire.Record{release(1), block(2, 0, 0, 1)}},
		{wire.Kind_RELEASES, "are missing from cell 1 on",
			[]*wire.Record{release(1), block(1, 0, 0, 1), block(1, 0, 2, 1)}},
		{wire.Kind_RELEASES, "are missing from cell 0 on", []*wire.Record{release(1), block(1, 0, 0, 4), release(2)}},
		{wire.Kind_RELEASES, "are missing from cell 0 on", []*wire.Record{release(1)}},
		{wire.Kind_RELEASES, "no announced matrix",
			[]*wire.Record{release(1), block(1, 0, 0, 4), block(1, 1, 0, 1), block(1, 1, 0, 1)}},
		{wire.Kind_RELEASES, "counted from 1", []*wire.Record{release(0)}},

		{wire.Kind_PARAMETERS, "", []*wire.Record{words(0, 60), words(60, 40), parameters(0), parameters(1)}},
		{wire.Kind_PARAMETERS, "", []*wire.Record{parameters(0)}},
		{wire.Kind_PARAMETERS, "words come after the parameters or predictions that they name",
			[]*wire.Record{parameters(0), words(0, 1)}},
		{wire.Kind_PARAMETERS, "from 10 on are missing", []*wire.Record{words(0, 10), words(20, 10)}},
		{wire.Kind_PARAMETERS, "10 words of a vocabulary of 100", []*wire.Record{words(0, 10)}},
		{wire.Kind_PARAMETERS, "comes after round 1", []*wire.Record{parameters(1), parameters(1)}},
		{wire.Kind_PARAMETERS, "words of round 1 is outside", []*wire.Record{inRound(1, words(0, 1))}},
		{wire.Kind_SCORES, "", []*wire.Record{{Body: &wire.Record_Score{Score: &wire.Score{}}}}},
		{wire.Kind_SCORES, "", []*wire.Record{score(0), score(2), score(2), score(1 << 31)}},
		{wire.Kind_SCORES, "comes after one of round 2", []*wire.Record{score(2), score(1)}},
		{wire.Kind_SCORES, "beyond 2147483648", []*wire.Record{score(1<<31 + 1)}},
		{wire.Kind_PREDICTIONS, "", nil},
		{wire.Kind_PREDICTIONS, "",
			[]*wire.Record{words(0, 60), words(60, 40), prediction(0), prediction(3), prediction(3)}},
		{wire.Kind_PREDICTIONS, "before the names of all columns", []*wire.Record{words(0, 60), prediction(0)}},
		{wire.Kind_PREDICTIONS, "words come after the parameters or predictions that they name",
			[]*wire.Record{words(0, 100), prediction(0), words(100, 0)}},
		{wire.Kind_PREDICTIONS, "words of round 1 is outside", []*wire.Record{inRound(1, words(0, 1))}},
		{wire.Kind_PREDICTIONS, "comes after one of round 3",
			[]*wire.Record{words(0, 100), prediction(3), prediction(1)}},
		{wire.Kind_PREDICTIONS, "score record in a stream of PREDICTIONS", []*wire.Record{score(0)}},
		{wire.Kind_SCORES, "words record in a stream of SCORES", []*wire.Record{words(0, 1)}},

		{wire.Kind_SUMS, "", sumRecords()},
		{wire.Kind_SUMS, "", nil},
		{wire.Kind_SUMS, "outside that round", []*wire.Record{members(1, 0)}},
		{wire.Kind_SUMS, "outside that round", []*wire.Record{open(1), members(2, 0)}},
		{wire.Kind_SUMS, "outside that round", []*wire.Record{open(2), sum(1)}},
		{wire.Kind_SUMS, "strictly ascending order", []*wire.Record{open(1), members(1, 3), members(1, 3)}},
		{wire.Kind_SUMS, "strictly ascending order", []*wire.Record{open(1), members(1, 3), members(1, 2)}},
		{wire.Kind_SUMS, "members come after their sum", append(sumRecords()[:7:7], members(1, 10))},
		{wire.Kind_SUMS, "second sum", append(sumRecords()[:7:7], sum(1))},
		{wire.Kind_SUMS, "no announced matrix", []*wire.Record{open(1), block(1, 0, 0, 1)}},
		{wire.Kind_SUMS, "no announced matrix", append(sumRecords()[:7:7], block(1, 1, 0, 1))},
		{wire.Kind_SUMS, "no announced matrix", append(sumRecords()[:4:4], block(2, 0, 0, 1))},
		{wire.Kind_SUMS, "are missing from cell 2 on", append(sumRecords()[:5:5], block(1, 1, 0, 1))},
		{wire.Kind_SUMS, "closes without its sum", []*wire.Record{open(1), members(1, 0), closing(1, 1)}},
		{wire.Kind_SUMS, "are missing from cell 0 on", append(sumRecords()[:6:6], closing(1, 3))},
		{wire.Kind_SUMS, "not name the units", append(sumRecords()[:7:7], closing(1, 2))},
		{wire.Kind_SUMS, "not name the units", append(sumRecords()[:7:7], closing(1, 4))},
		{wire.Kind_SUMS, "more units than records", append(sumRecords()[:7:7],
			&wire.Record{Round: 1, Body: &wire.Record_RoundClose{RoundClose: &wire.RoundClose{Units: 3, Records: 2}}})},
		{wire.Kind_SUMS, "", append(sumRecords()[:7:7], // several records of a unit
			&wire.Record{Round: 1, Body: &wire.Record_RoundClose{RoundClose: &wire.RoundClose{Units: 3, Records: 9}}})},
		{wire.Kind_SUMS, "ends inside round 1", sumRecords()[:7]},
		{wire.Kind_SUMS, "opens inside round 1", append(sumRecords()[:7:7], open(2))},
		{wire.Kind_SUMS, "comes after round 1", append(sumRecords()[:8:8], open(1))},
		{wire.Kind_SUMS, "stream of SUMS", []*wire.Record{open(1), contribution(1, "u", false)}},
		{wire.Kind_SUMS, "stream of SUMS", []*wire.Record{release(1)}},
		{wire.Kind_CONTRIBUTIONS, "members record in a stream of CONTRIBUTIONS",
			[]*wire.Record{open(1), members(1, 0)}},
		{wire.Kind_CONTRIBUTIONS, "sum record in a stream of CONTRIBUTIONS", []*wire.Record{open(1), sum(1)}},
		{wire.Kind_RELEASES, "stream of RELEASES", []*wire.Record{open(1)}},

		{wire.Kind_TERMS, "", []*wire.Record{terms(0), terms(0, "x", "y")}},
		{wire.Kind_TERMS, "terms of round 1 is outside", []*wire.Record{terms(1)}},
		{wire.Kind_TERMS, "stream of TERMS", []*wire.Record{documentRecord("d", 1)}},
		{wire.Kind_DOCUMENTS, "terms record in a stream of DOCUMENTS", []*wire.Record{terms(0)}},
	} {
		o := newOrder(header(c.kind))
		var err error
		for i, r := range c.records {
			if err = o.admit(r); err != nil {
				if i < len(c.records)-1 {
					t.Errorf("%v, %q: record %d already: %v", c.kind, c.rule, i, err)
				}
				break
			}
		}
		if err == nil {
			err = o.finish()
		}
		switch {
		case c.rule == "" && err != nil:
			t.Errorf("%v: a valid stream is refused: %v", c.kind, err)
		case c.rule != "" && (err == nil || !strings.Contains(err.Error(), c.rule)):
			t.Errorf("%v: got %v, want an error about %q", c.kind, err, c.rule)
		}
	}
}

func TestSets(t *testing.T) {
	h := header(wire.Kind_RELEASES)
	h.Matrices[0].Rows, h.Matrices[0].Columns = 300, 200 // several blocks
	cells := make([]int64, 300*200)
	for i := range cells {
		cells[i] = int64(i)*1_000_003 - 1e9
	}
	var records []*wire.Record
	for round := uint32(1); round <= 2; round++ {
		records = append(records, release(round))
		b := AppendCells(nil, cells)
		for at := 0; at < len(b); at += 100_000 {
			values := b[at:min(at+100_000, len(b))]
			records = append(records,
				&wire.Record{Round: round,
					Body: &wire.Record_Block{Block: &wire.Block{Offset: uint64(at / 8), Values: values}}})
		}
		records = append(records, block(round, 1, 0, 1))
	}
	r, err := NewReader(strings.NewReader(string(encode(t, h, Fast, false, records...))), "test")
	if err != nil {
		t.Fatal(err)
	}
	for round := uint32(1); round <= 2; round++ {
		s, err := ReadSet(r, nil)
		if err != nil || s.Round != round || s.Release == nil {
			t.Fatalf("set %d: %v, %v", round, s, err)
		}
		got, err := Cells[int64](s, "a")
		if err != nil || len(got) != len(cells) || got[0] != cells[0] || got[59_999] != cells[59_999] ||
			got[12_345] != cells[12_345] {
			t.Errorf("set %d has other cells, error %v", round, err)
		}
		if _, err := Cells[float64](s, "a"); err == nil {
			t.Error("integers were given as floats")
		}
		if _, err := Cells[int64](s, "nothing"); err == nil {
			t.Error("a matrix that is not there was given")
		}
	}
}

// TestSymmetricSets: of a symmetric matrix the triangle's cells come, and a sum is read like a release.
func TestSymmetricSets(t *testing.T) {
	h := header(wire.Kind_SUMS)
	records := sumRecords()
	records[4].GetBlock().Values = AppendCells(nil, []int64{-5, 6})
	records[5].GetBlock().Values = AppendCells(nil, []int64{1 << 40})
	r, err := NewReader(strings.NewReader(string(encode(t, h, Fast, false, records...))), "test")
	if err != nil {
		t.Fatal(err)
	}
	var sums []*Set
	for {
		record, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if record.GetSum() != nil {
			s, err := r.ReadBlocks(record)
			if err != nil {
				t.Fatal(err)
			}
			sums = append(sums, s)
		}
	}
	if len(sums) != 2 || sums[0].Round != 1 || sums[1].Round != 3 || !proto.Equal(sums[0].Sum, sum(1).GetSum()) {
		t.Fatalf("got %v", sums)
	}
	if got, err := Cells[int64](sums[0], "a"); err != nil || !slices.Equal(got, []int64{-5, 6, 1 << 40}) {
		t.Errorf("cells %v, %v", got, err)
	}
}
