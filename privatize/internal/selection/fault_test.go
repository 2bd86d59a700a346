package selection

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/privatize/internal/fixed"
	"privpipe/privatize/internal/noise"
)

// huge is noise that is as large as 64 bits allow.
type huge struct{}

func (huge) Next() int64         { return math.MaxInt64 }
func (huge) Twin() noise.Sampler { return huge{} }

// nothing checks that a release failed and left nothing: no content, no charge, no stored file.
func nothing(t *testing.T, ledger string, content []byte) {
	t.Helper()
	if content != nil {
		t.Errorf("released %q", content)
	}
	if n := len(charges(t, ledger)); n != 0 {
		t.Errorf("%d charges", n)
	}
	if left, err := filepath.Glob(ledger + ".releases/run/*"); err != nil || left != nil {
		t.Errorf("stored %v", left)
	}
}

// TestOverflow: weights that wrap around would let rare words out. Votes or noise beyond 64 bits end the release. It
// takes 2^43 units, so the test begins near the end.
func TestOverflow(t *testing.T) {
	for _, unit := range []string{event.Document, event.User} {
		ledger := newLedger(t)
		s := open(t, ledger, newTerms(func(g *event.Grant) { g.Unit = unit }))
		add(t, s, some...)
		s.votes.sum.Cells[s.votes.numbers["pear"]] = math.MaxInt64 - 1
		err := s.Add("4", "zoe", []string{"pear"})
		content, _, released := s.Release(encode)
		// Users vote when all of their documents are there.
		if unit == event.Document && !errors.Is(err, fixed.ErrOverflow) || !errors.Is(released, fixed.ErrOverflow) {
			t.Errorf("unit %s: errors %v and %v", unit, err, released)
		}
		nothing(t, ledger, content)
	}
	ledger := newLedger(t)
	s := open(t, ledger, newTerms())
	s.noise = huge{}
	add(t, s, some...)
	content, _, err := s.Release(encode)
	if !errors.Is(err, fixed.ErrOverflow) {
		t.Errorf("noise: error %v", err)
	}
	nothing(t, ledger, content)
}

// TestFullDisk: a vocabulary that does not fit the disk is neither kept nor charged.
func TestFullDisk(t *testing.T) {
	ledger := newLedger(t)
	spool := ledger + ".releases/run/000000001.tmp"
	if err := errors.Join(os.MkdirAll(filepath.Dir(spool), 0o700), os.Symlink("/dev/full", spool)); err != nil {
		t.Fatal(err)
	}
	s := open(t, ledger, newTerms(func(g *event.Grant) { g.Threshold = 0.65 }))
	add(t, s, some...)
	content, _, err := s.Release(encode)
	if err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("error %v", err)
	}
	nothing(t, ledger, content)
}
