package simulation

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit/simulation/effect"
	"privpipe/pipelines/testkit/simulation/rand"
	"privpipe/pipelines/testkit/simulation/system"
)

// A Stage is one program of a job.
type Stage struct {
	Name string // of the program; a second process of it has a number behind it: "privatize 2"
	Args []string
	// Execute runs the program with open files, and returns its exit code.
	Execute func(ctx context.Context, args []string, in, out *system.Handle, messages io.Writer) int
}

// A Job is a pipeline that a supervisor keeps running, as systemd would: after a failure all of its stages start again,
// with the same command lines.
type Job struct {
	Stages []Stage
	// Before is called before each start, the first included, unless it is nil.
	Before func()
	// Done says that there is nothing left to do, whatever ended how. nil: that is so when all exit codes are 0.
	Done func() bool
	// Again has exit codes: after one of them the job also starts again.
	Again []int
	// Ended is called with the stages' exit codes in the end, and returns what is wrong with them. nil: all must be 0.
	Ended func(codes []int) error
}

func (j Job) check(codes []int, messages string) error {
	if j.Ended != nil {
		return j.Ended(codes)
	}
	for _, code := range codes {
		if code != exit.OK {
			return fmt.Errorf("exit codes %v: %s", codes, messages)
		}
	}
	return nil
}

// most bounds how often a job starts. Each fault makes it start once, so more starts are a loop.
const most = 20

// A World is one run: a machine, the processes on it, and the supervisor of its jobs.
type World struct {
	*effect.Scheduler
	Seed    uint64
	Machine *system.Machine
	Coins   *Coins

	// Closing is called when the run is over, before the goroutines of its processes end. nil: nothing.
	Closing func()

	over     bool
	capacity int // of a pipe
	jobs     []*job
	failures []string
	mutex    sync.Mutex
	messages bytes.Buffer
}

// A job is the state of a Job.
type job struct {
	Job
	failed  time.Time // when the first stage failed in this start, or zero
	starts  int
	running []*running
	ended   bool
	codes   []int
}

// A running is one life of a stage.
type running struct {
	process *effect.Process
	code    int // its exit code; killed, until it has one
}

// killed is the code of a process without an exit code.
const killed = -1

// capacities of pipes: narrow pipes make stages wait for one another within records.
var capacities = []int{97, 1 << 10, 4 << 10, 64 << 10}

// NewWorld returns a world for a seed and the faults of a schedule, in the bubble of the run.
func NewWorld(s Schedule) *World {
	w := &World{Seed: s.Seed, Scheduler: effect.New(s.Seed, s.Faults)}
	w.Machine = system.New(w.Scheduler)
	w.Coins = &Coins{Seed: s.Seed}
	w.capacity = capacities[w.Random.IntN(len(capacities))]
	return w
}

// Fail notes that an invariant is broken.
func (w *World) Fail(format string, args ...any) {
	w.failures = append(w.failures, fmt.Sprintf(format, args...))
}

// Messages returns the stages' standard error so far.
func (w *World) Messages() string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.messages.String()
}

// Write takes a message of a stage.
func (w *World) Write(b []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.messages.Write(b)
}

// Stop ends the run at the next effect, though jobs go on.
func (w *World) Stop() { w.over = true }

// supervise starts jobs, and starts them again after failures. It returns true when all jobs have ended, or an
// invariant is broken.
func (w *World) supervise() bool {
	ended := len(w.failures) > 0 || w.over
	if ended {
		return true
	}
	ended = true
	for _, j := range w.jobs {
		if !j.ended {
			w.attend(j)
		}
		ended = ended && j.ended
	}
	return ended
}

func (w *World) attend(j *job) {
	var alive []*effect.Process
	failed := false
	for _, r := range j.running {
		if !r.process.Ended() {
			alive = append(alive, r.process)
		}
		failed = failed || r.process.Ended() && r.code != exit.OK
	}
	if len(alive) > 0 {
		switch {
		case failed && j.failed.IsZero():
			j.failed = time.Now()
		case failed && time.Since(j.failed) > grace:
			for _, p := range alive {
				w.End(p)
			}
			w.attend(j)
		}
		return
	}
	j.codes = nil
	again := len(j.running) == 0
	for _, r := range j.running {
		j.codes = append(j.codes, r.code)
		again = again || r.code == killed || slices.Contains(j.Again, r.code) ||
			r.code != exit.OK && !slices.Contains(exit.Lasting, r.code)
	}
	switch {
	case len(j.running) > 0 && j.Done != nil && j.Done():
		j.ended, j.codes = true, nil
	case !again:
		j.ended = true
		if err := j.check(j.codes, w.Messages()); err != nil { // other jobs may wait for this one
			w.Fail("%v", err)
		}
	case j.starts == most:
		w.Fail("a job ended %d times, at last with exit codes %v: %s", most, j.codes, w.Messages())
	default:
		w.start(j)
	}
}

// pause is the time before the first start. Each further start waits twice as long.
const pause = time.Second

// grace is the time between the failure of a stage and the end of the others: each stage ends when the reader of its
// output has gone (endpoint.WatchReader), which is outside of filter.Execute.
const grace = 300 * time.Millisecond

// start starts the stages of a job, with pipes between them.
func (w *World) start(j *job) {
	if j.Before != nil {
		j.Before()
	}
	j.starts++
	j.running, j.failed = nil, time.Time{}
	var in *system.Handle
	for i, stage := range j.Stages {
		r := &running{code: killed}
		var out, next *system.Handle
		if i+1 < len(j.Stages) {
			pipe := system.NewPipe(stage.Name+"|"+j.Stages[i+1].Name, w.capacity)
			out, next = w.Machine.Writer(pipe, "/dev/stdout"), w.Machine.Reader(pipe, "/dev/stdin")
		} else {
			out = w.Machine.Null("/dev/stdout")
		}
		if in == nil {
			in = w.Machine.Null("/dev/stdin")
		}
		input := in
		r.process = w.Start(stage.Name, j.starts, func(p *effect.Process) {
			time.Sleep(pause << p.Life)
			r.code = stage.Execute(p.Context, stage.Args, input, out, w)
		})
		w.Machine.Boot(r.process)
		rand.Give(r.process, w.Coins)
		w.Machine.Give(r.process, input)
		w.Machine.Give(r.process, out)
		j.running = append(j.running, r)
		in = next
	}
}
