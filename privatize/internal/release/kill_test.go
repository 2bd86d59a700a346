package release

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"privpipe/pipelines/testkit"
)

// victim names the ledger that a test binary works on as a privatizer to be killed.
const victim = "PRIVATIZE_TEST_VICTIM"

const victimRounds = 60

func TestMain(m *testing.M) {
	if ledger := os.Getenv(victim); ledger != "" {
		if err := emitRounds(ledger); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// emitRounds releases round after round and prints each as "round cells", as a pipeline's privatizer sends them.
func emitRounds(ledger string) error {
	grant := newGrant()
	grant.Releases, grant.Scheme.Rounds = victimRounds, victimRounds
	p, err := Open(ledger, newTerms(grant))
	if err != nil {
		return err
	}
	defer p.Close()
	for round := 1; round <= victimRounds; round++ {
		cells, err := p.Begin(round, grant.Scheme)
		if err == nil && cells == nil {
			cells, _, err = p.Release(Announced{}) // a round without units: only noise
		}
		if err != nil {
			return err
		}
		fmt.Printf("%d %x\n", round, encodeCells(cells))
	}
	return nil
}

// TestKill kills a privatizer again and again, soon after a new release of it, at whatever step it is by then. Of every
// round one release leaves, the one that is charged, however often it is sent. Where a kill hits is up to chance; what
// must hold is not. In the gate the simulation does the same (pipelines/testkit/simulation); this one has real kills.
func TestKill(t *testing.T) {
	testkit.Deep(t, "kills")
	ledger := newLedger(t)
	random := rand.New(rand.NewPCG(1, 2))
	seen := make(map[string]string) // round to release
	kills := 0
	for len(seen) < victimRounds {
		command := exec.Command(os.Args[0])
		command.Env, command.Stderr = append(os.Environ(), victim+"="+ledger), os.Stderr
		out, err := command.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		until := len(seen) + 1 + random.IntN(3)
		for lines := bufio.NewReader(out); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				break // a line that the kill cut
			}
			round, cells, _ := strings.Cut(line, " ")
			if before, again := seen[round]; again && before != cells {
				t.Fatalf("round %s left twice, with different noise", round)
			}
			seen[round] = cells
			if len(seen) == until {
				time.AfterFunc(time.Duration(random.IntN(1000))*time.Microsecond, func() { command.Process.Kill() })
			}
		}
		err = command.Wait()
		if command.ProcessState.Exited() && err != nil {
			t.Fatal(err)
		}
		if !command.ProcessState.Exited() {
			kills++
		}
	}
	if kills == 0 {
		t.Error("nothing was killed")
	}
	all := charges(t, ledger)
	if len(all) != victimRounds {
		t.Fatalf("%d charges, want %d", len(all), victimRounds)
	}
	for _, c := range all {
		cells, err := hex.DecodeString(strings.TrimSpace(seen[fmt.Sprint(c.Round)]))
		if sum := sha256.Sum256(cells); err != nil || hex.EncodeToString(sum[:]) != c.Release {
			t.Errorf("the release of round %d is not the one that was charged", c.Round)
		}
	}
}
