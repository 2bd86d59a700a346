package endtoend

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestWall trains as three users, one for each side of the wall. The recipe itself tries what each of them can open,
// and fails where that is more than it should be.
func TestWall(t *testing.T) {
	folder := wallFolder(t)
	out := run(t, folder, "recipes/wall/wall.sh --rounds 4 --topics 3 some.jsonl out")
	for _, want := range []string{
		"outsider cannot read run/privpipe/contributions\n",
		"outsider cannot read var/lib/privpipe-private/documents.pp\n",
		"outsider cannot write var/lib/privpipe-wall/run.ledger\n",
		"privpipe-model cannot write run/privpipe/releases\n",
		"/000000001.sum\n", "verified: 6 lines, 4 charges", "document  4\n", "topic  share",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// TestWallNotices opens a door in the wall, and wall.sh must find it.
func TestWallNotices(t *testing.T) {
	folder := wallFolder(t)
	for name, door := range map[string]struct{ closed, open, message string }{
		"contributions": {"contributions 0600", "contributions 0604",
			"wall: outsider can read run/privpipe/contributions"},
		"releases": {"releases      0600", "releases      0602", "wall: outsider can write run/privpipe/releases"},
	} {
		s := bash(folder, fmt.Sprintf(`
cp recipes/wall/tmpfiles.d/privpipe.conf closed
trap 'mv closed recipes/wall/tmpfiles.d/privpipe.conf' EXIT
sed 's/%s/%s/' closed >recipes/wall/tmpfiles.d/privpipe.conf
recipes/wall/wall.sh --rounds 4 --topics 3 some.jsonl %s`, door.closed, door.open, name))
		s.Run()
		if code := s.ProcessState.ExitCode(); code != 1 || !strings.Contains(s.stderr.String(), door.message) {
			t.Errorf("%s: exit code %d, %s; want 1, %s", name, code, s.stderr.String(), door.message)
		}
	}
}

// wallFolder returns a new folder that other users can reach, with the recipes and some text, or skips the test.
func wallFolder(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("wall.sh needs root, to start programs as other users")
	}
	if _, err := exec.LookPath("setpriv"); err != nil {
		t.Skip("wall.sh needs setpriv, of util-linux")
	}
	folder, err := os.MkdirTemp("", "privpipe-wall-") // t.TempDir is only for its user
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	run(t, folder, fmt.Sprintf(`cp -r %q . && comments "$(go env GOROOT)/src/net/http" >some.jsonl`,
		filepath.Join(root, "pipelines/recipes")))
	return folder
}

// TestWallUnits installs the units below a folder and has systemd verify them and rate how exposed they are.
func TestWallUnits(t *testing.T) {
	const units = "/usr/lib/systemd/system"
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("needs systemd-analyze")
	}
	if _, err := os.Stat(filepath.Join(units, "sysinit.target")); err != nil {
		t.Skipf("needs the units of systemd itself: %v", err)
	}
	folder := t.TempDir()
	run(t, folder, filepath.Join(root, "pipelines/recipes/wall/install.sh")+` root
mkdir -p root/usr/lib/systemd && cp -r `+units+` root/usr/lib/systemd
units=$(cd root/etc/systemd/system && ls -p | grep -v /)
test -z "$(systemd-analyze verify --root=root $units 2>&1 | tee /dev/stderr)"`)
	for _, unit := range []string{"private", "wall", "model", "verify"} {
		report := run(t, folder,
			"systemd-analyze security --no-pager --offline=true --root=root privpipe-"+unit+".service")
		match := regexp.MustCompile(`Overall exposure level for .*: (\d+\.\d)`).FindStringSubmatch(report)
		if match == nil {
			t.Fatalf("no rating in\n%s", report)
		}
		if exposure, err := strconv.ParseFloat(match[1], 64); err != nil || exposure > 0.5 {
			t.Errorf("privpipe-%s.service is exposed by %s, want at most 0.5\n%s", unit, match[1], report)
		}
	}
}
