package local

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wide are terms under which a report has 128 kB, more than any buffer on its way.
func wide() Terms { return over(newTerms(), 1<<20) }

// TestName: reports are named by the line of their charge, and keep their name when they are sent again.
func TestName(t *testing.T) {
	ledger := newLedger(t)
	var names []string
	for range 2 {
		r, err := Open(ledger, newTerms())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Respond(feed(two, io.EOF)); err != nil {
			t.Fatal(err)
		}
		name, err := r.Name()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
		r.Close()
		if name, err := r.Name(); name != "" || err == nil {
			t.Errorf("reports of a closed ledger are named %q", name)
		}
	}
	lines := strings.Split(strings.TrimSpace(string(read(t, ledger))), "\n")
	_, hash, _ := strings.Cut(lines[len(lines)-1], `"hash":"`)
	if want := hash[:16]; names[0] != want || names[1] != want {
		t.Errorf("names %q, want the beginning of the last line's hash, %q", names, want)
	}
}

// TestResume: reports that the output holds and the ledger does not know are not drawn again.
func TestResume(t *testing.T) {
	ledger := newLedger(t)
	r, err := Open(ledger, newTerms())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Resume(false); err != nil {
		t.Errorf("an output without reports: %v", err)
	}
	refused(t, r.Resume(true), 90, "the output holds reports of round 1 of run run")
	r.Close()
	responded(t, ledger, newTerms(), two)
	if r, err = Open(ledger, newTerms()); err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, sent := range []bool{false, true} {
		if err := r.Resume(sent); err != nil {
			t.Errorf("charged reports, sent %v: %v", sent, err)
		}
	}
}

// TestFullDisk: reports that do not fit the disk are neither kept nor charged.
func TestFullDisk(t *testing.T) {
	ledger := newLedger(t)
	spool := stored(ledger) + ".tmp"
	if err := errors.Join(os.MkdirAll(filepath.Dir(spool), 0o700), os.Symlink("/dev/full", spool)); err != nil {
		t.Fatal(err)
	}
	reports, _, err := respond(ledger, wide(), two)
	if err == nil || !strings.Contains(err.Error(), "no space left") || reports != nil {
		t.Errorf("%d reports, error %v", len(reports), err)
	}
	if n := len(charges(t, ledger)); n != 0 {
		t.Errorf("%d charges", n)
	}
	if left, err := filepath.Glob(stored(ledger) + "*"); err != nil || left != nil {
		t.Errorf("left %v", left)
	}
}

// TestReportsThatChange: stored reports that change while they are sent are refused at their end at the latest, and
// nothing says that all of them were given.
func TestReportsThatChange(t *testing.T) {
	const size = 1 << 17
	overwrite := func(at int64) func(stored string) error {
		return func(stored string) error {
			file, err := os.OpenFile(stored, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = file.WriteAt(make([]byte, size/2), at)
			return errors.Join(err, file.Close())
		}
	}
	for name, c := range map[string]struct {
		spoil func(stored string) error
		given int
	}{
		"shorter": {func(stored string) error { return os.Truncate(stored, 2*size) }, 2},
		"cut":     {func(stored string) error { return os.Truncate(stored, 2*size+9) }, 2},
		"longer":  {overwrite(3 * size), 3},
		"other":   {overwrite(2*size + size/2), 3},
	} {
		t.Run(name, func(t *testing.T) {
			ledger := newLedger(t)
			r, err := Open(ledger, wide())
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if _, err := r.Respond(feed(append(two[:2:2], document("c", 7)), io.EOF)); err != nil {
				t.Fatal(err)
			}
			given := 0
			err = r.Reports(func([]uint32) error {
				if given++; given == 1 {
					return c.spoil(stored(ledger))
				}
				return nil
			})
			refused(t, err, 83, "not the one that was charged")
			if given != c.given {
				t.Errorf("%d reports were given, want %d", given, c.given)
			}
		})
	}
}
