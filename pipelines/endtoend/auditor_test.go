package endtoend

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestAuditorIsAnotherUser: who may read a ledger can verify it, whatever else is in the privatizer's folders. What
// could not be compared is said. Releases that the auditor names must be readable.
func TestAuditorIsAnotherUser(t *testing.T) {
	folder := t.TempDir()
	run(t, folder, `
account ledger new run.ledger
echo '{"text":"a house by the sea"}' >docs.jsonl
account plan --all --noise-multiplier 2 --ledger run.ledger --model words --matrix words=1xV -o grant.json
tokenize text docs.jsonl | sample --all | estep words | privatize --grant grant.json --ledger run.ledger -o releases.pp
cp "$(command -v account)" account; cp run.ledger other.ledger; cp -r run.ledger.releases other.ledger.releases
chmod -R a+rX run.ledger* account other.ledger*; chmod 600 run.ledger.releases/.last; chmod 700 other.ledger.releases; chmod 755 . ..`)
	// As another user, or where that takes root, without the right to read the same files.
	auditor := new(syscall.SysProcAttr)
	if os.Getuid() == 0 {
		auditor.Credential = &syscall.Credential{Uid: 65534, Gid: 65534}
	} else {
		run(t, folder, `chmod 0 run.ledger.releases/.last other.ledger.releases`)
		defer run(t, folder, `chmod 700 other.ledger.releases`)
	}
	for _, c := range []struct {
		arguments string
		code      int
		says      string
	}{
		{"verify run.ledger", 0, "may not read the hash beside the stored releases"},
		{"verify --releases run.ledger.releases run.ledger", 0, "may not read the hash beside the stored releases"},
		{"verify other.ledger", 0, "may not read stored releases"},
		{"verify --releases other.ledger.releases other.ledger", 82, "permission denied"},
		{"report --delta 1e-6 other.ledger", 0, ""},
	} {
		command := exec.Command(filepath.Join(folder, "account"), strings.Fields(c.arguments)...)
		command.Dir, command.SysProcAttr = folder, auditor
		said, err := command.CombinedOutput()
		if code := command.ProcessState.ExitCode(); code != c.code || !strings.Contains(string(said), c.says) {
			t.Errorf("account %s: exit code %d, %v: %s", c.arguments, code, err, said)
		}
	}
}
