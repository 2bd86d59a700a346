package endtoend

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/crash"
	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// keep is how many stored releases the runs of these tests keep.
const keep = 2

// keeping returns a variant of so many rounds over a pipe, which keeps the stored releases of the last ones.
func keeping(t *testing.T, folder string, rounds int) *variant {
	t.Helper()
	v := &variant{name: "kept", mechanism: event.Gaussian, rounds: rounds}
	v.prepare(t, folder, rounds)
	input := len(v.args) - 1
	v.args = append(v.args[:input:input], "--keep-releases", fmt.Sprint(keep), v.args[input])
	return v
}

// kept returns how many files of stored releases there are, and the round of the oldest, 0 for none.
func (v *victim) kept() (files, oldest int, err error) {
	entries, err := os.ReadDir(v.path(releasesName + "/" + crashRun))
	if errors.Is(err, os.ErrNotExist) {
		return 0, 0, nil
	}
	for _, entry := range entries {
		if round, failed := strconv.Atoi(entry.Name()); failed == nil && oldest == 0 { // not .sum, nor .tmp
			oldest = round
		}
	}
	return len(entries), oldest, err
}

// TestKeepReleases releases 2,000 rounds over a pipe. At each moment there are files of few rounds, at the end of two.
func TestKeepReleases(t *testing.T) {
	const rounds = 2000
	v, err := newVictim(keeping(t, t.TempDir(), rounds), "privatize", memory(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(v.program, v.args...)
	command.Dir = v.folder
	var messages bytes.Buffer
	command.Stderr = &messages
	out, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var output []byte
	most, looks := 0, 0
	for piece := make([]byte, 4096); err != io.EOF; {
		var n int
		n, err = out.Read(piece)
		output = append(output, piece[:n]...)
		files, _, failed := v.kept()
		if failed != nil || err != nil && err != io.EOF {
			t.Fatal(failed, err)
		}
		most, looks = max(most, files), looks+1
	}
	if err := command.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, messages.String())
	}
	// A release and the digest of its sum, of the rounds that are kept and the one under way. A folder that changes may
	// show a few more.
	if limit := 4 * (keep + 1); most > limit || looks < 20 {
		t.Errorf("at some of %d moments there were %d files, want at most %d", looks, most, limit)
	}
	files, oldest, err := v.kept()
	if err != nil || files != 2*keep || oldest != rounds-keep+1 {
		t.Errorf("%d files from round %d on are kept, want two of each of the last %d rounds; %v", files, oldest, keep,
			err)
	}
	if err := v.exact(nil, output); err != nil {
		t.Error(err)
	}
}

// TestCrashKeep kills a run that keeps two releases at boundaries of its calls on the ledger, the stored releases and
// the output, and then replays its input from the oldest round that is kept on. What left before and after is one
// release of each round.
func TestCrashKeep(t *testing.T) {
	folder, removals := t.TempDir(), 0
	v := keeping(t, folder, testkit.Repeats(t, "kills", 8, 20))
	const stride = 17 // a round has some seventy boundaries, so the kills come at other places of each
	kills := 0
	for at, killed := 1, true; killed; at += stride {
		victim, err := newVictim(v, "privatize", memory(t), 0)
		if err != nil {
			t.Fatal(err)
		}
		victim.disk = nil
		b := &boundary{victim: victim, at: at}
		cut, end, err := victim.trace(func(s *crash.Stop) (bool, error) {
			if !s.After && s.Name == "unlinkat" && victim.place(&s.Call) == "stored release" {
				removals++
			}
			return b.visit(s)
		})
		if errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err)
		}
		if err == nil {
			err = victim.replay(cut)
		}
		if err != nil {
			t.Fatalf("killed at boundary %d, %s: %v", at, b.kind, err)
		}
		if killed = end.Killed; killed {
			kills++
		}
	}
	if kills < v.rounds || removals == 0 {
		t.Errorf("%d kills and %d removals, want at least %d and 1", kills, removals, v.rounds)
	}
	t.Logf("%d kills", kills)
}

// replay runs the victim on its input from the oldest stored round on, as sample --first-round makes it.
func (v *victim) replay(cut []byte) error {
	_, oldest, err := v.kept()
	if err != nil {
		return err
	}
	var records []*wire.Record
	in, err := stream.NewReader(bytes.NewReader(v.input), "input")
	if err != nil {
		return err
	}
	header, err := in.Header()
	if err != nil {
		return err
	}
	err = each(v.input, func(_ *stream.Reader, record *wire.Record) error {
		if int(record.Round) >= oldest {
			records = append(records, record)
		}
		return nil
	})
	if err != nil {
		return err
	}
	rest, _ := script.Stream(header, records...)
	if err := os.WriteFile(v.path("rest.pp"), rest, 0o600); err != nil {
		return err
	}
	command := exec.Command(v.program, append(v.args[:len(v.args)-1:len(v.args)-1], v.path("rest.pp"))...)
	command.Dir = v.folder
	var messages bytes.Buffer
	command.Stderr = &messages
	output, err := command.Output()
	if err != nil {
		return fmt.Errorf("the replay from round %d: %w, %s", oldest, err, messages.String())
	}
	files, oldest, err := v.kept()
	if err != nil {
		return err
	}
	if files != 2*keep || oldest != v.rounds-keep+1 {
		return fmt.Errorf("%d files from round %d on are kept, want two of each of the last %d rounds", files, oldest,
			keep)
	}
	return v.exact(cut, output)
}

// exact checks that each round is charged once. Each round left in one of the outputs, and each whole release is the
// charged one. The output cut may end within a release.
func (v *victim) exact(cut, whole []byte) error {
	ledger, err := v.ledger()
	if err != nil {
		return err
	}
	hashes, err := charged(ledger)
	if err != nil {
		return err
	}
	after, err := v.decode(whole)
	if err != nil {
		return err
	}
	before := make(map[int]release)
	if len(cut) > 0 {
		if before, err = v.decode(cut); err != nil && len(before) > 0 {
			last := 0
			for round := range before {
				last = max(last, round)
			}
			delete(before, last) // it may be cut
		}
	}
	if len(hashes) != v.rounds {
		return fmt.Errorf("%d rounds are charged, want %d", len(hashes), v.rounds)
	}
	for round := 1; round <= v.rounds; round++ {
		a, sentAfter := after[round]
		b, sentBefore := before[round]
		switch {
		case !sentAfter && !sentBefore:
			return fmt.Errorf("round %d never left", round)
		case sentAfter && a.hash != hashes[round], sentBefore && b.hash != hashes[round]:
			return fmt.Errorf("of round %d another release left than was charged", round)
		}
	}
	return nil
}
