package endtoend

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
)

// TestCrashRespend releases a round, and then again from other contributions, with leave. The second run is killed at
// each boundary of its calls on files, and run again. Whatever the boundary, the round has two charges in the end, and
// what had left the second run before its kill was charged, and is of the second release. The gate tries each third
// boundary.
func TestCrashRespend(t *testing.T) {
	folder := t.TempDir()
	before := &variant{name: "before", mechanism: event.Gaussian, rounds: 1}
	respent := &variant{name: "respent", mechanism: event.Gaussian, rounds: 1, other: true, leave: true}
	before.prepare(t, folder, 0)
	respent.prepare(t, folder, 1)
	at, step := 1, testkit.Repeats(t, "kills", 3, 1)
	for killed := true; killed; at += step {
		v, err := newVictim(before, "privatize", memory(t), 0)
		if err == nil {
			_, _, err = second(v)
		}
		if err == nil {
			v.variant, v.disk = respent, nil
			killed, err = v.respend(at)
		}
		if errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatalf("boundary %d: %v", at, err)
		}
	}
	t.Logf("%d kills", (at-1)/step-1)
}

// respend kills a run that releases a round again, runs it again, and checks both.
func (v *victim) respend(at int) (killed bool, err error) {
	b := &boundary{victim: v, at: at}
	cut, end, err := v.trace(b.visit)
	if err != nil {
		return false, err
	}
	then, err := v.ledger()
	if err != nil {
		return false, err
	}
	whole, code, err := second(v)
	if err != nil || code != 0 {
		return false, fmt.Errorf("%s, the rerun ended with exit code %d: %w", b.kind, code, err)
	}
	ledger, err := v.ledger()
	if err != nil {
		return false, err
	}
	releases, err := v.decode(whole)
	if err != nil {
		return false, err
	}
	charges := ledger.Charges()
	if len(charges) != 2 || charges[0].Attempt != 0 || charges[1].Attempt != 2 ||
		charges[1].Release != releases[1].hash {
		return false, fmt.Errorf("%s: %d charges, want one of each release", b.kind, len(charges))
	}
	if !bytes.HasPrefix(whole, cut) || len(cut) > 0 && len(then.Charges()) != 2 {
		return false, fmt.Errorf("%s: what had left was not charged, or is of another release", b.kind)
	}
	return end.Killed, nil
}
