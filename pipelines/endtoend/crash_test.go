package endtoend

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"privpipe/pipelines/testkit"
)

// TestCrash kills privatize at the boundaries of its system calls: before, within and after each call on the ledger,
// the stored releases and the output. Some variants have boundaries at every system call.
//
// First come the boundaries of each variant's run, one by one, up to three fifths of the kills. With 5,000 kills these
// are all boundaries. Then come chains of kills: the next run begins with the files that a kill left, and is killed
// again. In half of the chains the power fails, too, at half of the kills: see crash.Disk.
//
// At every boundary, all bytes that ever left the process belong to one release of each round. That release was
// charged, durably, before its first byte left.
func TestCrash(t *testing.T) {
	kills := testkit.Repeats(t, "kills", 40, 5000)
	variants := variants(t)
	lengths := make(map[*variant]int)
	for _, v := range variants {
		lengths[v] = boundaries(t, v)
	}
	folder := memory(t)
	start := time.Now()
	jobs := plan(variants, lengths, kills)
	total := tally{kinds: make(map[string]int)}
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for j := range jobs {
				if total.reached(kills) || t.Failed() {
					return
				}
				victim, err := j.run("privatize", folder)
				if err != nil {
					t.Errorf("%s: %v", j, err)
				}
				if victim != nil {
					total.add(victim)
				}
			}
		})
	}
	workers.Wait()
	total.log(t)
	t.Logf("%d kills and %d power cuts in %.1f s", total.kills, total.powerCuts, time.Since(start).Seconds())
	if !t.Failed() && !total.reached(kills) {
		t.Errorf("%d kills, want %d", total.kills, kills)
	}
}

// memory returns a new folder in memory, if there is such a place: a disk's syncs would take most of the time.
func memory(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("/dev/shm", "privpipe-crash-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	return folder
}

// boundaries returns how many boundaries a run has that is not killed.
func boundaries(t *testing.T, v *variant) int {
	t.Helper()
	victim, err := newVictim(v, "privatize", memory(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	_, n, err := victim.run(0)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err == nil {
		err = victim.judge()
	}
	if err != nil {
		t.Fatalf("%s: %v", v.name, err)
	}
	t.Logf("%4d boundaries in a run: %s", n, v.name)
	return n
}

// A job is a chain of kills.
type job struct {
	variant *variant
	at      []int // boundaries, of one run after the other
	power   bool  // the power fails at some of them
	seed    uint64
}

func (j job) String() string {
	return fmt.Sprintf("%s, killed at %v, power cuts %t", j.variant.name, j.at, j.power)
}

// plan sends the jobs, more than are needed, and then closes the channel.
func plan(variants []*variant, lengths map[*variant]int, kills int) <-chan job {
	var sweep []job
	for _, v := range variants {
		for at := range lengths[v] {
			sweep = append(sweep, job{variant: v, at: []int{at + 1}, seed: uint64(at)})
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(sweep), func(i, j int) { sweep[i], sweep[j] = sweep[j], sweep[i] })
	all := sweep[:min(len(sweep), kills*3/5)]
	for range kills { // each of a kill at least, except for those that a run's end overtakes
		v := variants[random.IntN(len(variants))]
		j := job{variant: v, power: !v.every && random.IntN(2) == 0, seed: random.Uint64()}
		for range 1 + random.IntN(8) {
			j.at = append(j.at, 1+random.IntN(lengths[v]))
		}
		all = append(all, j)
	}
	jobs := make(chan job, len(all))
	for _, j := range all {
		jobs <- j
	}
	close(jobs)
	return jobs
}

// run does a chain of kills, then lets the victim end, and judges what left it.
func (j job) run(program, below string) (*victim, error) {
	folder, err := os.MkdirTemp(below, "victim")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	v, err := newVictim(j.variant, program, folder, j.seed)
	if err != nil {
		return nil, err
	}
	return v, j.chain(v)
}

func (j job) chain(v *victim) error {
	for _, at := range j.at {
		killed, _, err := v.run(at)
		if err != nil {
			return err
		}
		if killed && j.power && v.random.IntN(2) == 0 {
			if err := v.powerCut(); err != nil {
				return err
			}
		}
	}
	if _, _, err := v.run(0); err != nil {
		return err
	}
	return v.judge()
}

// A tally counts kills by their boundary.
type tally struct {
	mutex            sync.Mutex
	kinds            map[string]int
	kills, powerCuts int
}

func (y *tally) add(v *victim) {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	for kind, n := range v.kinds {
		y.kinds[kind] += n
		y.kills += n
	}
	y.powerCuts += v.powerCuts
}

// reached says whether there were so many kills.
func (y *tally) reached(kills int) bool {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	return y.kills >= kills
}

func (y *tally) log(t *testing.T) {
	for _, kind := range slices.Sorted(maps.Keys(y.kinds)) {
		t.Logf("%5d kills %s", y.kinds[kind], kind)
	}
}
