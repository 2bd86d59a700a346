package endtoend

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
)

// TestKit makes the auditor's kit twice, and follows its page as someone who has nothing else: no checkout, no stage on
// PATH, no Go. Its two audits run in the deep suite, the second one shorter than the page has it.
func TestKit(t *testing.T) {
	t.Parallel()
	interpreter := python(t, "grpc_tools", "xxhash", "zstandard")
	if !has("jq") {
		t.Skip("no jq: the kit's page wants it")
	}
	folder := t.TempDir()
	// The stages of the test have no network code; the kit of a checkout builds its own.
	run(t, folder, fmt.Sprintf(`mkdir stages
ln -s "$PRIVPIPE_BIN"/{privatize,account} stages
PRIVPIPE_KIT_BIN=$PWD/stages %q/pipelines/recipes/kit.sh one
PRIVPIPE_KIT_BIN=$PWD/stages %[1]q/pipelines/recipes/kit.sh two
diff -r one two`, root))
	ends(t, folder, fmt.Sprintf("%q/pipelines/recipes/kit.sh one", root), 80, "is there already")
	for _, link := range dangling(t, filepath.Join(folder, "one")) {
		t.Errorf("a page of the kit links to what is not there: %s", link)
	}

	want := map[string][]string{
		"cmp release.pp again.pp": {"the same bytes, and no charge", "83  grant.json run.ledger other.pp: ",
			"83  weaker.json run.ledger people.pp: ", "83  grant.json fresh.ledger people.pp: ",
			"90  grant.json forged.ledger people.pp: ", "90  fresh.json fresh.ledger twice.pp: ",
			"90  fresh.json fresh.ledger nan.pp: ", "90  fresh.json fresh.ledger cut.pp: ",
			"83  fresh.json fresh.ledger wide.pp: "},
		"account report":        {"0.0280142275", "1.27225", "\npld         1  1e-06  "},
		"audit.sh":              {"audit: all of it is as PRIVACY.md says"},
		"reader.py":             {`"unit": "ada"`, `"scale": "4429917"`, " passed, 0 failed"},
		"sha256sum SHA256SUMS":  {"  SHA256SUMS"},
		"evaluate audit --bina": {"within the claim"},
	}
	blocks := block.FindAllStringSubmatch(read(t, "pipelines/recipes/kit/START.md"), -1)
	if len(blocks) != len(want) {
		t.Fatalf("START.md has %d blocks of commands, %d are expected", len(blocks), len(want))
	}
	for _, b := range blocks {
		script := b[1]
		for text, lines := range want {
			if !strings.Contains(script, text) {
				continue
			}
			slow := text == "audit.sh" || strings.HasPrefix(text, "evaluate")
			if slow && testkit.Repeats(t, "distribution", 0, 1) == 0 {
				continue
			}
			script = strings.Replace(script, "--rounds 20000", "--rounds 1000", 1)
			got := run(t, filepath.Join(folder, "one"), fmt.Sprintf(
				"exec env -i HOME=/nonexistent PYTHON=%q PATH=/usr/bin:/bin bash -euo pipefail <<'KIT'\n%s\nKIT",
				interpreter, script))
			for _, line := range lines {
				if !strings.Contains(got, line) {
					t.Errorf("the block with %s has no %q in\n%s", text, line, got)
				}
			}
			delete(want, text)
			break
		}
	}
}

// dangling returns the links of a folder's pages that lead nowhere.
func dangling(t *testing.T, folder string) (links []string) {
	t.Helper()
	link := regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".md") {
			return err
		}
		for _, match := range link.FindAllStringSubmatch(string(readFile(t, path)), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), match[1])); err != nil {
				links = append(links, path+": "+match[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return links
}
