package endtoend

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/crash"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// chainRounds is enough for a state that is a round ahead of the parameters that the killed process has stored.
const chainRounds = 3

// A chain is a run over pipes that goes on from round to round: its topics, or its clusters.
type chain struct {
	name, estep, mstep string
	stored             bool   // mstep is killed, too
	folder             string // holds docs.pp, vocab.txt and, for a state, key
}

const (
	raw    = " --top-topics 0 --word-weight count --norm 0"
	state  = " --state state.pp --secret key"
	counts = "counts --topics 3 --seed 1 --denoise floor "
)

var chains = []chain{
	{name: "frozen counts", estep: "gibbs --keep --statistic counts" + raw + state,
		mstep: counts + "--statistic counts", stored: true},
	{name: "frozen increments", estep: "gibbs --keep --statistic increments" + raw + state, mstep: counts},
	{name: "counts in place", estep: "collapsed --inherent-report report.jsonl --statistic counts" + state,
		mstep: counts + "--statistic counts"},
	{name: "increments in place", estep: "collapsed --inherent-report report.jsonl --statistic increments " +
		"--document-noise 1 --noise-each-round" + state, mstep: counts, stored: true},
	{name: "clusters", estep: "clusters", mstep: "clusters --clusters 3", stored: true},
}

// keeps says that the estep of a chain has a state, and is killed.
func (c chain) keeps() bool { return strings.Contains(c.estep, state) }

// TestKilledChain kills an estep with a state before each of its calls that changes a file or writes its output. It
// kills mstep likewise, and runs the same commands again. The releases, the model and the state equal the results of an
// undisturbed run. The sum of all increments is the final counts: nothing is lost, drawn again or counted twice.
//
// The gate tries each fourth call.
func TestKilledChain(t *testing.T) {
	step := testkit.Repeats(t, "kills", 4, 1)
	folder := corpus(t)
	run(t, folder, "(umask 077; head -c 32 /dev/zero >key)")
	vectors := clusterFolder(t, embeddings())
	run(t, vectors, "cp vectors.pp docs.pp; cp features.txt vocab.txt")
	for _, c := range chains {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.folder = folder
			if !c.keeps() {
				c.folder = vectors
			}
			whole := memory(t)
			if err := c.run(whole, "", nil); errors.Is(err, errors.ErrUnsupported) {
				t.Skip(err)
			} else if err != nil {
				t.Fatal(err)
			}
			want := c.left(t, whole)
			c.adds(t, whole)
			if c.keeps() {
				c.sweep(t, "estep", step, want)
			}
			if c.stored { // mstep does the same under both ways of sampling
				c.sweep(t, "mstep", step, want)
			}
		})
	}
}

// sweep kills a stage before each of its calls, or before each step-th.
func (c chain) sweep(t *testing.T, victim string, step int, want map[string]string) {
	kills := 0
	for at, killed := 1, true; killed; at += step {
		folder := memory(t)
		count, where := 0, ""
		err := c.run(folder, victim, func(s *crash.Stop) (bool, error) {
			if s.After || !(s.Below(folder) && changes(&s.Call) || s.File == 1 && s.Writes() ||
				s.Name == "exit_group") {
				return false, nil
			}
			count++
			where = fmt.Sprintf("%s before call %d, %s %s", victim, count, s.Name, filepath.Base(s.Path))
			return count == at, nil
		})
		if killed = count == at; killed {
			kills++
			if _, unfinished := os.Stat(filepath.Join(folder, "model.pp")); unfinished != nil {
				err = c.run(folder, "", nil)
			} else {
				err = nil
			}
		}
		if err != nil {
			t.Fatalf("killed %s: the same commands again: %v", where, err)
		}
		if got := c.left(t, folder); !maps.Equal(got, want) {
			t.Fatalf("killed %s: another run than without a kill: %s", where, difference(got, want))
		}
		os.RemoveAll(folder)
	}
	if kills*step < 8*chainRounds {
		t.Errorf("%s was killed %d times: a round has more calls", victim, kills)
	}
	t.Logf("%d kills of %s", kills, victim)
}

// changes says that a call changes a file.
func changes(c *crash.Call) bool {
	return c.Writes() || strings.HasPrefix(c.Name, "rename") || strings.HasPrefix(c.Name, "unlink") ||
		strings.HasSuffix(c.Name, "sync") ||
		c.Name == "openat" && c.Flags&os.O_CREATE != 0
}

