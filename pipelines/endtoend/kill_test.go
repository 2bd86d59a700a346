package endtoend

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/wire/stream"
)

// TestKill kills a stage with SIGKILL at a random moment, again and again, and goes on with the run each time. Whenever
// the kill comes: the pipeline fails, no release is seen without its ledger line, a round that is released twice is the
// same bytes, and there is no half-written model. In the end each round is charged once. The moments are random, but
// nothing here may fail at any of them.
func TestKill(t *testing.T) {
	testkit.Deep(t, "kills")
	const rounds, kills = 30, 25
	folder := t.TempDir()
	comments(t, folder)
	run(t, folder, fmt.Sprintf(`
tokenize text --vocab %q -o docs.pp comments.jsonl
account ledger new ledger
account plan --noise-multiplier 1 --poisson 0.2 --rounds %d --ledger ledger --model lda --matrix topics=10xV --vocab %[1]q -o grant.json
mkdir pids`, vocabulary, rounds))
	releases := make(map[uint32][]byte)
	random := rand.New(rand.NewPCG(1, 2))
	stages := []string{"sample", "estep", "privatize", "mstep"}
	model := filepath.Join(folder, "model.pp")
	for attempt := range 10 * kills {
		s := bash(folder, fmt.Sprintf(`
rm -f pids/* params
mkfifo params
stage() { echo $BASHPID >pids/$1; exec "$@"; }
stage sample --poisson 0.2 --rounds %d docs.pp |
  stage estep lda --params params --params-wait 2s |
  stage privatize --grant grant.json --ledger ledger |
  tee releases.pp |
  stage mstep lda --topics 10 --vocab %q --params-out params -o model.pp`, rounds, vocabulary))
		s.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := s.Start(); err != nil {
			t.Fatal(err)
		}
		if attempt < kills {
			time.Sleep(time.Duration(random.Float64() * float64(400*time.Millisecond)))
			kill(folder, stages[random.IntN(len(stages))])
		}
		stuck := time.AfterFunc(runDeadline, func() { syscall.Kill(-s.Process.Pid, syscall.SIGKILL) })
		err := s.Wait()
		if !stuck.Stop() {
			t.Fatal("the pipeline did not come down")
		}
		charged := charges(t, filepath.Join(folder, "ledger"))
		for round, content := range released(t, filepath.Join(folder, "releases.pp")) {
			if charged[round] == 0 {
				t.Errorf("round %d was released without its ledger line", round)
			}
			before := releases[round]
			if n := min(len(before), len(content)); !bytes.Equal(before[:n], content[:n]) { // one may be cut short
				t.Errorf("round %d was released twice, and differently", round)
			}
			if len(content) > len(before) {
				releases[round] = content
			}
		}
		_, missing := os.Stat(model)
		if (err == nil) == (missing != nil) {
			t.Fatalf("the pipeline ended with %v, and the model with %v\n%s", err, missing, s.stderr.String())
		}
		if err == nil {
			t.Logf("done after %d attempts", attempt+1)
			break
		}
	}
	run(t, folder, "evaluate topics model.pp")
	charged := charges(t, filepath.Join(folder, "ledger"))
	for round := range uint32(rounds) {
		if charged[round+1] != 1 {
			t.Errorf("round %d was charged %d times, want once", round+1, charged[round+1])
		}
	}
}

// kill kills a stage, if it has begun.
func kill(folder, stage string) {
	text, err := os.ReadFile(filepath.Join(folder, "pids", stage))
	if err != nil {
		return
	}
	if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

// charges returns how many charges a ledger has for each round. The last line may be torn: privatize mends that when it
// runs next, and nothing was released for it.
func charges(t *testing.T, name string) map[uint32]int {
	t.Helper()
	text, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	ledger, err := event.ReadLedger(bytes.NewReader(whole), name)
	if err != nil {
		t.Fatal(err)
	}
	n := make(map[uint32]int)
	for _, charge := range ledger.Charges() {
		n[uint32(charge.Round)]++
	}
	return n
}

// released returns what stands in a stream of releases, perhaps a truncated one, by round.
func released(t *testing.T, name string) map[uint32][]byte {
	t.Helper()
	file, err := os.Open(name)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	in, err := stream.NewReader(file, name)
	if err != nil {
		t.Fatal(err)
	}
	rounds := make(map[uint32][]byte)
	for {
		record, err := in.Next()
		if err != nil { // the end, or where the stream was cut
			return rounds
		}
		rounds[record.Round] = append(rounds[record.Round], record.GetBlock().GetValues()...)
	}
}
