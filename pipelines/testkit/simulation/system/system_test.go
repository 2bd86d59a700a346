package system

import (
	"bytes"
	"errors"
	"io"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"privpipe/pipelines/testkit/simulation/effect"
)

// run runs programs on one machine, as processes with the names a, b and so on, with planned faults.
func run(t *testing.T, plan []effect.Planned, setup func(*Machine), programs ...func(*Machine) error) (m *Machine) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := effect.New(1, plan)
		m = New(s)
		if setup != nil {
			setup(m)
		}
		var all []*effect.Process
		for i, program := range programs {
			p := s.Start(string(rune('a'+i)), 1, func(*effect.Process) {
				if err := program(m); err != nil && !errors.Is(err, effect.ErrEnded) {
					t.Error(err)
				}
			})
			m.Boot(p)
			all = append(all, p)
		}
		err := s.Run(func() bool {
			for _, p := range all {
				if !p.Ended() {
					return false
				}
			}
			return true
		})
		if err != nil {
			t.Error(err)
		}
		s.Close()
	})
	return m
}

// write writes a new file, and syncs it and its name if asked.
func write(path, text string, durable bool) func(*Machine) error {
	return func(*Machine) error {
		h, err := Open(path, syscall.O_WRONLY|syscall.O_CREAT, 0o600)
		if err != nil {
			return err
		}
		if _, err := h.Write([]byte(text)); err != nil || !durable {
			return err
		}
		folder, err := Open("/", syscall.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(h.Sync(), folder.Sync())
	}
}

// TestPowerCut: synced bytes stay, with their name.
func TestPowerCut(t *testing.T) {
	for durable, want := range map[bool]string{true: "text", false: ""} {
		m := run(t, nil, nil, write("/file", "text", durable))
		if got := string(m.Files.Durable("/file")); got != want {
			t.Errorf("synced %v: a power cut leaves %q", durable, got)
		}
	}
}

// TestTornWrite: a process that is killed within a write has written a part of it, and lost its lock.
func TestTornWrite(t *testing.T) {
	text := string(bytes.Repeat([]byte("x"), 1000))
	locked := func(*Machine) error {
		h, err := Open("/file", syscall.O_RDWR|syscall.O_CREAT, 0o600)
		if err == nil {
			err = h.Lock(false)
		}
		if err == nil {
			_, err = h.Write([]byte(text))
		}
		return err
	}
	m := run(t, []effect.Planned{{Process: "a", Effect: 1, Fault: effect.KillWithin}}, nil, locked)
	if n := len(m.Files.At("/file").Content); n == len(text) {
		t.Errorf("%d bytes were written", n)
	}
	for _, h := range m.open {
		t.Errorf("%s is still open", h.Name)
	}
}

// TestFailingDisk: a write that fails says so, and may have written a part.
func TestFailingDisk(t *testing.T) {
	for fault, want := range map[effect.Fault]error{NoSpace: syscall.ENOSPC, IO: syscall.EIO} {
		var got error
		run(t, []effect.Planned{{Process: "a", Effect: 2, Fault: fault}}, nil, func(m *Machine) error {
			got = write("/file", "text", false)(m)
			return nil
		})
		if !errors.Is(got, want) {
			t.Errorf("%s: %v", fault, got)
		}
	}
}

// TestLock: two handles do not have one lock, unless they share it.
func TestLock(t *testing.T) {
	run(t, nil, nil, func(*Machine) error {
		one, err := Open("/file", syscall.O_RDWR|syscall.O_CREAT, 0o600)
		if err != nil {
			return err
		}
		other, err := Open("/file", syscall.O_RDWR, 0)
		if err != nil {
			return err
		}
		if err := errors.Join(one.Lock(true), other.Lock(true)); err != nil {
			return err
		}
		if err := one.Lock(false); !errors.Is(err, syscall.EWOULDBLOCK) {
			t.Errorf("an exclusive lock beside another: %v", err)
		}
		return errors.Join(other.Close(), one.Lock(false))
	})
}

// TestPipe: a narrow pipe loses nothing, ends with its writer, and has no use without its reader.
func TestPipe(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789"), 100)
	for _, reads := range []bool{true, false} {
		pipe := NewPipe("pipe", 7)
		var in, out *Handle
		var got []byte
		var failed error
		plan := []effect.Planned{{Process: "a", Effect: 3, Fault: Short}, {Process: "b", Effect: 5, Fault: Short}}
		run(t, plan,
			func(m *Machine) { in, out = m.Reader(pipe, "in"), m.Writer(pipe, "out") },
			func(m *Machine) error {
				p := effect.Current()
				err := act(effect.Effect{Kind: "begin"}, func(*call) error { m.Give(p, out); return nil })
				if err != nil {
					return err
				}
				time.Sleep(time.Second) // lets the other begin
				_, failed = out.Write(text)
				return out.Close()
			},
			func(m *Machine) (err error) {
				p := effect.Current()
				err = act(effect.Effect{Kind: "begin"}, func(*call) error { m.Give(p, in); return nil })
				if err == nil && reads {
					got, err = io.ReadAll(in)
				}
				return errors.Join(err, in.Close())
			})
		if reads && (!bytes.Equal(got, text) || failed != nil) {
			t.Errorf("%d of %d bytes came, %v", len(got), len(text), failed)
		}
		if !reads && !errors.Is(failed, syscall.EPIPE) {
			t.Errorf("a write without a reader: %v", failed)
		}
	}
}
