package endtoend

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/stages"
)

// inCheckout are the pages whose commands run in a checkout after those of the README, and what they print.
var inCheckout = []struct {
	page string
	want []string
}{
	{"pipelines/README.md", []string{`{"round_open":{"round":1,"scheme":{"method":"POISSON","rate":0.5,`}},
	{"pipelines/recipes/README.md", []string{"topic  share  own"}},
	{"account/README.md", []string{"0.9321", "0.7337", "1.952", "1.64", "2.0005", "2.383", `"rounds": 59`}},
	{"privatize/README.md", []string{`"mechanism": "laplace"`, "0.1698"}},
	{"evaluate/README.md", []string{"topic  share  own", "Neighbours differ by add-remove of a document."}},
	{"pipelines/install/README.md", []string{"Trains a private topic model."}},
	{"pipelines/python/README.md", []string{"Trains a private topic model."}},
}

// byOwnTest are the pages that tests of their own run.
var byOwnTest = map[string]string{
	"account/ACCOUNTING.md":                "TestAccountingPage and TestEveryNight",
	"pipelines/recipes/CLUSTERS.md":        "TestClustersPage",
	"pipelines/recipes/TOPICS.md":          "TestTopicsPage",
	"pipelines/recipes/kit/START.md":       "TestKit",
	"pipelines/recipes/schedule/README.md": "TestSchedules",
	"pipelines/recipes/kafka/README.md":    "TestKafkaPage, topics.TestRunbook, and endpoint.TestKcat",
	"pipelines/recipes/kafka/recovery.md":  "operations.TestRecovery",
	"privatize/CHECKING.md":                "privatize.TestRecomputing",
	"sample/ALLOCATION.md":                 "TestAllocationPage",
	"tokenize/FORMATS.md":                  "tokenize.TestFormats",
}

// TestPagesAreRun: every page with shell commands is one that a test runs. A block without "sh" is no command as it
// stands.
func TestPagesAreRun(t *testing.T) {
	for _, page := range pagesOfTree(t) {
		_, own := byOwnTest[page]
		for _, other := range inCheckout {
			own = own || other.page == page
		}
		if block.MatchString(read(t, page)) && !own && page != "README.md" {
			t.Errorf("%s has commands that no test runs", page)
		}
	}
}

// TestPages follows the README in a fresh clone, block after block, each twice, and then the other pages. The programs
// of this test are not on PATH there. The test command alone it does not run: .ci/run does.
func TestPages(t *testing.T) {
	testkit.Deep(t, "documents")
	t.Parallel()
	clone := freshClone(t)
	const alone = "PATH=${PATH//$PRIVPIPE_BIN:/}; unset PRIVPIPE_BIN; ! type -P tokenize\n"
	for i, b := range block.FindAllStringSubmatch(read(t, "README.md"), -1) {
		script := alone + strings.Replace(b[1], "go test -ldflags=-w -timeout 40m ./...", "true", 1)
		first, kept := onTerminal(t, clone, script), ledgersOf(t, clone)
		onTerminal(t, clone, script)
		if ledgersOf(t, clone) != kept {
			t.Errorf("block %d: the second run charges a ledger", i+1)
		}
		if strings.Contains(b[1], "quickstart.sh") &&
			!strings.Contains(strings.ReplaceAll(first, "\r", ""), lastLines(t)) {
			t.Errorf("the quickstart ends with other lines than the README says:\n%s", first)
		}
	}
	if open := open(t, filepath.Join(clone, "out")); len(open) > 0 {
		t.Errorf("everybody may read %q", open)
	}
	for _, p := range inCheckout {
		printed := ""
		for _, b := range block.FindAllStringSubmatch(read(t, p.page), -1) {
			printed += onTerminal(t, clone, alone+b[1])
		}
		for _, want := range p.want {
			if !strings.Contains(printed, want) {
				t.Errorf("%s: no %s in\n%s", p.page, want, printed)
			}
		}
	}
}

