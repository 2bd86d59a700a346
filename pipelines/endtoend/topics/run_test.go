package topics

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/testkit/stages"
)

const rounds = 6

// scripted is how long a script of these tests was recorded to take on a machine with other work.
const scripted = time.Minute

// A job is the input of training: documents, and coins that are the same in each of its runs. The sums are released as
// they are, so that all rounds of all runs can be compared.
type job struct {
	folder string // holds docs.pp, vocab.txt and coins
	system system
	sums   map[int]string // digests of the exact sums, by round
}

// A system is a way to train: flags of the stages, and the number of rounds, by default the constant.
type system struct {
	sample, estep, mstep string
	rounds               int
}

var (
	// lda is that of recipes/lda.sh.
	lda = system{sample: "--poisson 0.2", estep: "lda", mstep: "lda --topics 5"}
	// vips is that of recipes/papers/vips-lda.sh.
	vips = system{
		sample: "--fixed 400", estep: "lda --length 100 --resample --top-topics 0 --word-weight count --norm 0 " +
			"--iterations 100",
		mstep: "lda-paper --topics 5 --tau0 1024 --kappa 0.7 --negatives zero --average-from 1 --beta expected-log",
	}
)

// newJob makes a job of real text, the comments of some of Go's packages, and runs it over pipes: that is what runs
// over topics must give.
func newJob(t testing.TB, s system) *job { return newJobOf(t, s, "src/net/http") }

// newJobOf is newJob with the comments below a folder of Go.
func newJobOf(t testing.TB, s system, folder string) *job {
	t.Helper()
	j := &job{folder: t.TempDir(), system: s}
	j.bash(t, fmt.Sprintf(`
comments "$(go env GOROOT)/%s" >comments.jsonl
cp %s vocab.txt
tokenize text --vocab vocab.txt -o docs.pp comments.jsonl
mkfifo params`, folder, filepath.Join(stages.Root, "pipelines/vocabulary/english.txt")))
	j.pipe(t, "pipe")
	j.sums = sums(t, filepath.Join(j.folder, "pipe.ledger"))
	return j
}

// pipe trains over pipes, with a ledger and a model of the given name. It returns the wall time of the training and the
// CPU time of all its programs.
func (j *job) pipe(t testing.TB, name string) (took, cpu time.Duration) {
	t.Helper()
	testkit.BeginLedger(t, j.path(name+".ledger"))
	begun := time.Now()
	cpu = j.bash(t, fmt.Sprintf(`
sample %s docs.pp |
  estep %s --params params |
  privatize none --run r --ledger %s.ledger |
  mstep %s --params-out params -o %[3]s.model`, strings.Join(j.sample(), " "), j.system.estep, name, strings.Join(j.mstep(), " ")))
	return time.Since(begun), cpu
}

// bash runs a script in the job's folder, and returns the CPU time of all its programs.
func (j *job) bash(t testing.TB, script string) time.Duration {
	t.Helper()
	command := exec.Command("bash", "-c", "set -euo pipefail\n"+script)
	command.Dir = j.folder
	if out, err := testkit.Output(scripted, command); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return command.ProcessState.UserTime() + command.ProcessState.SystemTime()
}

func (j *job) sample() []string {
	return append(strings.Fields(j.system.sample), "--rounds", fmt.Sprint(j.planned()), "--run", "r", "--secret",
		j.path("coins"))
}

// planned is the number of rounds.
func (j *job) planned() int { return cmp.Or(j.system.rounds, rounds) }

func (j *job) mstep() []string {
	return append(strings.Fields(j.system.mstep), "--run", "r", "--seed", "1", "--vocab", j.path("vocab.txt"))
}

func (j *job) path(name string) string { return filepath.Join(j.folder, name) }

// sums are the digests of the exact sums of the rounds that a ledger has charged, each once.
func sums(t testing.TB, ledger string) map[int]string {
	t.Helper()
	file, err := os.Open(ledger)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	read, err := event.ReadLedger(file, ledger)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[int]string)
	for _, charge := range read.Charges() {
		if _, twice := all[charge.Round]; twice {
			t.Errorf("round %d was charged twice", charge.Round)
		}
		sum, err := os.ReadFile(fmt.Sprintf("%s.releases/r/%09d.sum", ledger, charge.Round))
		if err != nil {
			t.Fatal(err)
		}
		all[charge.Round] = string(sum)
	}
	return all
}

// A run is one training of a job over topics of its own.
type run struct {
	*job
	t       testing.TB
	broker  *broker.Broker
	folder  string // holds the ledger and the model
	address string // of the broker, by which the stages reach it
	topics  map[string]string
	workers int                 // processes of estep
	threads int                 // of each
	more    map[string][]string // stages beside the usual ones, or in their place

	mutex     sync.Mutex
	processes map[string]*exec.Cmd // under way, by stage
	killed    map[*exec.Cmd]bool
	log       bytes.Buffer
	cpu       time.Duration // of the stages that ended
	stopping  bool
}

// partitions of the topics of rounds and of contributions.
const partitions = 4

func newRun(t testing.TB, j *job, b *broker.Broker, workers int) *run {
	t.Helper()
	r := &run{
		job: j, t: t, broker: b, address: b.Address, folder: t.TempDir(), workers: workers, threads: 1,
		topics: make(map[string]string), processes: make(map[string]*exec.Cmd), killed: make(map[*exec.Cmd]bool),
	}
	testkit.BeginLedger(t, r.ledger())
	for topic, n := range map[string]int{
		"rounds.private": partitions, "contributions.private": partitions, "releases": 1, "parameters": 1,
	} {
		r.topics[topic] = b.Topic(t, topic, n, nil)
	}
	return r
}

