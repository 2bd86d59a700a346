// Package system simulates one machine: its files, its pipes, and the descriptors of its processes. Everything is in
// memory, and each act is an effect: see package effect. Packages os, syscall, unix and filepath beside this one have
// the names under which the stages know it.
package system

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"

	"privpipe/pipelines/testkit/durable"
	"privpipe/pipelines/testkit/simulation/effect"
)

// The faults of files and pipes.
const (
	NoSpace effect.Fault = "no space"     // ENOSPC, after a part of a write
	IO      effect.Fault = "input/output" // EIO, after a part of a write
	Short   effect.Fault = "short"        // a pipe takes or gives a part
)

// A Machine has files and pipes, and runs processes.
type Machine struct {
	Scheduler *effect.Scheduler
	Files     *durable.Model
	// Wrote is called after bytes were written to a file or a pipe, unless it is nil.
	Wrote func(p *effect.Process, h *Handle, b []byte)

	open map[uintptr]*Handle
	next uintptr // the next descriptor
}

// firstDescriptor is beyond the descriptors of this process: no system call can reach a file by a simulated one.
const firstDescriptor = 1 << 20

// New returns a machine with an empty disk. A power cut of the scheduler strikes the machine.
func New(s *effect.Scheduler) *Machine {
	m := &Machine{Scheduler: s, Files: durable.New("/")}
	m.forget()
	s.Cut = m.cut
	return m
}

func (m *Machine) forget() {
	m.open, m.next = make(map[uintptr]*Handle), firstDescriptor
}

// cut brings the disk to its state after a power cut.
func (m *Machine) cut() {
	after, err := m.Files.Cut(m.Scheduler.Random, func(_ string, f *durable.File) ([]byte, error) {
		return f.Content, nil
	})
	if err != nil {
		panic(err) // content returns none
	}
	m.Files = after
	m.forget()
}

// machineKey is the key of the process's machine.
type machineKey struct{}

// Boot lets a process run on the machine, before its first effect.
func (m *Machine) Boot(p *effect.Process) {
	p.Local(machineKey{}, func() any { return m })
	p.AtEnd(func() {
		for _, h := range m.open {
			if h.process == p {
				h.release()
			}
		}
	})
}

// of returns the machine of a process.
func of(p *effect.Process) *Machine {
	m, ok := p.Local(machineKey{}, func() any { return nil }).(*Machine)
	if !ok {
		panic("simulation: the process " + p.Name + " has no machine")
	}
	return m
}

// A call is an effect that is being performed.
type call struct {
	*Machine
	process *effect.Process
	fault   effect.Fault
}

// act performs an effect of the current process on its machine.
func act(e effect.Effect, do func(*call) error) (err error) {
	p := effect.Current()
	if p == nil {
		return fs.ErrInvalid
	}
	m := of(p)
	e.Do = func(fault effect.Fault) {
		switch {
		case fault == IO && e.Content == nil:
			err = syscall.EIO
		case fault == NoSpace && e.Content == nil:
			err = syscall.ENOSPC
		default:
			err = do(&call{m, p, fault})
		}
	}
	if ended := p.Perform(&e); ended != nil {
		return ended
	}
	return err
}

// named performs an effect on a name. An error becomes a *fs.PathError.
func named(kind, path string, do func(c *call, path string) error, faults ...effect.Fault) error {
	absolute := filepath.Join("/", path)
	err := act(effect.Effect{Kind: kind, Object: absolute, Faults: faults},
		func(c *call) error { return do(c, absolute) })
	if err != nil {
		return &fs.PathError{Op: kind, Path: path, Err: err}
	}
	return nil
}

// Errno returns the system's error without the name of the file, as a system call does.
func Errno(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	return err
}
