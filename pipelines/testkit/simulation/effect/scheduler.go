package effect

import (
	"cmp"
	"fmt"
	"hash"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"
)

// A Planned fault strikes a process's effect with the given number, counted from 1 over all of its lives. If that
// effect does not know the fault, the next effect that knows it is struck.
type Planned struct {
	Process string
	Effect  int
	Fault   Fault
}

func (p Planned) String() string {
	return fmt.Sprintf("%s at effect %d of %s", p.Fault, p.Effect, p.Process)
}

// A Scheduler performs the effects of all processes, one at a time.
type Scheduler struct {
	// Random draws the order of effects, and the details of faults.
	Random *rand.Rand
	// Limit is the virtual time that a run may take; a longer one counts as stuck.
	Limit time.Duration
	// Longest bounds the time that passes at a Pause.
	Longest time.Duration
	// Cut is called at a power cut, after all processes have ended.
	Cut func()
	// Trace gets a line for each effect, unless it is nil.
	Trace func(line string)

	plan    []Planned
	struck  []Planned
	all     []*Process
	counts  map[string]int // the effects of each process so far
	effects int
	sum     hash.Hash64 // of the trace

	mutex   sync.Mutex
	pending []*request
	over    bool
	arrived chan struct{}
	lost    []*request // of processes that ended
}

// A request is an effect that waits for the scheduler.
type request struct {
	*Effect
	process *Process
	done    chan error
	after   time.Time // not before this time
	content uint64
}

// New returns a scheduler for a seed. It strikes with the planned faults. New must be called in the run's bubble.
func New(seed uint64, plan []Planned) *Scheduler {
	runs.Add(1)
	return &Scheduler{Random: rand.New(rand.NewPCG(seed, 0)), Limit: 30 * 24 * time.Hour,
		Longest: 2 * time.Hour, plan: slices.Clone(plan),
		counts: make(map[string]int), sum: fnv.New64a(), arrived: make(chan struct{}, 1)}
}

// ask adds a request. It returns false if the process ended and the run is over.
func (s *Scheduler) ask(r *request) bool {
	r.content = r.digest()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.over {
		return false
	}
	s.pending = append(s.pending, r)
	select {
	case s.arrived <- struct{}{}:
	default:
	}
	return true
}

// Run performs effects until done returns true. It returns an error if the processes wait for ever.
func (s *Scheduler) Run(done func() bool) error {
	limit := time.NewTimer(s.Limit)
	defer limit.Stop()
	for {
		synctest.Wait()
		if done() {
			return nil
		}
		if r := s.pick(); r != nil {
			s.perform(r)
			continue
		}
		var wake <-chan time.Time
		if soonest := s.soonest(); !soonest.IsZero() {
			wake = time.After(time.Until(soonest))
		}
		select {
		case <-s.arrived:
		case <-wake:
		case <-limit.C:
			return fmt.Errorf("no end after %v of virtual time: %s", s.Limit, s.waiting())
		}
	}
}

// pick takes one of the requests that are ready, by chance, or returns nil.
func (s *Scheduler) pick() *request {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.bury()
	var ready []*request
	now := time.Now()
	for _, r := range s.pending {
		if !r.after.After(now) && (r.Ready == nil || r.Ready()) {
			ready = append(ready, r)
		}
	}
	if len(ready) == 0 {
		return nil
	}
	slices.SortStableFunc(ready, func(a, b *request) int {
		return cmp.Or(cmp.Compare(a.process.Name, b.process.Name), cmp.Compare(a.process.Life, b.process.Life),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Object, b.Object), cmp.Compare(a.content, b.content))
	})
	r := ready[s.Random.IntN(len(ready))]
	s.pending = slices.DeleteFunc(s.pending, func(other *request) bool { return other == r })
	return r
}

// bury moves the requests of ended processes aside.
func (s *Scheduler) bury() {
	s.pending = slices.DeleteFunc(s.pending, func(r *request) bool {
		if r.process.ended {
			s.lost = append(s.lost, r)
		}
		return r.process.ended
	})
}

