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

// foundDraws are those that TestAuditEStep audits: weights as released, documents that depend on one another, and increments
// under the name of counts.
var foundDraws = []string{"gibbs-weights-as-released", "gibbs-in-place-uncoupled", "gibbs-increments-as-counts"}

// attempts is how often a broken program is audited until it is found. At most one audit in a hundred misses one, so that
// all attempts do with a probability of about 1e-6.
const attempts = 3

// TestAudit audits privatize and privatizers that are broken, each in one way. The sound one fails with probability 1e-7, the
// audit's own.
func TestAudit(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("thousands of rounds of privatize")
	}
	audit := auditor(t)
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
	auditMutants(t, found, audit)
}

// TestAuditEStep audits the draws of estep, and of samplers that are broken, each in one way. The sound one fails with probability 1e-7.
func TestAuditEStep(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of rounds of estep")
	}
	audit := auditor(t)
	t.Run("sound", func(t *testing.T) {
		if code, message := audit(t, "estep", "estep --documents 2000"); code != 0 {
			t.Errorf("exit code %d: %s", code, message)
		}
	})
	auditMutants(t, foundDraws, audit)
}

// An audited is the exit code and the message of an audit of a program.
type audited func(t *testing.T, binary, arguments string) (code int, message string)

// auditor returns what runs evaluate audit.
func auditor(t *testing.T) audited {
	memory := t.TempDir()
	if _, err := os.Stat("/dev/shm"); err == nil { // privatize syncs what it writes, which takes long on a disk
		if memory, err = os.MkdirTemp("/dev/shm", "privpipe-"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(memory) })
	}
	return func(t *testing.T, binary, arguments string) (code int, message string) {
		t.Helper()
		s := bash(memory, fmt.Sprintf("evaluate audit %s --binary %q --confidence 0.9999999 --folder .", arguments, binary))
		if err := s.Run(); err != nil && s.ProcessState == nil {
			t.Fatal(err)
		}
		t.Logf("%s%s", s.stdout.String(), s.stderr.String())
		return s.ProcessState.ExitCode(), s.stderr.String()
	}
}

// auditMutants audits the programs of mutants, which must be found.
func auditMutants(t *testing.T, names []string, audit audited) {
	all, err := mutants.All()
	if err != nil {
		t.Fatal(err)
	}
	t.Run("mutants", func(t *testing.T) {
		if os.Getenv("PRIVPIPE_MUTANTS") == "0" {
			t.Skip("PRIVPIPE_MUTANTS=0")
		}
		for _, name := range names {
			t.Run(name, func(t *testing.T) {
				i := slices.IndexFunc(all, func(m *mutants.Mutant) bool { return m.Name == name })
				if i < 0 || len(all[i].Audits) == 0 {
					t.Fatal("no such mutant, or none that an audit finds")
				}
				m := all[i]
				binary, err := m.Build(root, t.TempDir(), mutants.Audited(m.Audits[0]))
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
