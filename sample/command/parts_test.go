package command

import (
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/wire"
	"privpipe/sample/internal/coin"
	"privpipe/sample/internal/corpus"
)

// corpusOf returns a corpus of n documents, where users are the units every third of which has one of 50.
func corpusOf(t *testing.T, unit wire.Unit, n int) *corpus.Corpus {
	t.Helper()
	c := corpus.New(1<<30, unit)
	t.Cleanup(func() { c.Close() })
	for i := range n {
		d := &wire.Document{Id: fmt.Sprint("d", i), WordGaps: []uint32{uint32(i % 7)}, Counts: []uint32{1}}
		if i%3 == 0 {
			d.User = fmt.Sprint("u", i%50)
		}
		if err := c.Add(d); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Seal(); err != nil {
		t.Fatal(err)
	}
	return c
}

// deal writes rounds to files, so many parts, and returns their names.
func deal(t *testing.T, c *corpus.Corpus, n int, rounds ...coin.Set) []string {
	t.Helper()
	var names []string
	p := &parts{workers: 3}
	for i := range n {
		names = append(names, filepath.Join(t.TempDir(), fmt.Sprint(i)))
		h := header(10)
		h.Kind, h.Unit = wire.Kind_ROUNDS, c.Unit()
		out, err := endpoint.CreateStream(t.Context(), names[i], h, "none")
		if err != nil {
			t.Fatal(err)
		}
		p.outs = append(p.outs, out)
	}
	defer p.abort()
	scheme := &wire.Scheme{Method: wire.Scheme_POISSON, Rate: 0.5, Rounds: 3, Secret: true, Coins: "throw"}
	for i, chosen := range rounds {
		if err := p.write(t.Context(), c, scheme, uint32(i+1), chosen); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.commit(); err != nil {
		t.Fatal(err)
	}
	return names
}

// readPart returns the records of a part.
func readPart(t *testing.T, name string) []*wire.Record {
	t.Helper()
	in, _, err := endpoint.OpenStream(t.Context(), name, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_ROUNDS}})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	return rest(t, in)
}

// rest returns the records that are left of a stream. A close that counts other documents than there are fails.
func rest(t *testing.T, in *endpoint.StreamReader) (records []*wire.Record) {
	t.Helper()
	for {
		record, err := in.Next()
		if err == io.EOF {
			return records
		}
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, record)
	}
}

// TestPartsAreTheRound deals rounds over parts. Each document of the round is in one part, its unit's, in the order of
// the corpus. All parts open the round alike, and what they announce adds up to the round.
func TestPartsAreTheRound(t *testing.T) {
	for _, unit := range []wire.Unit{wire.Unit_DOCUMENT, wire.Unit_USER} {
		c := corpusOf(t, unit, 3000)
		every, some, none := coin.NewSet(len(c.Keys())), coin.NewSet(len(c.Keys())), coin.NewSet(len(c.Keys()))
		for i := range c.Keys() {
			every.Add(i)
			if i%5 == 0 {
				some.Add(i)
			}
		}
		rounds := []coin.Set{every, none, some}
		for _, n := range []int{1, 2, 7} {
			var closes [3]wire.RoundClose
			var opens [3]*wire.Record
			found := make([]int, len(rounds)*c.Documents())
			for part, name := range deal(t, c, n, rounds...) {
				at := 0
				for _, record := range readPart(t, name) {
					round := int(record.Round) - 1
					switch {
					case record.GetRoundOpen() != nil:
						if at = 0; opens[round] == nil {
							opens[round] = record
						}
						if !proto.Equal(record, opens[round]) {
							t.Errorf("%v over %d parts: round %d opens in two ways", unit, n, round+1)
						}
					case record.GetRoundClose() != nil:
						closes[round].Units += record.GetRoundClose().Units
						closes[round].Records += record.GetRoundClose().Records
						closes[round].UnitDigest += record.GetRoundClose().UnitDigest
					default:
						i := at
						for ; i < c.Documents(); i++ {
							if d, err := c.Document(i); err != nil || proto.Equal(d, record.GetDocument()) {
								break
							}
						}
						if at = i + 1; i == c.Documents() {
							t.Fatalf("%v over %d parts: a document that is out of order, or of no corpus", unit, n)
						}
						if digest := c.Digests()[c.UnitOf(i)]; digest%uint64(n) != uint64(part) {
							t.Errorf("%v over %d parts: a unit of digest %x is in part %d", unit, n, digest, part)
						}
						found[round*c.Documents()+i]++
					}
				}
			}
			for round, chosen := range rounds {
				var want wire.RoundClose
				for i, digest := range c.Digests() {
					if chosen.Has(i) {
						want.Units++
						want.UnitDigest += digest
					}
				}
				for i := range c.Documents() {
					in := 0
					if chosen.Has(c.UnitOf(i)) {
						in = 1
						want.Records++
					}
					if got := found[round*c.Documents()+i]; got != in {
						t.Errorf("%v over %d parts: document %d is %d times in round %d, want %d", unit, n, i, got,
							round+1, in)
					}
				}
				if !proto.Equal(&closes[round], &want) {
					t.Errorf("%v over %d parts: round %d announces %v, want %v", unit, n, round+1, &closes[round],
						&want)
				}
			}
		}
	}
}

// TestPartsOfFewUnits: a part without units has every round, and each is whole.
func TestPartsOfFewUnits(t *testing.T) {
	c := corpusOf(t, wire.Unit_DOCUMENT, 1)
	only := coin.NewSet(1)
	only.Add(0)
	for part, name := range deal(t, c, 3, only) {
		records := readPart(t, name)
		want := 2
		if c.Digests()[0]%3 == uint64(part) {
			want = 3
		}
		if len(records) != want || records[0].GetRoundOpen() == nil || records[want-1].GetRoundClose() == nil {
			t.Errorf("part %d has %d records, want %d, an open and a close among them", part, len(records), want)
		}
	}
}
