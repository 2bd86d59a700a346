package endtoend

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/mutants"
)

// attempts is how often a broken program is audited until it is found. At most one audit in a hundred misses one, so
// that all attempts do with a probability of about 1e-6.
const attempts = 3

// TestAudit audits privatize and privatizers that are broken, each in one way. The sound one fails with probability
// 1e-7, the audit's own.
func TestAudit(t *testing.T) {
	testkit.Deep(t, "audits")
	t.Parallel()
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
	auditMutants(t, "privatize", audit)
}

// TestAuditEStep audits the draws of estep, and of samplers that are broken, each in one way. The sound one fails with
// probability 1e-7.
func TestAuditEStep(t *testing.T) {
	testkit.Deep(t, "audits")
	audit := auditor(t)
	t.Run("sound", func(t *testing.T) {
		if code, message := audit(t, "estep", "estep --documents 2000"); code != 0 {
			t.Errorf("exit code %d: %s", code, message)
		}
	})
	auditMutants(t, "estep", audit)
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
		s := bash(memory, fmt.Sprintf("evaluate audit %s --binary %q --confidence 0.9999999 --folder .", arguments,
			binary))
		if err := s.Run(); err != nil && s.ProcessState == nil {
			t.Fatal(err)
		}
		t.Logf("%s%s", s.stdout.String(), s.stderr.String())
		return s.ProcessState.ExitCode(), s.stderr.String()
	}
}

// auditMutants audits a stage's mutants. Each audit that pipelines/testkit/mutants names for a mutant must find that
// mutant.
func auditMutants(t *testing.T, stage string, audit audited) {
	all, err := mutants.All()
	if err != nil {
		t.Fatal(err)
	}
	t.Run("mutants", func(t *testing.T) {
		for _, m := range all {
			if len(m.Audits) == 0 || mutants.Audited(m.Audits[0]) != stage {
				continue
			}
			t.Run(m.Name, func(t *testing.T) {
				binary, err := m.Build(root, t.TempDir(), stage)
				if err != nil {
					t.Fatal(err)
				}
				for _, arguments := range m.Audits {
					code, message := audit(t, binary, arguments)
					for n := 1; n < attempts && code == 0; n++ {
						code, message = audit(t, binary, arguments)
					}
					if code != 83 || !strings.Contains(message, m.Finds) {
						t.Errorf("%s: exit code %d, must be 83, with a message that has %q: %s", arguments, code,
							m.Finds, message)
					}
				}
			})
		}
	})
}
