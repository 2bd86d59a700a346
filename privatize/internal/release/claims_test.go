package release

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
	"privpipe/privatize/internal/claims"
	"privpipe/privatize/internal/noise"
)

// A sharedLog is a log of claims in memory. appended, where set, is called after each append, whose error is its own.
type sharedLog struct {
	mutex    sync.Mutex
	entries  [][]byte
	appended func() error
}

func (l *sharedLog) Append(entry []byte) error {
	l.mutex.Lock()
	l.entries = append(l.entries, slices.Clone(entry))
	l.mutex.Unlock()
	if l.appended != nil {
		return l.appended()
	}
	return nil
}

func (l *sharedLog) Read(first int) ([][]byte, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return slices.Clone(l.entries[first:]), nil
}

// claiming are terms under a log of claims, and a grant for three rounds.
func claiming(log claims.Log) Terms {
	terms := newTerms(newGrant(func(g *event.Grant) { g.Releases = 3 }))
	terms.Claims = log
	return terms
}

// finish takes a round of one unit to its release.
func finish(t *testing.T, p *Privatizer, number int) ([]int64, error) {
	t.Helper()
	digest := take(t, p, number, named(), one)
	cells, _, err := p.Release(Announced{1, 1, digest})
	return slices.Clone(cells), err
}

// untouched checks that a ledger has no charges, and that nothing is stored beside it but the name of an owner.
func untouched(t *testing.T, ledger string) {
	t.Helper()
	if n := len(charges(t, ledger)); n != 0 {
		t.Errorf("%d charges", n)
	}
	stored, err := os.ReadDir(ledger + ".releases")
	if err != nil || len(stored) != 1 || stored[0].Name() != ".owner" {
		t.Errorf("stored %v, %v", stored, err)
	}
}

// TestOneOfTwo: of two privatizers with ledgers of their own the first has a round, and its replays; the other is
// refused.
func TestOneOfTwo(t *testing.T) {
	log := new(sharedLog)
	first, second := newLedger(t), newLedger(t)
	p, q := open(t, first, claiming(log)), open(t, second, claiming(log))
	cells, err := finish(t, p, 1)
	if err != nil {
		t.Fatal(err)
	}
	refused, err := finish(t, q, 1)
	wantCode(t, err, 91)
	if refused != nil {
		t.Errorf("released %v", refused)
	}
	untouched(t, second)
	if _, err := finish(t, q, 2); err != nil {
		t.Error(err)
	}
	_, err = finish(t, p, 2)
	wantCode(t, err, 91)
	p.Close()
	entries := len(log.entries)
	p = open(t, first, claiming(log))
	if again, err := finish(t, p, 1); err != nil || !slices.Equal(again, cells) || len(log.entries) != entries {
		t.Errorf("replayed %v with %d claims, %v", again, len(log.entries)-entries, err)
	}
}

// TestClaimComesBetween: a round is claimed when it is whole, and before noise is drawn for it.
func TestClaimComesBetween(t *testing.T) {
	log := new(sharedLog)
	p := open(t, newLedger(t), claiming(log))
	digest := take(t, p, 1, named(), one)
	_, _, err := p.Release(Announced{2, 2, digest})
	wantCode(t, err, 90)
	if len(log.entries) != 0 {
		t.Error("a round that was not whole is claimed")
	}
	var drawn atomic.Int64
	p.noise.cell = counting{p.noise.cell, func() {
		drawn.Add(1)
		if len(log.entries) != 1 {
			t.Error("noise is drawn before the round is claimed")
		}
	}}
	if _, err := finish(t, p, 1); err != nil || drawn.Load() == 0 {
		t.Errorf("%d draws, %v", drawn.Load(), err)
	}
	const want = `{"version":1,"run":"run","round":1,"attempt":1,"owner":"`
	if entry := string(log.entries[0]); !strings.HasPrefix(entry, want) {
		t.Errorf("claim %s, want %s…", entry, want)
	}
}

// counting is a sampler that tells of its twins.
type counting struct {
	noise.Sampler
	draws func()
}

func (c counting) Twin() noise.Sampler {
	c.draws()
	return c.Sampler.Twin()
}

