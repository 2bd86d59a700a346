package claims

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A memory is a Log in memory. before and after, where set, are called around the append of an entry, which is not made
// if before fails; lost, where set, takes the place of what Append returns.
type memory struct {
	mutex   sync.Mutex
	entries [][]byte
	before  func() error
	lost    error
	unread  error // what Read returns
	read    int   // number of entries that Read has returned
}

func (m *memory) Append(entry []byte) error {
	if m.before != nil {
		if err := m.before(); err != nil {
			return err
		}
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.entries = append(m.entries, slices.Clone(entry))
	return m.lost
}

func (m *memory) Read(first int) ([][]byte, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.read += len(m.entries) - first
	return slices.Clone(m.entries[first:]), m.unread
}

// owner returns the name of an owner for a test.
func owner(n int) string { return fmt.Sprintf("%032x", n) }

func wantCode(t *testing.T, err error, code int) {
	t.Helper()
	var coder interface{ ExitCode() int }
	if !errors.As(err, &coder) || coder.ExitCode() != code {
		t.Errorf("got error %v, want one of exit code %d", err, code)
	}
}

var release = Release{"run", 3, 1}

// TestClaim: the first who claims a release has it, each time that it claims; others have other releases.
func TestClaim(t *testing.T) {
	log := new(memory)
	for i, c := range []struct {
		owner int
		of    Release
		has   bool
	}{
		{1, release, true}, {2, release, false}, {1, release, true}, {2, release, false}, {3, release, false},
		{2, Release{"run", 4, 1}, true}, {1, Release{"run", 4, 1}, false},
		{2, Release{"run", 3, 2}, true}, {1, Release{"run", 3, 2}, false},
		{2, Release{"run2", 3, 1}, true}, {1, Release{"run2", 3, 1}, false},
	} {
		err := NewRegister(log).Claim(c.of, owner(c.owner))
		if c.has {
			if err != nil {
				t.Errorf("claim %d: %v", i, err)
			}
			continue
		}
		wantCode(t, err, 91)
		var taken *Taken
		if !errors.As(err, &taken) || taken.Release != c.of ||
			!strings.Contains(err.Error(), "released nothing of the round") {
			t.Errorf("claim %d: %v", i, err)
		}
	}
	if len(log.entries) != 11 {
		t.Errorf("%d entries", len(log.entries))
	}
	held, err := NewRegister(log).Held("run")
	all := []Held{{release, owner(1)}, {Release{"run", 4, 1}, owner(2)}, {Release{"run", 3, 2}, owner(2)}}
	if err != nil || !slices.Equal(held, all) {
		t.Errorf("held are %v, %v, want %v", held, err, all)
	}
	const want = `{"version":1,"run":"run","round":3,"attempt":1,"owner":"00000000000000000000000000000001"}`
	if got := string(log.entries[0]); got != want {
		t.Errorf("entry %s, want %s", got, want)
	}
}

// TestDamaged: an entry that is no claim of this version stops all, before and after one's own.
func TestDamaged(t *testing.T) {
	const good = `{"version":1,"run":"run","round":3,"attempt":1,"owner":"00000000000000000000000000000001"}`
	change := func(old, new string) string {
		if strings.Count(good, old) != 1 {
			t.Fatalf("%q is not once in an entry", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	for name, entry := range map[string]string{
		"empty":              "",
		"cut":                good[:len(good)-1],
		"not JSON":           "MARKER",
		"another document":   `{"MARKER":1}`,
		"null":               "null",
		"newer":              change(`"version":1`, `"version":2`),
		"no version":         change(`"version":1,`, ``),
		"a member more":      change(`"round":3`, `"round":3,"MARKER":4`),
		"a member twice":     change(`"round":3`, `"round":3,"round":3`),
		"a member less":      change(`"round":3,`, ``),
		"another spelling":   change(`"round":3`, `"Round":3`),
		"another order":      change(`"run":"run","round":3`, `"round":3,"run":"run"`),
		"space":              good + " ",
		"two":                good + good,
		"a name of no run":   change(`"run":"run"`, `"run":"../MARKER"`),
		"round 0":            change(`"round":3`, `"round":0`),
		"attempt 0":          change(`"attempt":1`, `"attempt":0`),
		"no owner":           change(`00000000000000000000000000000001`, ``),
		"owner too short":    change(`00000000000000000000000000000001`, `000000000000000000000000000001`),
		"owner not in hex":   change(`00000000000000000000000000000001`, `0000000000000000000000000000000g`),
		"owner in capitals":  change(`00000000000000000000000000000001`, `0000000000000000000000000000000A`),
		"not UTF-8":          change(`"run":"run"`, "\"run\":\"\xff\""),
		"a number of no int": change(`"round":3`, `"round":3.0`),
	} {
		for behind := range 2 {
			log := new(memory)
			for range behind {
				if err := NewRegister(log).Claim(release, owner(1)); err != nil {
					t.Fatal(err)
				}
			}
			log.entries = append(log.entries, []byte(entry))
			err := NewRegister(log).Claim(release, owner(1))
			wantCode(t, err, 90)
			place := fmt.Sprintf("entry %d: ", behind+1)
			if err != nil && (!strings.Contains(err.Error(), place) || strings.Contains(err.Error(), "MARKER")) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if err := NewRegister(&memory{entries: [][]byte{[]byte(good)}}).Claim(release, owner(1)); err != nil {
		t.Errorf("the entry that was changed: %v", err) // else all of the above would prove nothing
	}
}

// TestLog: what the log fails to do is passed on, whatever came into it, and one that swallows claims is no log.
func TestLog(t *testing.T) {
	broken := errors.New("the broker is gone")
	for name, log := range map[string]*memory{
		"not appended":                 {before: func() error { return broken }},
		"appended, but not told so":    {lost: broken},
		"appended, but cannot be read": {unread: broken},
	} {
		if err := NewRegister(log).Claim(release, owner(1)); !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	wantCode(t, NewRegister(swallowing{}).Claim(release, owner(1)), 90)
	log := new(memory)
	for name, r := range map[string]Release{
		"run": {"../run", 1, 1}, "round": {"run", 0, 1}, "attempt": {"run", 1, 0},
		"round beyond all": {"run", 1 << 40, 1},
	} {
		if err := NewRegister(log).Claim(r, owner(1)); err == nil {
			t.Errorf("%s: claimed", name)
		}
	}
	if err := NewRegister(log).Claim(release, "me"); err == nil || len(log.entries) > 0 {
		t.Errorf("claimed by nobody: %v, %d entries", err, len(log.entries))
	}
}

// swallowing is a log that keeps nothing.
type swallowing struct{}

func (swallowing) Append([]byte) error        { return nil }
func (swallowing) Read(int) ([][]byte, error) { return nil, nil }

// TestLostAcknowledgement: a claim that came into the log, though its owner was told that it did not, is its owner's.
func TestLostAcknowledgement(t *testing.T) {
	log := &memory{lost: errors.New("timed out")}
	if err := NewRegister(log).Claim(release, owner(1)); err == nil {
		t.Error("an error of the log is passed over")
	}
	log.lost = nil
	wantCode(t, NewRegister(log).Claim(release, owner(2)), 91)
	if err := NewRegister(log).Claim(release, owner(1)); err != nil {
		t.Error(err)
	}
}

// TestPaused: who is paused before its claim finds the other's, and who is paused after it has the release.
func TestPaused(t *testing.T) {
	log := new(memory)
	log.before = func() error { // the first is paused, and the second goes all the way
		log.before = nil
		return NewRegister(log).Claim(release, owner(2))
	}
	wantCode(t, NewRegister(log).Claim(release, owner(1)), 91)

	log = &memory{unread: errors.New("paused")}
	if err := NewRegister(log).Claim(release, owner(1)); !errors.Is(err, log.unread) {
		t.Fatal(err)
	}
	log.unread = nil
	wantCode(t, NewRegister(log).Claim(release, owner(2)), 91)
	if err := NewRegister(log).Claim(release, owner(1)); err != nil {
		t.Error(err)
	}
}

// TestRace: of owners who claim at once, and again, over a log that loses acknowledgements, one has a release at most;
// and one has it once all have been answered.
func TestRace(t *testing.T) {
	const owners, releases, tries = 4, 12, 2
	log := new(memory)
	lossy := lossy{log}
	var has [owners][releases]bool
	var group sync.WaitGroup
	for o := range owners {
		group.Go(func() {
			random := rand.New(rand.NewPCG(5, uint64(o)))
			for range tries {
				for _, i := range random.Perm(releases) {
					err := NewRegister(lossy).Claim(Release{"run", 1 + i, 1}, owner(o))
					var taken *Taken
					switch {
					case err == nil:
						has[o][i] = true
					case has[o][i] && errors.As(err, &taken):
						t.Errorf("owner %d lost release %d", o, i)
					}
				}
			}
		})
	}
	group.Wait()
	for i := range releases {
		n := 0
		for o := range owners {
			err := NewRegister(log).Claim(Release{"run", 1 + i, 1}, owner(o))
			if has[o][i] && err != nil {
				t.Errorf("release %d: %v", i, err)
			}
			if err == nil {
				n++
			}
		}
		if n != 1 {
			t.Errorf("release %d has %d owners", i, n)
		}
	}
}

// A lossy log tells of every third append that it failed, whatever became of it.
type lossy struct{ log *memory }

func (l lossy) Append(entry []byte) error {
	fate := rand.IntN(6)
	if fate == 0 {
		return errors.New("not appended")
	}
	if err := l.log.Append(entry); err != nil || fate > 1 {
		return err
	}
	return errors.New("timed out")
}

func (l lossy) Read(first int) ([][]byte, error) { return l.log.Read(first) }

// TestRegister: registers that are kept from claim to claim agree with one that reads all of the log, and read each
// entry once.
func TestRegister(t *testing.T) {
	log := new(memory)
	kept := []*Register{NewRegister(log), NewRegister(log)}
	owned := make(map[Release]int)
	for i := range 300 {
		r, o := Release{"run", 1 + rand.IntN(1+i/3), 1 + rand.IntN(2)}, rand.IntN(2)
		if _, claimed := owned[r]; !claimed {
			owned[r] = o
		}
		if err := kept[o].Claim(r, owner(o)); (err == nil) != (owned[r] == o) {
			t.Fatalf("claim %d of %v by %d: %v, first claimed by %d", i, r, o, err, owned[r])
		}
	}
	if log.read > 2*len(log.entries) {
		t.Errorf("%d entries were read %d times by two registers", len(log.entries), log.read)
	}
	want, err := NewRegister(log).Held("run")
	for i, g := range kept {
		if got, e := g.Held("run"); err != nil || e != nil || !slices.Equal(got, want) || len(got) != len(owned) {
			t.Errorf("register %d holds %d releases (%v), want %d (%v)", i, len(got), e, len(want), err)
		}
	}
}

// TestHeld: a run's releases are held by who claimed them first, in the order of the first claims. A log that cannot be
// read, or holds what is no claim, tells of none.
func TestHeld(t *testing.T) {
	log := new(memory)
	second := Release{"run", 4, 1}
	for _, c := range []struct {
		owner int
		of    Release
	}{{2, second}, {1, Release{"other", 1, 1}}, {1, second}, {1, release}, {1, release}} {
		_ = NewRegister(log).Claim(c.of, owner(c.owner)) // one of them comes late
	}
	held, err := NewRegister(log).Held("run")
	if want := []Held{{second, owner(2)}, {release, owner(1)}}; err != nil || !slices.Equal(held, want) {
		t.Errorf("held %v, error %v, want %v", held, err, want)
	}
	log.unread = errors.New("paused")
	if held, err := NewRegister(log).Held("run"); !errors.Is(err, log.unread) || held != nil {
		t.Errorf("an unread log: held %v, error %v", held, err)
	}
	log.unread, log.entries = nil, append(log.entries, []byte("MARKER"))
	held, err = NewRegister(log).Held("run")
	wantCode(t, err, 90)
	var damaged *Damaged
	if !errors.As(err, &damaged) || !errors.Is(err, damaged.Err) || held != nil ||
		!strings.Contains(err.Error(), "entry 6: ") {
		t.Errorf("held %v, error %v", held, err)
	}
}
