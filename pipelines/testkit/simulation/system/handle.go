package system

import (
	"fmt"
	"io"
	"io/fs"
	"slices"
	"syscall"
	"time"

	"privpipe/pipelines/testkit/durable"
	"privpipe/pipelines/testkit/simulation/effect"
)

var (
	reading = []effect.Fault{IO}
	writing = []effect.Fault{IO, NoSpace}
)

// null is the device that takes everything.
const null = "/dev/null"

// A Handle is an open file or an end of a pipe. A descriptor refers to it.
type Handle struct {
	Name       string // as the file was opened
	Path       string // absolute, or a pipe's name
	Descriptor uintptr

	machine *Machine
	process *effect.Process
	file    *durable.File // nil: the null device, or a pipe without a name
	pipe    *Pipe
	flags   int
	offset  int64
	lock    int // see Lock
	closed  bool
}

func (m *Machine) handle(name, path string, f *durable.File, flags int) *Handle {
	h := &Handle{Name: name, Path: path, machine: m, file: f, flags: flags}
	if f != nil {
		h.pipe = attributesOf(f).pipe
	}
	return h
}

// hold gives a handle a descriptor of the calling process.
func (c *call) hold(h *Handle) { c.Give(c.process, h) }

// Give gives a process an open handle.
func (m *Machine) Give(p *effect.Process, h *Handle) {
	h.process, h.Descriptor = p, m.next
	m.next++
	m.open[h.Descriptor] = h
	if h.pipe != nil && h.writes() {
		h.pipe.writers, h.pipe.begun = h.pipe.writers+1, true
	} else if h.pipe != nil {
		h.pipe.readers++
	}
}

func (h *Handle) writes() bool { return h.flags&syscall.O_ACCMODE != syscall.O_RDONLY }

// release closes the handle.
func (h *Handle) release() {
	if h.closed {
		return
	}
	h.closed = true
	delete(h.machine.open, h.Descriptor)
	if h.pipe != nil && h.writes() {
		h.pipe.writers--
	} else if h.pipe != nil {
		h.pipe.readers--
	}
	if h.pipe != nil && h.pipe.readers == 0 && h.pipe.writers == 0 {
		h.pipe.bytes, h.pipe.begun = nil, false
	}
}

// act performs an effect on the open file. An error becomes a *fs.PathError.
func (h *Handle) act(e effect.Effect, do func(*call) error) error {
	e.Object = h.Path
	err := act(e, func(c *call) error {
		if h.closed {
			return fs.ErrClosed
		}
		return do(c)
	})
	if err != nil && err != io.EOF {
		return &fs.PathError{Op: e.Kind, Path: h.Name, Err: err}
	}
	return err
}

// Close closes the file.
func (h *Handle) Close() error {
	return h.act(effect.Effect{Kind: "close"}, func(*call) error { h.release(); return nil })
}

// Read reads at the offset, or from the pipe when it has bytes or no writers.
func (h *Handle) Read(b []byte) (n int, err error) {
	if len(b) == 0 {
		return 0, nil
	}
	e := effect.Effect{Kind: "read", Faults: reading}
	if h.pipe != nil {
		e.Faults, e.Ready = []effect.Fault{Short}, func() bool { return h.closed || h.pipe.readable() }
	}
	err = h.act(e, func(c *call) error {
		if h.pipe != nil {
			n = h.pipe.take(b, c)
		} else if h.file != nil && h.offset < int64(len(h.file.Content)) {
			n = copy(b, h.file.Content[h.offset:])
			h.offset += int64(n)
		}
		if n == 0 {
			return io.EOF
		}
		return nil
	})
	return n, err
}

// ReadNow reads from a pipe without waiting: EAGAIN if it has no bytes and a writer.
func (h *Handle) ReadNow(b []byte) (n int, err error) {
	err = h.act(effect.Effect{Kind: "read now"}, func(c *call) error {
		if h.pipe != nil && !h.pipe.readable() {
			return syscall.EAGAIN
		}
		n = h.pipe.take(b, c)
		return nil
	})
	return n, err
}

// ReadAt reads at an offset.
func (h *Handle) ReadAt(b []byte, at int64) (n int, err error) {
	err = h.act(effect.Effect{Kind: "pread", Faults: reading}, func(*call) error {
		if at < int64(len(h.file.Content)) {
			n = copy(b, h.file.Content[at:])
		}
		if n < len(b) {
			return io.EOF
		}
		return nil
	})
	return n, err
}

// WriteAt writes at an offset of a file.
func (h *Handle) WriteAt(b []byte, at int64) (int, error) {
	e := effect.Effect{Kind: "pwrite", Content: slices.Clone(b), Faults: []effect.Fault{IO, NoSpace}}
	err := h.act(e, func(c *call) error {
		if c.fault != effect.None {
			return map[effect.Fault]error{IO: syscall.EIO, NoSpace: syscall.ENOSPC}[c.fault]
		}
		was := h.offset
		h.offset = at
		h.change(b)
		h.offset = was
		return nil
	})
	if err != nil {
		return 0, err
	}
	return len(b), nil
}