// TestCrashAfterClaim: a privatizer that ended between its claim and its charge has the round when it is started again,
// whether the log told it of the claim or not; the other has not.
func TestCrashAfterClaim(t *testing.T) {
	for name, crash := range map[string]func(log *sharedLog, p *Privatizer){
		"before it is told": func(log *sharedLog, p *Privatizer) {
			log.appended = func() error { return errors.New("timed out") }
		},
		"before the charge": func(log *sharedLog, p *Privatizer) {
			log.appended = func() error { return p.book.Close() } // the charge cannot be written
		},
	} {
		t.Run(name, func(t *testing.T) {
			log, ledger, other := new(sharedLog), newLedger(t), newLedger(t)
			p := open(t, ledger, claiming(log))
			crash(log, p)
			if cells, err := finish(t, p, 1); err == nil {
				t.Fatalf("released %v", cells)
			}
			p.Close()
			log.appended = nil
			if n := len(charges(t, ledger)); n != 0 {
				t.Fatalf("%d charges", n)
			}
			_, err := finish(t, open(t, other, claiming(log)), 1)
			wantCode(t, err, 91)
			untouched(t, other)
			if _, err := finish(t, open(t, ledger, claiming(log)), 1); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestPausedPrivatizer: one that is paused when its round is whole finds what the other did meanwhile.
func TestPausedPrivatizer(t *testing.T) {
	log, ledger := new(sharedLog), newLedger(t)
	p, q := open(t, ledger, claiming(log)), open(t, newLedger(t), claiming(log))
	digest := take(t, p, 1, named(), one)
	if _, err := finish(t, q, 1); err != nil {
		t.Fatal(err)
	}
	_, _, err := p.Release(Announced{1, 1, digest})
	wantCode(t, err, 91)
	untouched(t, ledger)

	// Paused after its claim, it goes on, and the other is refused.
	log.appended = func() error {
		log.appended = nil
		_, err := finish(t, p, 2)
		wantCode(t, err, 91)
		return nil
	}
	if _, err := finish(t, q, 2); err != nil {
		t.Error(err)
	}
}

// TestRacingPrivatizers: however two privatizers race, a round is released once and charged once, by the one that has
// it.
func TestRacingPrivatizers(t *testing.T) {
	const rounds = 20
	log := new(sharedLog)
	scheme := poisson
	scheme.Rounds = rounds
	ledgers := [2]string{newLedger(t), newLedger(t)}
	var released [2][rounds + 1]bool
	var group sync.WaitGroup
	for i, ledger := range ledgers {
		terms := claiming(log)
		terms.Grant.Scheme, terms.Grant.Releases = scheme, rounds
		p := open(t, ledger, terms)
		group.Go(func() {
			for number := 1; number <= rounds; number++ {
				_, err := p.Begin(number, scheme)
				if err == nil {
					err = give(p, one)
				}
				if err == nil {
					_, _, err = p.Release(Announced{1, 1, wire.UnitDigest(one.unit)})
				}
				var taken *claims.Taken
				if err != nil && !errors.As(err, &taken) {
					t.Error(err)
				}
				released[i][number] = err == nil
			}
		})
	}
	group.Wait()
	for number := 1; number <= rounds; number++ {
		if released[0][number] == released[1][number] {
			t.Errorf("round %d: released by the first %v, by the second %v", number, released[0][number],
				released[1][number])
		}
	}
	if n := len(charges(t, ledgers[0])) + len(charges(t, ledgers[1])); n != rounds {
		t.Errorf("%d charges, want %d", n, rounds)
	}
}

// TestClaimOfRespend: a second release of a round is claimed as its second attempt.
func TestClaimOfRespend(t *testing.T) {
	log := new(sharedLog)
	terms := claiming(log)
	terms.AllowRespend = true
	p := open(t, newLedger(t), terms)
	if _, err := finish(t, p, 1); err != nil {
		t.Fatal(err)
	}
	digest := take(t, p, 1, named(), contribution{"one", make([]float32, 6)})
	if _, replayed, err := p.Release(Announced{1, 1, digest}); err != nil || replayed {
		t.Fatalf("replayed %v, %v", replayed, err)
	}
	if n := len(log.entries); n != 2 || !bytes.Contains(log.entries[1], []byte(`"round":1,"attempt":2,`)) {
		t.Errorf("%d claims, %s", n, log.entries[n-1])
	}
}

// TestCopiedLedger: a copy without the file that names the owner replays what it has charges of, and has nothing else
// that the first has claimed.
func TestCopiedLedger(t *testing.T) {
	log, ledger, restored := new(sharedLog), newLedger(t), newLedger(t)
	p := open(t, ledger, claiming(log))
	cells, err := finish(t, p, 1)
	if err != nil {
		t.Fatal(err)
	}
	copyLedger := os.WriteFile(restored, read(t, ledger), 0o600)
	if err := errors.Join(copyLedger, os.CopyFS(restored+".releases", os.DirFS(ledger+".releases"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(restored+".releases", ".owner")); err != nil {
		t.Fatal(err)
	}
	if _, err := finish(t, p, 2); err != nil {
		t.Fatal(err)
	}
	q := open(t, restored, claiming(log))
	if again, err := finish(t, q, 1); err != nil || !slices.Equal(again, cells) {
		t.Errorf("replayed %v, %v", again, err)
	}
	_, err = finish(t, q, 2)
	wantCode(t, err, 91)
	if _, err := finish(t, q, 3); err != nil {
		t.Error(err)
	}
}

// TestDamagedClaims: what is no claim stops the release, and so does an owner without a whole name.
func TestDamagedClaims(t *testing.T) {
	ledger := newLedger(t)
	_, err := finish(t, open(t, ledger, claiming(&sharedLog{entries: [][]byte{[]byte("MARKER")}})), 1)
	wantCode(t, err, 90)
	untouched(t, ledger)
	for _, content := range []string{"", "\n", "00000000000000000000000000000000", "0000000000000000000000000000000\n",
		"0000000000000000000000000000000G\n", "00000000000000000000000000000000\n\n"} {
		log, ledger := new(sharedLog), newLedger(t)
		if err := os.Mkdir(ledger+".releases", 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(ledger+".releases", ".owner"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := finish(t, open(t, ledger, claiming(log)), 1)
		wantCode(t, err, 90)
		untouched(t, ledger)
		if len(log.entries) != 0 {
			t.Errorf("owner %q has claimed", content)
		}
	}
}

// TestClaimWithoutPrivacy: exact sums are claimed, too.
func TestClaimWithoutPrivacy(t *testing.T) {
	log := new(sharedLog)
	terms := newTerms(nil)
	terms.Claims = log
	if _, err := finish(t, open(t, newLedger(t), terms), 1); err != nil {
		t.Fatal(err)
	}
	_, err := finish(t, open(t, newLedger(t), terms), 1)
	wantCode(t, err, 91)
}
