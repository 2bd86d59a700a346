package simulation

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"privpipe/pipelines/testkit/simulation/effect"
	"privpipe/pipelines/testkit/simulation/system"
)

// A Schedule plans one run. The same schedule always does the same.
type Schedule struct {
	Seed   uint64
	Faults []effect.Planned
}

func (s Schedule) String() string {
	if len(s.Faults) == 0 {
		return fmt.Sprintf("seed %d without faults", s.Seed)
	}
	var faults []string
	for _, f := range s.Faults {
		faults = append(faults, f.String())
	}
	return fmt.Sprintf("seed %d: %s", s.Seed, strings.Join(faults, ", "))
}

// A Scenario is a set of jobs, with rules that hold whatever happens.
type Scenario struct {
	Name string
	// Prepare fills the world and returns its jobs. checked is called when all jobs have ended, and finds what is wrong
	// with what they left.
	Prepare func(w *World) (jobs []Job, checked func() error)
	// Faults are the faults that may strike, the likelier the more often they are named.
	Faults []effect.Fault

	// Share is 5 if only a fifth of the schedules is run, since each takes long; 0 is 1.
	Share int

	usual map[string]int // the effects of each process in a run without faults
}

// Usual are the faults of processes, files and pipes.
var Usual = []effect.Fault{
	effect.Kill, effect.Kill, effect.KillAfter, effect.KillAfter, effect.Power, effect.Power, effect.Power,
	effect.KillWithin, effect.KillWithin, system.IO, system.NoSpace, system.Short, effect.Pause,
}

// A Result is the outcome of a run.
type Result struct {
	Err     error // the first broken invariant
	Sum     uint64
	Effects int
	Struck  []effect.Planned
	Leaked  bool // goroutines wait for ever
	Trace   []string
}

// patience is the real time that a run may take. Then its program ends, with all goroutines: some wait cannot be seen.
const patience = 10 * time.Minute

// Run runs a schedule. With trace the result has a line for each effect.
func (s *Scenario) Run(t *testing.T, schedule Schedule, trace bool) (result *Result) {
	result = new(Result)
	watchdog := time.AfterFunc(patience, func() {
		stacks := make([]byte, 1<<20)
		fmt.Fprintf(os.Stderr, "%s, %s: not quiet after %v\n%s\n", s.Name, schedule, patience,
			stacks[:runtime.Stack(stacks, true)])
		os.Exit(1)
	})
	defer watchdog.Stop()
	defer func() {
		switch r := recover(); {
		case r == nil:
		case strings.Contains(fmt.Sprint(r), "blocked goroutines remain"):
			result.Leaked = true
		default:
			panic(fmt.Sprintf("%s, %s: %v", s.Name, schedule, r))
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		w := NewWorld(schedule)
		if trace {
			w.Trace = func(line string) { result.Trace = append(result.Trace, line) }
		}
		jobs, checked := s.Prepare(w)
		for _, j := range jobs {
			w.jobs = append(w.jobs, &job{Job: j})
		}
		err := w.Scheduler.Run(w.supervise)
		if err == nil && len(w.failures) > 0 {
			err = errors.New(strings.Join(w.failures, "; "))
		}
		if err == nil {
			err = checked()
		}
		result.Err, result.Sum, result.Effects, result.Struck = err, w.Sum(), w.Effects(), w.Struck()
		if s.usual == nil && len(schedule.Faults) == 0 {
			s.usual = w.Counts()
		}
		if w.Closing != nil {
			w.Closing()
		}
		w.Close()
	})
	return result
}

// faults is the largest number of faults in a schedule.
const faults = 4

// soon is the largest number of effects between faults that follow each other.
const soon = 60

// Plan returns the schedule of a seed. Some have no fault.
func (s *Scenario) Plan(t *testing.T, seed uint64) Schedule {
	t.Helper()
	if s.usual == nil {
		if result := s.Run(t, Schedule{}, false); result.Err != nil {
			t.Fatalf("%s: without faults: %v", s.Name, result.Err)
		}
	}
	random := rand.New(rand.NewPCG(seed, 1))
	var names []string
	for name := range s.usual {
		names = append(names, name)
	}
	slices.Sort(names)
	schedule := Schedule{Seed: seed}
	for i := range random.IntN(faults + 1) {
		name := names[random.IntN(len(names))]
		at := random.IntN(s.usual[name] * 3 / 2)
		if i > 0 && random.IntN(2) == 0 { // soon after the fault before, in the next life
			name, at = schedule.Faults[i-1].Process, schedule.Faults[i-1].Effect+random.IntN(soon)
		}
		fault := s.Faults[random.IntN(len(s.Faults))]
		schedule.Faults = append(schedule.Faults, effect.Planned{Process: name, Effect: 1 + at, Fault: fault})
	}
	return schedule
}

// Shorten removes faults from a schedule that fails, one by one, while it still fails.
func (s *Scenario) Shorten(t *testing.T, schedule Schedule) (Schedule, *Result) {
	t.Helper()
	last := s.Run(t, schedule, false)
	for i := 0; i < len(schedule.Faults); {
		fewer := Schedule{schedule.Seed, slices.Delete(slices.Clone(schedule.Faults), i, i+1)}
		if result := s.Run(t, fewer, false); result.Err != nil {
			schedule, last = fewer, result
		} else {
			i++
		}
	}
	return schedule, last
}