// TestKafkaPage runs the first block of the runbook, a training over a broker of its own.
func TestKafkaPage(t *testing.T) {
	testkit.Deep(t, "kafka")
	if os.Getenv("PRIVPIPE_KAFKA_JARS") == "" {
		t.Skip("no PRIVPIPE_KAFKA_JARS")
	}
	folder := readmeFolder(t)
	run(t, folder, "mkdir -p out/quickstart/private && cp docs.jsonl out/quickstart/private/comments.jsonl")
	bin, err := stages.Build("./...", "-ldflags=-w") // with Kafka, which those of this package lack
	if err != nil {
		t.Fatal(err)
	}
	onTerminal(t, folder, "export PRIVPIPE_BIN="+bin+" PATH="+bin+":$PATH\n"+
		block.FindStringSubmatch(read(t, "pipelines/recipes/kafka/README.md"))[1])
	if _, err := os.Stat(filepath.Join(folder, "out/kafka/public/model.pp")); err != nil {
		t.Error(err)
	}
}

// lastLines are the lines that the quickstart ends with, as the README has them.
func lastLines(t *testing.T) string {
	t.Helper()
	lines := regexp.MustCompile("(?s)```\n(page: .*?)```").FindStringSubmatch(read(t, "README.md"))
	if lines == nil {
		t.Fatal("the README has no last lines of the quickstart")
	}
	return lines[1]
}

// TestAccountingPage runs the commands of the page on accounting, except for the script for every night, and looks for
// the numbers that it says they print.
func TestAccountingPage(t *testing.T) {
	testkit.Deep(t, "documents")
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, "vocab.txt", "one\ntwo\n")
	run(t, folder, "account ledger new --epsilon 3 --delta 1e-6 run.ledger")
	numbers := 0
	for _, b := range block.FindAllStringSubmatch(read(t, "account/ACCOUNTING.md"), -1) {
		if strings.HasPrefix(b[1], "#!") || strings.Contains(b[1], "tickets.csv") { // TestOwnWords runs the latter
			continue
		}
		printed := run(t, folder, b[1])
		said := regexp.MustCompile(`(?m)# (?:noise_multiplier )?([0-9]+\.[0-9]+)`)
		for _, said := range said.FindAllStringSubmatch(b[1], -1) {
			numbers++
			if !strings.Contains(printed, said[1]) {
				t.Errorf("no %s in\n%s", said[1], printed)
			}
		}
	}
	if numbers < 8 {
		t.Errorf("only %d numbers", numbers)
	}
}

// freshClone copies the files that git would have in a clone after a commit of what is here.
func freshClone(t *testing.T) string {
	t.Helper()
	clone := t.TempDir()
	run(t, root, `git ls-files -z --cached --others --exclude-standard |
		tar --create --null --files-from - | tar --extract --directory "`+clone+`"`)
	run(t, clone, "git init -q && git add --all && git -c user.name=test -c user.email=test@localhost commit -qm test")
	return clone
}

// ledgersOf returns the ledgers below a folder, one after the other.
func ledgersOf(t *testing.T, folder string) string {
	t.Helper()
	return run(t, folder, "find . -name '*.ledger' -type f | sort | xargs --no-run-if-empty cat")
}

// open lists the files below a folder that other users can read, except for those in folders named public, and for
// .lock, which names a recipe and its process.
func open(t *testing.T, folder string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != folder && (entry.Name() == "public" || info.Mode().Perm()&0o077 == 0):
			return filepath.SkipDir
		case !entry.IsDir() && entry.Name() != ".lock" && info.Mode().Perm()&0o077 != 0:
			names = append(names, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// pagesOfTree are the pages that git tracks, or that are new.
func pagesOfTree(t *testing.T) []string {
	t.Helper()
	list := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md")
	list.Dir = root
	names, err := list.Output()
	if err != nil {
		t.Skipf("no list of the files that git tracks (%v)", err)
	}
	pages := strings.Fields(string(names))
	return slices.DeleteFunc(pages, func(name string) bool {
		_, err := os.Stat(filepath.Join(root, name))
		return err != nil
	})
}