// Write writes all bytes, in as many effects as a pipe needs.
func (h *Handle) Write(b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		part := 0
		part, err = h.write(b[n:])
		n += part
	}
	return n, err
}

func (h *Handle) write(b []byte) (n int, err error) {
	e := effect.Effect{Kind: "write", Content: slices.Clone(b)}
	e.Faults = []effect.Fault{IO, NoSpace, effect.KillWithin}
	if h.pipe != nil {
		e.Faults = []effect.Fault{Short, effect.KillWithin}
		e.Ready = func() bool { return h.closed || h.pipe.writable() }
	}
	err = h.act(e, func(c *call) error {
		n = len(b)
		if c.fault != effect.None {
			n = c.Scheduler.Random.IntN(n)
		}
		switch {
		case h.pipe != nil:
			if h.pipe.readers == 0 {
				n = 0
				return syscall.EPIPE
			}
			if c.fault == Short {
				n++
			}
			n = h.pipe.put(b[:n])
		case h.file != nil:
			h.change(b[:n])
		}
		if c.Wrote != nil && n > 0 {
			c.Wrote(c.process, h, b[:n])
		}
		return map[effect.Fault]error{IO: syscall.EIO, NoSpace: syscall.ENOSPC}[c.fault]
	})
	return n, err
}

// change writes bytes at the offset.
func (h *Handle) change(b []byte) {
	f := h.file
	if h.flags&syscall.O_APPEND != 0 {
		h.offset = int64(len(f.Content))
	}
	content := slices.Clone(f.Content)
	if gap := int(h.offset) - len(content); gap > 0 {
		content = append(content, make([]byte, gap)...)
	}
	rest := content[min(int(h.offset)+len(b), len(content)):]
	content = slices.Concat(content[:h.offset], b, rest)
	f.Content, h.offset = content, h.offset+int64(len(b))
	attributesOf(f).changed = time.Now()
	f.Touch()
}

// Seek sets the offset. It acts on nothing outside the process.
func (h *Handle) Seek(offset int64, whence int) (int64, error) {
	err := h.act(effect.Effect{Kind: "seek"}, func(*call) error {
		if h.pipe != nil {
			return syscall.ESPIPE
		}
		switch whence {
		case io.SeekCurrent:
			offset += h.offset
		case io.SeekEnd:
			offset += int64(len(h.file.Content))
		}
		h.offset = offset
		return nil
	})
	return offset, err
}

// Truncate makes the file shorter.
func (h *Handle) Truncate(size int64) error {
	return h.act(effect.Effect{Kind: "truncate", Faults: reading}, func(*call) error {
		if size > int64(len(h.file.Content)) {
			return fmt.Errorf("simulation: no longer: %w", syscall.EINVAL)
		}
		h.file.Content = h.file.Content[:size:size]
		h.file.Touch()
		return nil
	})
}

// Sync makes the content durable, or a folder's names. After an error they are not: another try may make them so.
func (h *Handle) Sync() error {
	return h.act(effect.Effect{Kind: "fsync", Faults: writing}, func(c *call) error {
		switch {
		case h.file == nil:
		case h.file.Folder:
			c.Files.SyncFolder(h.Path)
		default:
			h.file.Sync(h.file.Content)
		}
		return nil
	})
}

// Stat describes the open file.
func (h *Handle) Stat() (i fs.FileInfo, err error) {
	err = h.act(effect.Effect{Kind: "fstat"}, func(*call) error {
		if i = describe(h.Name, h.file); h.pipe != nil {
			i = &info{h.Name, h.pipe, 0, attributes{mode: fs.ModeNamedPipe | 0o600}}
		}
		return nil
	})
	return i, err
}

// Chmod sets the mode.
func (h *Handle) Chmod(mode fs.FileMode) error {
	return h.act(effect.Effect{Kind: "chmod"}, func(*call) error { attributesOf(h.file).mode = mode; return nil })
}

// Of returns the handle behind one of the current process's descriptors, or nil.
func Of(descriptor uintptr) *Handle {
	p := effect.Current()
	if p == nil {
		return nil
	}
	if h := of(p).open[descriptor]; h != nil && h.process == p {
		return h
	}
	return nil
}

// Lock locks the file for this handle, unless another handle has a lock that it cannot share: flock(2) with LOCK_NB.
func (h *Handle) Lock(shared bool) error {
	return h.act(effect.Effect{Kind: "flock"}, func(c *call) error {
		for _, other := range c.open {
			if other.file == h.file && other != h && other.lock != 0 &&
				(other.lock == exclusive || !shared) {
				return syscall.EWOULDBLOCK
			}
		}
		h.lock = exclusive
		if shared {
			h.lock = sharing
		}
		return nil
	})
}

// The kinds of locks.
const (
	sharing = iota + 1
	exclusive
)

// Flags returns the flags that the file was opened with.
func (h *Handle) Flags() int { return h.flags }