func difference(got, want map[string]string) string {
	var names []string
	for name := range want {
		if got[name] != want[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// run runs the four stages in a folder, the victim under the eyes of visit.
func (c chain) run(folder, victim string, visit func(*crash.Stop) (bool, error)) error {
	ledger := filepath.Join(folder, "ledger")
	if _, err := os.Stat(ledger); err != nil {
		if err := begin(ledger); err != nil {
			return err
		}
	}
	os.Remove(filepath.Join(folder, "params"))
	if err := syscall.Mkfifo(filepath.Join(folder, "params"), 0o600); err != nil {
		return err
	}
	commands := [][]string{
		strings.Fields(fmt.Sprintf("sample -q --all --rounds %d --run chain %s/docs.pp", chainRounds, c.folder)),
		strings.Fields("estep " + strings.Replace(c.estep, " key", " "+c.folder+"/key", 1) + " -q --params params"),
		strings.Fields("privatize none -q --run chain --ledger ledger"),
		strings.Fields("mstep " + c.mstep + " -q --run chain --vocab " + c.folder +
			"/vocab.txt --params-out params -o model.pp"),
	}
	var group sync.WaitGroup
	failures := make([]error, len(commands))
	var input *os.File
	for i, command := range commands {
		var in, output *os.File
		in = input
		if i < len(commands)-1 {
			var err error
			if input, output, err = os.Pipe(); err != nil {
				return err
			}
		}
		group.Go(func() {
			failures[i] = stage(folder, command, in, output,
				map[bool]func(*crash.Stop) (bool, error){true: visit}[command[0] == victim])
			in.Close()
			output.Close()
		})
	}
	group.Wait()
	return errors.Join(failures...)
}

// stage runs a stage to its end.
func stage(folder string, command []string, in, output *os.File, visit func(*crash.Stop) (bool, error)) error {
	var messages bytes.Buffer
	path, err := exec.LookPath(command[0])
	if err != nil {
		return err
	}
	if visit != nil {
		program := crash.Program{
			Path: path, Args: command[1:], Dir: folder, Files: [3]*os.File{in, output}, Deadline: runDeadline,
		}
		end, err := crash.Run(program, visit)
		if err == nil && (end.Killed || end.Status.ExitStatus() != 0) {
			err = fmt.Errorf("%s ended with %v", command[0], end.Status)
		}
		return err
	}
	s := exec.Command(path, command[1:]...)
	s.Dir, s.Stderr = folder, &messages
	if in != nil {
		s.Stdin = in
	}
	if output != nil {
		s.Stdout = output
	}
	late := time.AfterFunc(runDeadline, func() { s.Process.Kill() })
	defer late.Stop()
	if err := s.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", command[0], err, messages.String())
	}
	return nil
}

// left is what a run left that another one must leave, too.
func (c chain) left(t *testing.T, folder string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "ledger.releases/chain/*"))
	if err != nil || len(files) < chainRounds {
		t.Fatalf("%d files of releases, %v", len(files), err)
	}
	if strings.Contains(c.estep, "report.jsonl") {
		files = append(files, filepath.Join(folder, "report.jsonl"))
	}
	if c.keeps() {
		files = append(files, filepath.Join(folder, "state.pp"))
	}
	left := make(map[string]string)
	for _, name := range append(files, filepath.Join(folder, "model.pp")) {
		left[filepath.Base(name)] = read(t, name)
	}
	if charged := charges(t, filepath.Join(folder, "ledger")); len(charged) != chainRounds || charged[1] != 1 ||
		charged[2] != 1 || charged[3] != 1 {
		t.Fatalf("the charges of the rounds are %v", charged)
	}
	return left
}

// adds checks a run by itself: its rounds differ, and the sum of all increments is the counts in the state.
func (c chain) adds(t *testing.T, folder string) {
	t.Helper()
	release := func(round int) string {
		return read(t, filepath.Join(folder, fmt.Sprintf("ledger.releases/chain/%09d", round)))
	}
	if release(1) == release(2) || release(2) == release(3) {
		t.Error("a round released what the round before did: no topic was drawn again")
	}
	if !strings.Contains(c.estep, "increments") {
		return
	}
	in, h, err := endpoint.OpenStream(t.Context(), filepath.Join(folder, "state.pp"),
		endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_STATE}})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	cells := int(h.Matrices[0].Cells())
	counts := make([]float32, cells)
	for {
		record, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range modeltest.Dense(h.Matrices, record.GetContribution().GetParts())[cells : 2*cells] {
			counts[i] += float32(x)
		}
	}
	model, _, err := endpoint.OpenStream(t.Context(), filepath.Join(folder, "model.pp"),
		endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_PARAMETERS}})
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	set, err := model.ReadOne(nil)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := stream.Cells[float32](set, "counts")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(sum, counts) || slices.Max(counts) == 0 {
		t.Errorf("the increments add up to %v, and the state has %v", sum, counts)
	}
}
