package kafka

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
)

func openJournal(t *testing.T, l *Location) *Journal {
	t.Helper()
	j, err := OpenJournal(soon(t), l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// entries are those of a journal, as text.
func entries(t *testing.T, j *Journal) []string {
	t.Helper()
	all, err := j.Read(0)
	if err != nil {
		t.Fatal(err)
	}
	texts := make([]string, len(all))
	for i, e := range all {
		texts[i] = string(e)
	}
	return texts
}

func TestJournal(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"ledger": 1})
	journals(t, location(t, fake.Address, "ledger", ""))
}

func TestJournalReal(t *testing.T) {
	testkit.Deep(t, "kafka")
	b := broker.Real(t)
	journals(t, location(t, b.Address, b.Topic(t, "ledger", 1, nil), ""))
}

// journals lets several programs append and read beside each other: each reads what it has appended, and all read one
// order.
func journals(t *testing.T, l *Location) {
	const programs, each = 3, 20
	if got := entries(t, openJournal(t, l)); len(got) != 0 {
		t.Errorf("a new journal has the entries %q", got)
	}
	reads := make([][]string, programs)
	var all sync.WaitGroup
	for p := range programs {
		j := openJournal(t, l)
		all.Go(func() {
			for i := range each {
				own := fmt.Sprintf("program %d, entry %d", p, i)
				if err := j.Append([]byte(own)); err != nil {
					t.Error(err)
					return
				}
				before := reads[p]
				if reads[p] = entries(t, j); !slices.Contains(reads[p], own) {
					t.Errorf("%s is not there when it was appended", own)
				}
				if !slices.Equal(reads[p][:len(before)], before) {
					t.Errorf("what was read changes")
				}
			}
		})
	}
	all.Wait()
	last := entries(t, openJournal(t, l))
	if len(last) != programs*each {
		t.Fatalf("%d entries, want %d", len(last), programs*each)
	}
	for p, got := range reads {
		if !slices.Equal(got, last[:len(got)]) {
			t.Errorf("program %d read another order", p)
		}
		own := slices.DeleteFunc(slices.Clone(last), func(e string) bool {
			return !strings.HasPrefix(e, fmt.Sprintf("program %d,", p))
		})
		for i, e := range own {
			if want := fmt.Sprintf("program %d, entry %d", p, i); e != want {
				t.Errorf("%q stands where %q must", e, want)
			}
		}
	}
}

// TestJournalTwice: an entry whose acknowledgement was lost may be there twice, and never less than once.
func TestJournalTwice(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"ledger": 1})
	j := openJournal(t, location(t, fake.Address, "ledger", "?patience=10ms"))
	fake.Fault(kfake.Fault{Keys: produces, Topic: "ledger", Err: kerr.NotEnoughReplicasAfterAppend})
	if err := j.Append([]byte("a")); err != nil {
		t.Fatal(err)
	}
	fault := fake.Fault(kfake.Fault{Keys: produces, Topic: "ledger", Err: kerr.RequestTimedOut, Count: -1})
	began := time.Now()
	wantError(t, j.Append([]byte("b")), exit.Unavailable, "ledger: append")
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("after %v", took)
	}
	fault.Remove()
	if err := j.Append([]byte("c")); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(entries(t, j), "")
	if !strings.HasPrefix(got, "aab") || !strings.HasSuffix(got, "bc") || strings.Trim(got, "abc") != "" {
		t.Errorf("entries %s", got)
	}
}

// TestJournalRefuses: a journal counts if it is there whole.
func TestJournalRefuses(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"ledger": 1, "two": 2, "again": 1})
	_, err := OpenJournal(soon(t), location(t, fake.Address, "two", ""))
	wantError(t, err, exit.Usage, "two", "has 2 partitions")

	l := location(t, fake.Address, "ledger", "")
	old := openJournal(t, l)
	for range 4 {
		if err := old.Append([]byte("entry")); err != nil {
			t.Fatal(err)
		}
	}
	entries(t, old)
	if err := fake.DeleteRecords("ledger", 0, 2); err != nil {
		t.Fatal(err)
	}
	for _, j := range []*Journal{old, openJournal(t, l)} { // one that read them, and one that did not
		_, err := j.Read(0)
		wantError(t, err, exit.Malformed, l.String(), "first entries are gone", "retention.ms=-1")
	}

	l = location(t, fake.Address, "again", "")
	j := openJournal(t, l)
	for range 3 {
		if err := j.Append([]byte("entry")); err != nil {
			t.Fatal(err)
		}
	}
	entries(t, j)
	if err := fake.DeleteTopic("again"); err != nil {
		t.Fatal(err)
	}
	if err := fake.CreateTopic("again", 1, nil); err != nil {
		t.Fatal(err)
	}
	put(t, l, 0, []byte("other"))
	_, err = j.Read(3)
	wantError(t, err, exit.Malformed, l.String(), "first entries are gone")
	for range 3 { // now it has more entries than were read
		put(t, l, 0, []byte("other"))
	}
	_, err = j.Read(3)
	wantError(t, err, exit.Malformed, l.String(), "deleted and created again")
}