// url is the name of a topic, as the stages are given it.
func (r *run) url(topic string, keys ...string) string {
	name := "kafka://" + r.address + "/" + r.topics[topic]
	if len(keys) > 0 {
		name += "?" + strings.Join(keys, "&")
	}
	return name
}

// ledger is the run's own.
func (r *run) ledger() string { return filepath.Join(r.folder, "run.ledger") }

// commands are the stages by their names, with their arguments.
func (r *run) commands() map[string][]string {
	all := map[string][]string{
		"sample": append(append([]string{"sample"}, r.sample()...), "-o", r.url("rounds.private"), r.path("docs.pp")),
		"privatize": {"privatize", "none", "-q", "--run", "r", "--ledger", r.ledger(), "-o", r.url("releases"),
			r.url("contributions.private", "group="+r.topics["releases"]+".privatize")},
		"mstep": append(append([]string{"mstep"}, r.mstep()...), "--params-out", r.url("parameters"),
			"-o", filepath.Join(r.folder, "model"), r.url("releases")),
	}
	for i := range r.workers {
		all[fmt.Sprint("estep", i)] = append(append([]string{"estep"}, strings.Fields(r.system.estep)...), "--workers",
			fmt.Sprint(r.threads),
			"--params", r.url("parameters"), "-o", r.url("contributions.private"),
			r.url("rounds.private", "group="+r.topics["releases"], "session=1s"))
	}
	maps.Copy(all, r.more)
	return all
}

// again says whether a stage is to be started again after an exit, as its service manager would.
func again(code int) bool { return code == exit.Unavailable || code == exit.Locked || code < 0 }

// all runs the stages until all have ended well, or one is refused, or nothing goes on: no charge, no message of a
// topic. What is killed is started again. A run is recorded to take so long.
func (r *run) all(recorded time.Duration) error {
	ended := make(chan error)
	commands := r.commands()
	for name, arguments := range commands {
		go func() { ended <- r.keep(name, arguments) }()
	}
	written := r.broker.Written(slices.Collect(maps.Values(r.topics))...)
	ctx, end := testkit.Progress(recorded, testkit.Files(r.folder), written)
	defer end()
	late := context.AfterFunc(ctx, r.stop)
	defer late()
	var first error
	for range commands {
		if err := <-ended; err != nil && first == nil {
			first = err
			r.stop()
		}
	}
	if first == nil && r.stopping {
		first = context.Cause(ctx)
	}
	return first
}

// keep runs a stage until it ends by itself.
func (r *run) keep(name string, arguments []string) error {
	for {
		command := exec.Command(arguments[0], arguments[1:]...)
		command.Dir = r.folder
		var stderr bytes.Buffer
		command.Stderr = &stderr
		r.mutex.Lock()
		if r.stopping {
			r.mutex.Unlock()
			return nil
		}
		err := command.Start()
		r.processes[name] = command
		r.mutex.Unlock()
		if err != nil {
			return err
		}
		err = command.Wait()
		r.mutex.Lock()
		delete(r.processes, name)
		r.cpu += command.ProcessState.UserTime() + command.ProcessState.SystemTime()
		fmt.Fprintf(&r.log, "%s: %v\n%s", name, err, stderr.String())
		stopping, killed := r.stopping, r.killed[command]
		r.mutex.Unlock()
		switch {
		case err == nil || stopping:
			return nil
		case !killed && !again(command.ProcessState.ExitCode()):
			return fmt.Errorf("%s ended with %w: %s", name, err, stderr.String())
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// signal sends a signal to a stage, if it is under way, and says whether it was.
func (r *run) signal(name string, signal syscall.Signal) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	command := r.processes[name]
	if command == nil {
		return false
	}
	r.killed[command] = r.killed[command] || signal == syscall.SIGKILL || signal == syscall.SIGTERM
	return command.Process.Signal(signal) == nil
}

// stop ends all stages.
func (r *run) stop() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.stopping = true
	for _, command := range r.processes {
		command.Process.Kill()
	}
}

// judge compares a run that ended with what pipes gave: each round charged once, from the very sum.
func (r *run) judge() error {
	got := sums(r.t, r.ledger())
	for round := 1; round <= r.planned(); round++ {
		if got[round] != r.sums[round] {
			return fmt.Errorf("round %d was released from another sum than over pipes", round)
		}
	}
	if len(got) != r.planned() {
		return fmt.Errorf("%d rounds were released, want %d", len(got), r.planned())
	}
	model, err := os.ReadFile(filepath.Join(r.folder, "model"))
	if err != nil {
		return err
	}
	want, err := os.ReadFile(r.path("pipe.model"))
	if err == nil && !bytes.Equal(model, want) {
		err = errors.New("the model is another than over pipes")
	}
	return err
}

// part compares a run that was refused: what it released, it charged, and from the very sums.
func (r *run) part() error {
	for round, sum := range sums(r.t, r.ledger()) {
		if sum != r.sums[round] {
			return fmt.Errorf("round %d was released from another sum than over pipes", round)
		}
	}
	return nil
}

// names are the stages of a run, in order.
func (r *run) names() []string {
	var names []string
	for name := range r.commands() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