// soonest returns the time when the first held request may go on, or zero.
func (s *Scheduler) soonest() (soonest time.Time) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, r := range s.pending {
		if r.after.After(time.Now()) && (soonest.IsZero() || r.after.Before(soonest)) {
			soonest = r.after
		}
	}
	return soonest
}

// perform performs the effect of a request, with the fault that is planned for it.
func (s *Scheduler) perform(r *request) {
	p, fault := r.process, None
	s.counts[p.Name]++
	for i, planned := range s.plan {
		if planned.Process == p.Name && planned.Effect <= s.counts[p.Name] && r.knows(planned.Fault) {
			fault, s.plan = planned.Fault, slices.Delete(s.plan, i, i+1)
			s.struck = append(s.struck, Planned{p.Name, s.counts[p.Name], fault})
			break
		}
	}
	s.effects++
	line := fmt.Sprintf("%s.%d %s %s %x %s", p.Name, p.Life, r.Kind, r.Object, r.content, fault)
	s.sum.Write([]byte(line))
	if s.Trace != nil {
		s.Trace(fmt.Sprintf("%d: %s", s.counts[p.Name], line))
	}
	switch fault {
	case Kill:
		s.end(p)
	case KillAfter:
		r.Do(None)
		s.end(p)
	case KillWithin:
		r.Do(fault)
		s.end(p)
	case Power:
		for _, other := range s.all {
			s.end(other)
		}
		s.Cut()
	case Pause:
		r.after = time.Now().Add(time.Duration(s.Random.Int64N(int64(s.Longest))))
		s.mutex.Lock()
		s.pending = append(s.pending, r)
		s.mutex.Unlock()
		return
	default:
		r.Do(fault)
		r.done <- nil
		return
	}
	s.mutex.Lock()
	s.lost = append(s.lost, r)
	s.mutex.Unlock()
}

func (e *Effect) knows(fault Fault) bool {
	switch fault {
	case Kill, KillAfter, Power, Pause:
		return e.Kind != "exit"
	}
	return slices.Contains(e.Faults, fault)
}

// end ends a process, as the system does.
func (s *Scheduler) end(p *Process) {
	if p.ended {
		return
	}
	p.ended = true
	for _, f := range p.atEnd {
		f()
	}
}

// End ends a process from outside, as SIGKILL does. Only the scheduler's owner may call it, in done of Run.
func (s *Scheduler) End(p *Process) { s.end(p) }

// unwinding is the virtual time that goroutines have to end after the run, whatever they sleep for.
const unwinding = 48 * time.Hour

// Close ends the run. All goroutines of ended processes go on, and each of their effects fails.
func (s *Scheduler) Close() {
	s.release()
	time.Sleep(unwinding)
	for _, p := range s.all {
		processes.Delete(p.labels)
	}
}

func (s *Scheduler) release() {
	for _, p := range s.all {
		s.end(p)
		p.cancel()
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.over = true
	for _, r := range append(s.pending, s.lost...) {
		r.done <- ErrEnded
	}
	s.pending, s.lost = nil, nil
}

// Effects returns the number of effects so far, of all processes.
func (s *Scheduler) Effects() int { return s.effects }

// Counts returns the number of effects of each process so far.
func (s *Scheduler) Counts() map[string]int { return s.counts }

// Sum returns a number that is equal for equal traces.
func (s *Scheduler) Sum() uint64 { return s.sum.Sum64() }

// Struck returns the faults that struck, each with the effect that it struck.
func (s *Scheduler) Struck() []Planned { return s.struck }

// waiting describes the effects that no process can perform.
func (s *Scheduler) waiting() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	text := "no effect is asked for"
	for i, r := range s.pending {
		if i == 0 {
			text = ""
		}
		text += fmt.Sprintf(" %s.%d %s %s;", r.process.Name, r.process.Life, r.Kind, r.Object)
	}
	return text
}

// runs counts the schedulers.
var runs atomic.Uint64

// Run returns the number of the present run. One run is at a time.
func Run() uint64 { return runs.Load() }
