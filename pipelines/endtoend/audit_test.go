package endtoend

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/testkit/mutants"
)

// found are the mutants that this test audits, of those that pipelines/testkit/mutants has an audit for: of noise, of the
// bound on a unit, of what counts twice, and of what is charged. `just mutants` audits all of them; .ci/run
// does so in a step of its own, and skips these here by PRIVPIPE_MUTANTS=0.
var found = []string{
	"release-gaussian-70-percent", "release-laplace-halved", "release-off-diagonal-halved", "release-noise-over-clip",
	"release-noise-reused", "noise-seed-fixed",
	"release-clip-after-the-sum", "release-symmetric-once", "release-l2-for-laplace", "release-bounds-ignored",
	"release-parts-unclipped", "release-unit-twice", "release-unit-twice-over-inputs",
	"event-adjacency-mixed-up", "event-batch-as-a-unit", "event-non-negative-assumed",
}

// attempts is how often a broken privatizer is audited until it is found. At most one audit in a hundred misses one, so that
// all attempts do with a probability of about 1e-6.
const attempts = 3

// TestAudit audits privatize and privatizers that are broken, each in one way. The sound one fails with probability 1e-7, the
// audit's own.
func TestAudit(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of rounds of privatize")
	}
	memory := t.TempDir()
	if _, err := os.Stat("/dev/shm"); err == nil { // privatize syncs what it writes, which takes long on a disk
		if memory, err = os.MkdirTemp("/dev/shm", "privpipe-"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(memory) })
	}
	audit := func(t *testing.T, binary, flags string) (code int, message string) {
		t.Helper()
		s := bash(memory, fmt.Sprintf("evaluate audit --binary %q --confidence 0.9999999 --folder . %s", binary, flags))
		if err := s.Run(); err != nil && s.ProcessState == nil {
			t.Fatal(err)
		}
		t.Logf("%s%s", s.stdout.String(), s.stderr.String())
		return s.ProcessState.ExitCode(), s.stderr.String()
	}
	t.Run("sound", func(t *testing.T) {
		for _, flags := range []string{
			"--one-run", "--adjacency replace-one --unit user --one-run --case neighbours --case delivered-twice",
			"--mechanism laplace --one-run --case neighbours --case delivered-twice",
		} {
			if code, message := audit(t, "privatize", "--runs 200 "+flags); code != 0 {
				t.Errorf("%s: exit code %d: %s", flags, code, message)
			}
		}
	})
	all, err := mutants.All()
	if err != nil {
		t.Fatal(err)
	}
	t.Run("mutants", func(t *testing.T) {
		if os.Getenv("PRIVPIPE_MUTANTS") == "0" {
			t.Skip("PRIVPIPE_MUTANTS=0")
		}
		for _, name := range found {
			t.Run(name, func(t *testing.T) {
				i := slices.IndexFunc(all, func(m *mutants.Mutant) bool { return m.Name == name })
				if i < 0 || len(all[i].Audits) == 0 {
					t.Fatal("no such mutant, or none that an audit finds")
				}
				m := all[i]
				binary, err := m.Build(root, t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				code, message := audit(t, binary, m.Audits[0])
				for n := 1; n < attempts && code == 0; n++ {
					code, message = audit(t, binary, m.Audits[0])
				}
				if code != 83 || !strings.Contains(message, m.Finds) {
					t.Errorf("exit code %d, must be 83, with a message that has %q: %s", code, m.Finds, message)
				}
			})
		}
	})
}
