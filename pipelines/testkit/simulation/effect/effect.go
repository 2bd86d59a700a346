// Package effect lets a scheduler decide, by a seed, the order of all that the processes of a simulation do.
//
// All processes are goroutines in one bubble of testing/synctest. An Effect is one act on the world: a write to a file,
// a read from a pipe, a request to a broker. The process that wants it calls Perform. The call returns when it is done.
// The scheduler waits until every goroutine in the bubble is blocked. Then it picks one effect that is ready, and
// performs it, perhaps with a fault. Nothing else touches the world, so the world needs no locks.
package effect

import (
	"context"
	"errors"
	"hash/fnv"
	"runtime"
	"runtime/pprof"
	"strconv"
	"sync"
	"sync/atomic"
	"unsafe"
)

// An Effect is one act of a process on the world.
type Effect struct {
	Kind   string // such as "write"
	Object string // the thing that is acted on, under a name that is the same in each run of a seed
	// Content has the bytes that the effect writes. The trace has it, and it orders effects that are equal otherwise.
	Content []byte
	// Faults are the faults that Do understands. The scheduler itself knows more: see Kill.
	Faults []Fault
	// Ready says whether Do can be called. It must not change anything. nil: always.
	Ready func() bool
	// Do performs the effect, in the scheduler's goroutine, and must not block.
	Do func(Fault)
}

// A Fault is a failure of an effect.
type Fault string

// The faults that strike any effect.
const (
	None      Fault = ""
	Kill      Fault = "kill"       // the process ends before the effect
	KillAfter Fault = "kill after" // the process ends after the effect, before it learns the result
	// KillWithin is for effects that list it: Do does a part, and the process ends.
	KillWithin Fault = "kill within"
	Power      Fault = "power" // all processes end, and disks keep durable bytes, and perhaps more
	Pause      Fault = "pause" // time passes before the effect
)

// ErrEnded is the result of each effect of a process that has ended. Its goroutines learn it when the run is over.
var ErrEnded = errors.New("simulation: the process has ended")

// A Process is one life of a stage: a restart makes another Process with the same name.
type Process struct {
	Name      string
	Life      int // from 1
	Context   context.Context
	Scheduler *Scheduler

	cancel context.CancelFunc
	ended  bool           // by its own end or by a kill
	atEnd  []func()       // the system calls them when the process ends, such as to close its files
	locals sync.Map       // see Local
	late   atomic.Int64   // the effects that were asked for after the end
	labels unsafe.Pointer // of its goroutines
}

// processes has the process of each set of labels. A goroutine inherits the labels of the goroutine that started it.
var processes sync.Map

//go:linkname goroutineLabels runtime/pprof.runtime_getProfLabel
func goroutineLabels() unsafe.Pointer

// Current returns the process of the current goroutine, or nil.
func Current() *Process {
	p, _ := processes.Load(goroutineLabels())
	process, _ := p.(*Process)
	return process
}

// Start runs body as a new process, in a new goroutine. When body returns the process ends.
func (s *Scheduler) Start(name string, life int, body func(*Process)) *Process {
	p := &Process{Name: name, Life: life, Scheduler: s}
	p.Context, p.cancel = context.WithCancel(context.Background())
	s.all = append(s.all, p)
	labels := pprof.WithLabels(p.Context, pprof.Labels("process", name, "life", strconv.Itoa(life)))
	go func() {
		pprof.SetGoroutineLabels(labels)
		p.labels = goroutineLabels()
		processes.Store(p.labels, p)
		body(p)
		p.Perform(&Effect{Kind: "exit", Do: func(Fault) { s.end(p) }})
	}()
	return p
}

// AtEnd has f called when the process ends. Only effects may call it.
func (p *Process) AtEnd(f func()) { p.atEnd = append(p.atEnd, f) }

// Ended says whether the process has ended. Only effects and the scheduler's owner may call it.
func (p *Process) Ended() bool { return p.ended }

// Local returns the process's value for a key, and makes it at the first call.
func (p *Process) Local(key any, make func() any) any {
	value, ok := p.locals.Load(key)
	if !ok {
		value, _ = p.locals.LoadOrStore(key, make())
	}
	return value
}

// Perform performs an effect of the current goroutine's process.
func Perform(e *Effect) error { return Current().Perform(e) }

// tooLate is the number of effects after which a goroutine of an ended process is stopped: it may be in a loop that
// takes any error for a passing one.
const tooLate = 100

// Perform waits until the scheduler has performed the effect. A goroutine of a process that was killed waits until the
// run is over, as it would never go on after SIGKILL.
func (p *Process) Perform(e *Effect) error {
	if p == nil {
		panic("simulation: an effect outside any process: " + e.Kind + " " + e.Object)
	}
	request := &request{Effect: e, process: p, done: make(chan error, 1)}
	if !p.Scheduler.ask(request) {
		if p.late.Add(1) > tooLate {
			runtime.Goexit()
		}
		return ErrEnded
	}
	return <-request.done
}

// digest returns a short number for the bytes that an effect writes.
func (e *Effect) digest() uint64 {
	h := fnv.New64a()
	h.Write(e.Content)
	return h.Sum64()
}
