package endtoend

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit/crash"
)

// toFile returns a variant of one round whose output is a file.
func toFile(t *testing.T) *variant {
	t.Helper()
	for _, v := range variants(t) {
		if v.rounds == 1 && v.file {
			return v
		}
	}
	t.Fatal("no such variant")
	return nil
}

// TestTwoAtOnce starts a second privatizer at each boundary of a first one, which stands still meanwhile. From the lock
// of the ledger to its close the second is refused, with exit code 91, and changes nothing. Where the first has no lock
// yet, the second runs to its end, and the first then sends what that one released.
func TestTwoAtOnce(t *testing.T) {
	v, locked, tried := toFile(t), false, 0
	victim, err := newVictim(v, "privatize", memory(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = victim.trace(func(s *crash.Stop) (bool, error) {
		switch {
		case s.Name == "flock" && s.After && s.Result == 0:
			locked = true
		case s.Name == "close" && s.After && s.Path == victim.path(ledgerName):
			locked = false // all is done
		}
		if !locked || !s.Below(victim.folder) {
			return false, nil
		}
		tried++
		return false, refused(victim)
	})
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if tried == 0 || locked {
		t.Errorf("tried at %d boundaries; locked at the end: %t", tried, locked)
	}
	t.Logf("a second privatizer was refused at %d boundaries", tried)
	overtake(t, v)
}

// refused runs a second privatizer, which must be refused and change nothing.
func refused(v *victim) error {
	before, err := os.ReadFile(v.path(ledgerName))
	if err != nil {
		return err
	}
	output, code, err := second(v)
	if err != nil {
		return err
	}
	after, err := os.ReadFile(v.path(ledgerName))
	if err == nil && (code != exit.Locked || len(output) > 0 || !bytes.Equal(before, after)) {
		err = fmt.Errorf("a second privatizer ended with exit code %d, want %d and nothing done", code, exit.Locked)
	}
	return err
}

// second runs a privatizer that nobody kills, in the folder of a victim.
func second(v *victim) (output []byte, code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), runDeadline)
	defer cancel()
	command := exec.CommandContext(ctx, v.program, v.args...)
	command.Dir = v.folder
	output, err = command.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) && failed.Exited() {
		err = nil
	}
	return output, command.ProcessState.ExitCode(), err
}

// overtake lets a second privatizer come first, at each boundary before the lock.
func overtake(t *testing.T, v *variant) {
	t.Helper()
	for at, done := 1, false; !done; at++ {
		victim, err := newVictim(v, "privatize", memory(t), 0)
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		_, _, err = victim.trace(func(s *crash.Stop) (bool, error) {
			if !s.Below(victim.folder) {
				return false, nil
			}
			count++
			if count != at {
				return false, nil
			}
			if done = s.Name == "flock" && s.After; done {
				return false, nil
			}
			_, code, err := second(victim)
			if err == nil && code != 0 {
				err = fmt.Errorf("exit code %d of the second", code)
			}
			if err == nil {
				err = victim.sight("after the second")
			}
			return false, err
		})
		if err == nil {
			err = victim.sight("after the first")
		}
		if err == nil {
			err = victim.judge()
		}
		if err != nil {
			t.Fatalf("boundary %d: %v", at, err)
		}
	}
}

// TestStopped stops a privatizer with SIGSTOP while it waits for the end of its input: at first in a run that releases,
// then in one that sends again what was released. It keeps its lock, and goes on later.
func TestStopped(t *testing.T) {
	v := variants(t)[0]
	victim, err := newVictim(v, "privatize", memory(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	var before []byte
	for _, when := range []string{"releasing", "sending again"} {
		output := stopped(t, victim)
		if err := victim.look([][]byte{output}, when); err != nil {
			t.Fatal(err)
		}
		if before != nil && !bytes.Equal(before, output) {
			t.Errorf("%s: another output", when)
		}
		before = output
	}
	if err := victim.judge(); err != nil {
		t.Error(err)
	}
}

// stopped runs a privatizer that is stopped for a while, and returns its output.
func stopped(t *testing.T, v *victim) (output []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), runDeadline)
	defer cancel()
	command := exec.CommandContext(ctx, v.program, v.args[:len(v.args)-1]...) // from standard input
	command.Dir, command.WaitDelay = v.folder, time.Second
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 1)
	if _, err = in.Write(v.input[:v.end]); err == nil {
		_, err = io.ReadFull(out, first) // it holds the ledger
	}
	for whole := 0; err == nil && whole < v.rounds; time.Sleep(time.Millisecond) {
		var ledger *event.Ledger
		if ledger, err = v.ledger(); err == nil {
			whole = len(ledger.Charges())
			err = ctx.Err()
		}
	}
	if err == nil {
		err = command.Process.Signal(syscall.SIGSTOP)
	}
	if err == nil {
		err = refused(v)
	}
	if err == nil {
		err = command.Process.Signal(syscall.SIGCONT)
	}
	if err == nil {
		_, err = in.Write(v.input[v.end:])
	}
	if err == nil {
		err = in.Close()
	}
	if err != nil {
		command.Process.Kill()
	}
	rest, readErr := io.ReadAll(out)
	if err = errors.Join(err, readErr, command.Wait()); err != nil {
		t.Fatal(err)
	}
	return append(first, rest...)
}
