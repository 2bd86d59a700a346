package system

import (
	"syscall"

	"privpipe/pipelines/testkit/simulation/effect"
)

// A Pipe holds the bytes between its writers and its readers.
type Pipe struct {
	Name     string
	Capacity int

	bytes            []byte
	readers, writers int
	begun            bool // a writer came
}

// NewPipe returns a pipe with a capacity in bytes.
func NewPipe(name string, capacity int) *Pipe { return &Pipe{Name: name, Capacity: capacity} }

// Reader returns a handle that reads the pipe under a name.
func (m *Machine) Reader(p *Pipe, name string) *Handle {
	return &Handle{Name: name, Path: p.Name, machine: m, pipe: p, flags: syscall.O_RDONLY}
}

// Writer returns a handle that writes to the pipe under a name.
func (m *Machine) Writer(p *Pipe, name string) *Handle {
	return &Handle{Name: name, Path: p.Name, machine: m, pipe: p, flags: syscall.O_WRONLY}
}

func (p *Pipe) readable() bool { return len(p.bytes) > 0 || p.writers == 0 }

func (p *Pipe) writable() bool { return len(p.bytes) < p.Capacity || p.readers == 0 }

// take moves bytes out of the pipe.
func (p *Pipe) take(b []byte, c *call) int {
	if c.fault == Short && len(b) > 1 && len(p.bytes) > 1 {
		b = b[:1+c.Scheduler.Random.IntN(min(len(b), len(p.bytes))-1)]
	}
	n := copy(b, p.bytes)
	p.bytes = p.bytes[n:]
	return n
}

// put moves as many bytes into the pipe as it can take.
func (p *Pipe) put(b []byte) int {
	n := min(len(b), p.Capacity-len(p.bytes))
	p.bytes = append(p.bytes, b[:n]...)
	return n
}

// Events are the events of poll(2): there is something to read, an end without partner, an error.
type Events struct{ In, HangUp, Err bool }

// Poll returns the events at a pipe.
func (h *Handle) Poll() (e Events, err error) {
	err = h.act(effect.Effect{Kind: "poll"}, func(*call) error {
		switch {
		case h.pipe == nil:
			e.In = true
		case h.writes():
			e.Err = h.pipe.readers == 0
		default:
			e.In, e.HangUp = len(h.pipe.bytes) > 0, h.pipe.writers == 0 && h.pipe.begun
		}
		return nil
	})
	return e, err
}

// Null returns a handle of the null device under a name.
func (m *Machine) Null(name string) *Handle {
	return &Handle{Name: name, Path: null, machine: m, flags: syscall.O_WRONLY}
}
