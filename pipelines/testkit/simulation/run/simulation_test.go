package run

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/simulation"
)

// The environment of the program that TestSimulation builds.
const (
	number = "PRIVPIPE_SIMULATIONS" // the number of schedules of each scenario
	replay = "PRIVPIPE_SIMULATION"  // SEED SCENARIO: one schedule, with the trace of its effects
	from   = "SIMULATION_FROM"      // the first seed
)

// scenarios has all scenarios by name.
var scenarios = map[string]*simulation.Scenario{
	"wall":             wall{}.scenario(),
	"wall to pipe":     wall{piped: true}.scenario(),
	"wall, rivals":     wall{rival: true}.scenario(),
	"training":         noisy().scenario(),
	"chain":            chained.scenario(),
	"windows":          windows{documents: 8, hours: 3}.scenario(1),
	"windows, a day":   windows{documents: 71, hours: 24}.scenario(50),
	"wall, old copy":   wall{putBack: true}.scenario(),
	"topics":           new(topics).scenario(),
	"text, made again": remadeText(),
	"topics, marks":    (&topics{foreign: true}).scenario(),
	"topics, poison":   (&topics{poison: true}).scenario(),
}

// gate is the number of schedules of each scenario in the gate.
const gate = 100

// TestSimulation builds the stages on a simulated machine, with planted faults, and runs the tests below there. The
// gate has fixed seeds. The deep suite has fresh ones, as many as PRIVPIPE_SIMULATIONS says for each scenario.
func TestSimulation(t *testing.T) {
	if simulated() {
		t.Skip("this is the program that the test builds")
	}
	if os.Getenv(replay) != "" {
		chosen(t) // before the stages are built
	}
	schedules := testkit.Repeats(t, "simulate", gate, 5000)
	program, err := Build("../../../..", cmp.Or(os.Getenv("SIMULATION_TO"), t.TempDir()), all(t))
	if err != nil {
		t.Fatal(err)
	}
	run := func(environment []string, tests string) {
		command := exec.Command(program, "-test.v", "-test.timeout=0", "-test.run", "^("+tests+")$")
		command.Env = append(environment, os.Environ()...)
		out, err := command.CombinedOutput()
		for lines := bufio.NewScanner(strings.NewReader(string(out))); lines.Scan(); {
			t.Log(lines.Text())
		}
		if err != nil {
			t.Error(err)
		}
	}
	if os.Getenv(replay) != "" {
		run(nil, "TestReplay")
		return
	}
	first, programs := uint64(0), runtime.NumCPU()
	if schedules > gate {
		first = rand.Uint64() >> 16
	}
	if n, err := strconv.Atoi(os.Getenv(number)); err == nil {
		schedules = n
	}
	var group sync.WaitGroup
	for i := range programs { // one goroutine at a time is faster
		group.Go(func() {
			share := schedules / programs
			run([]string{fmt.Sprintf("%s=%d", number, share), fmt.Sprintf("%s=%d", from, first+uint64(i*share)),
				"GOMAXPROCS=1", "GOGC=400"}, "TestSchedules")
		})
	}
	group.Go(func() { run(nil, "TestPlanted|TestSameTrace") })
	group.Wait()
}

// machine skips a test unless this program is built on the simulated machine.
func machine(t *testing.T) {
	t.Helper()
	if !simulated() {
		t.Skip("TestSimulation runs it")
	}
}

// TestSchedules runs schedules of each scenario.
func TestSchedules(t *testing.T) {
	machine(t)
	first, err := strconv.ParseUint(os.Getenv(from), 10, 64)
	n, errs := strconv.Atoi(os.Getenv(number))
	if err != nil || errs != nil {
		t.Fatal(err, errs)
	}
	for _, name := range slices.Sorted(maps.Keys(scenarios)) {
		if only := os.Getenv("ONLY"); only != "" && only != name {
			continue
		}
		s, begun, effects, leaks := scenarios[name], time.Now(), 0, 0
		n := n / max(1, s.Share)
		for seed := first; seed < first+uint64(n); seed++ {
			schedule := s.Plan(t, seed)
			result := s.Run(t, schedule, false)
			effects += result.Effects
			if result.Leaked {
				leaks++
			}
			if result.Err != nil {
				shorter, last := s.Shorten(t, schedule)
				again := fmt.Sprintf("%s='%d %s' go test -v -run 'TestSimulation$' ./%s/run", replay, seed, name, here)
				t.Errorf("%s, seed %d: %v\nshortened: %s\nagain: %s", name, seed, last.Err, shorter, again)
				break
			}
		}
		t.Logf("%s: %d schedules from seed %d, %d effects and %v each; goroutines left in %d", name, n, first,
			effects/max(n, 1), time.Since(begun)/time.Duration(max(n, 1)), leaks)
	}
}

// chosen returns the scenario and the seed to replay.
func chosen(t *testing.T) (*simulation.Scenario, uint64) {
	t.Helper()
	text, name, _ := strings.Cut(os.Getenv(replay), " ")
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil || scenarios[name] == nil {
		t.Fatalf("%s must be a seed and one of %q, such as '4 wall'", replay, slices.Sorted(maps.Keys(scenarios)))
	}
	return scenarios[name], seed
}

// TestReplay runs one schedule with its trace.
func TestReplay(t *testing.T) {
	machine(t)
	scenario, seed := chosen(t)
	schedule := scenario.Plan(t, seed)
	result := scenario.Run(t, schedule, true)
	for _, line := range result.Trace {
		t.Log(line)
	}
	t.Logf("%s; struck: %v", schedule, result.Struck)
	if result.Err != nil {
		t.Error(result.Err)
	}
}

// TestSameTrace: one seed has the same effects in each run, whichever goroutine comes first.
func TestSameTrace(t *testing.T) {
	machine(t)
	seeds, runs := uint64(10), testkit.Repeats(t, "simulate", 1, 100)
	for name, s := range scenarios {
		for seed := range max(1, seeds/uint64(max(1, s.Share))) {
			schedule := s.Plan(t, seed)
			first := s.Run(t, schedule, true)
			for range runs {
				other := s.Run(t, schedule, true)
				if other.Sum == first.Sum {
					continue
				}
				for i, line := range first.Trace {
					if i >= len(other.Trace) || other.Trace[i] != line {
						t.Fatalf("%s, %s: effect %d is %q, and in another run %q", name, schedule, i, line,
							other.Trace[min(i, len(other.Trace)-1)])
					}
				}
				t.Fatalf("%s, %s: another run has more effects", name, schedule)
			}
		}
	}
}
