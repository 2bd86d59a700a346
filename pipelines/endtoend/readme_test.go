package endtoend

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"privpipe/pipelines/testkit"
)

// block matches a block of shell commands in a page.
var block = regexp.MustCompile("(?ms)^```sh\n(.*?)^```")

// onTerminal runs a script as somebody at a terminal does, and returns what the terminal shows.
func onTerminal(t *testing.T, folder, script string) string {
	t.Helper()
	if _, err := exec.LookPath("script"); err != nil {
		t.Log("no terminal: script of util-linux is missing")
		return run(t, folder, script)
	}
	write(t, folder, "block.sh", "set -euo pipefail\n"+script)
	s := bash(folder, `script --quiet --return --command "bash block.sh" /dev/null </dev/null`)
	if err := s.Run(); err != nil {
		t.Fatalf("%s\n%v\n%s%s", script, err, s.stdout.String(), s.stderr.String())
	}
	return s.stdout.String()
}

// firstBlock is the first block of the README, on the stages of this test and another text.
func firstBlock(t *testing.T, text string) string {
	t.Helper()
	return strings.NewReplacer("go build -o bin/ ./...", "true", `"$(go env GOROOT)/src"`, text).
		Replace(block.FindStringSubmatch(read(t, "README.md"))[1])
}

// TestReadme runs the first block of the README twice on a terminal. The second run makes the same model, charges
// nothing, and prints what the page shows, except for coins and noise.
func TestReadme(t *testing.T) {
	t.Parallel()
	folder, script := readmeFolder(t), firstBlock(t, `"$(go env GOROOT)/src/net"`)
	onTerminal(t, folder, script)
	model, ledger := filepath.Join(folder, "out/first/model.pp"), filepath.Join(folder, "out/first/run.ledger")
	before := read(t, model) + read(t, ledger)
	if err := os.Remove(model); err != nil {
		t.Fatal(err)
	}
	printed := onTerminal(t, folder, script)
	if read(t, model)+read(t, ledger) != before {
		t.Error("the first block makes another model, or charges the ledger again")
	}
	for _, line := range []string{
		"topic  share  words by relevance, with their probabilities", "pld         1  1e-06",
	} {
		if !strings.Contains(read(t, "README.md"), line) || !strings.Contains(printed, line) {
			t.Errorf("the README has no %q, or its first block prints none:\n%s", line, printed)
		}
	}
}

// TestReadmeStops runs the first block on a text of 0 bytes, in a shell that goes on after a command that fails, as a
// terminal does. Nothing is charged, and the model of an earlier text is not shown as this one's.
func TestReadmeStops(t *testing.T) {
	folder := readmeFolder(t)
	if err := os.Mkdir(filepath.Join(folder, "text"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := bash(folder, "set +e +o pipefail\n"+firstBlock(t, "../../text"))
	if err := s.Run(); err == nil || s.ProcessState.ExitCode() != 90 {
		t.Errorf("%v, want exit code 90", err)
	}
	if got, want := s.stderr.String(), "tokenize: error: standard input: empty, must have a document\n"+
		"tokenize: hint: if a command before this one failed, it says why\n"; got != want || s.stdout.Len() > 0 {
		t.Errorf("prints %q and %q, want nothing and %q", s.stdout.String(), got, want)
	}
	if _, err := os.Stat(filepath.Join(folder, "out/first/run.ledger")); err == nil {
		t.Error("the block goes on to the ledger")
	}
}

// TestReadmeShort: the README has at most 120 lines, and .ci/run finds the test command. The README and go.mod name the
// same version of Go.
func TestReadmeShort(t *testing.T) {
	page := read(t, "README.md")
	if lines := strings.Count(page, "\n"); lines > 120 {
		t.Errorf("%d lines, the most is 120", lines)
	}
	for line := range strings.Lines(page) {
		if length := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); length > 120 {
			t.Errorf("%d columns, the most is 120: %s", length, line)
		}
	}
	if !regexp.MustCompile(`(?m)^(go test .*[^ ]) *# .*`).MatchString(page) {
		t.Error("no test command as .ci/run reads it")
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, "go.mod"))[1]
	if !strings.Contains(page, "with Go "+version+",") {
		t.Errorf("the README names another version of Go than %s", version)
	}
}

// TestAllocationPage runs every command of the page on random allocation, in its order. The ledger then has what the
// page says.
func TestAllocationPage(t *testing.T) {
	testkit.Deep(t, "documents")
	t.Parallel()
	folder := readmeFolder(t)
	page := read(t, "sample/ALLOCATION.md")
	printed := ""
	for _, b := range block.FindAllStringSubmatch(page, -1) {
		printed += run(t, folder, b[1])
	}
	for _, want := range []string{
		`(?m)^pld +0\.9477 .* allocate × 10 × 8$`, `(?m)^pld +1(\.000)? .* poisson\(0\.1\) × 80$`,
		`(?m)^pld +1 +1e-06 .* 15$`, `(?m)^night +default +15 +gaussian .* allocate × 5 × 3 +yes$`,
		`(?m)^verified: 17 lines, 15 charges`,
	} {
		if !regexp.MustCompile(want).MatchString(printed) {
			t.Errorf("no %s in\n%s", want, printed)
		}
	}
	// Each document is in one round of each epoch.
	rounds := run(t, folder, "show --private <(sample --allocate --rounds 5 --epochs 3 --run night --secret coins "+
		"docs.pp)")
	documents := strings.Count(run(t, folder, "show --private docs.pp"), `{"document":`)
	for epoch, in := range map[string]string{"first": "[1-5]", "second": "([6-9]|10)", "third": "1[1-5]"} {
		ids := make(map[string]bool)
		found := regexp.MustCompile(`(?m)^\{"document":\{"round":`+in+`,"id":"([^"]*)"`).
			FindAllStringSubmatch(rounds, -1)
		for _, d := range found {
			ids[d[len(d)-1]] = true
		}
		if len(found) != documents || len(ids) != documents {
			t.Errorf("%s epoch: %d documents of %d ids, want each of %d once", epoch, len(found), len(ids), documents)
		}
	}
}

// TestTopicsPage runs the commands of the page on the number of topics and of clusters, and compares what they print
// with the page.
func TestTopicsPage(t *testing.T) {
	t.Parallel()
	page, folder := read(t, "pipelines/recipes/TOPICS.md"), readmeFolder(t)
	commands := block.FindAllStringSubmatch(page, -1)
	if len(commands) != 2 {
		t.Fatalf("%d commands, must be 2", len(commands))
	}
	for _, command := range commands {
		_, after, _ := strings.Cut(page, command[0])
		_, printed, _ := strings.Cut(after, "```\n")
		printed, _, _ = strings.Cut(printed, "```")
		s := bash(folder, command[1])
		if err := s.Run(); err != nil || s.stdout.String() != printed {
			t.Errorf("%v, printed\n%s%s", err, s.stdout.String(), s.stderr.String())
		}
	}
}

// TestPapersPage: the page of the papers says of each paper what it claims and which commands show it, which exist, and
// its tables stay readable.
func TestPapersPage(t *testing.T) {
	t.Parallel()
	page := read(t, "pipelines/recipes/papers/README.md")
	papers := regexp.MustCompile(`(?m)^\| ([a-z]+\d*) \| `).
		FindAllStringSubmatch(page[:strings.Index(page, "## The papers in short")], -1)
	names := make([]string, 0, len(papers))
	for _, paper := range papers[1:] { // the first row is the head
		names = append(names, paper[1])
		entry := regexp.MustCompile(`(?ms)^\*\*` + paper[1] + `\*\* claims .*?^` + "```\n(.*?)^```").
			FindStringSubmatch(page)
		if entry == nil {
			t.Errorf("%s: no claim with commands", paper[1])
			continue
		}
		for line := range strings.Lines(entry[1]) {
			command, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			path := filepath.Join(root, "pipelines/recipes", command)
			if !strings.HasSuffix(command, ".sh") {
				path = filepath.Join(root, command)
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: no command %s", paper[1], command)
			}
		}
	}
	if !slices.Equal(names, []string{"zcdp16", "ma16", "vips20", "hdp", "sub"}) {
		t.Errorf("papers %v", names)
	}
	for line := range strings.Lines(page) {
		if cells := strings.Split(line, " | "); strings.HasPrefix(line, "| ") && len(cells[len(cells)-1]) > 260 {
			t.Errorf("a last cell of %d bytes: numbers belong into a section: %.60s…", len(cells[len(cells)-1]), line)
		}
	}
}

// TestLinks checks that every file and every heading that a page links to exists.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]*)(?:#([^)]*))?\)`)
	for _, page := range pagesOfTree(t) {
		for _, match := range link.FindAllStringSubmatch(read(t, page), -1) {
			if strings.Contains(match[1], "://") {
				continue
			}
			path := filepath.Join(filepath.Dir(page), match[1])
			if match[1] == "" {
				path = page
			}
			if _, err := os.Stat(filepath.Join(root, path)); err != nil {
				t.Errorf("%s links to %s, which is not there", page, match[1])
			} else if match[2] != "" && !slices.Contains(anchors(read(t, path)), match[2]) {
				t.Errorf("%s links to the heading #%s of %s, which is not there", page, match[2], path)
			}
		}
	}
}

// anchors returns the anchors of the headings of a page, as GitHub makes them.
func anchors(text string) (anchors []string) {
	dropped := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		anchors = append(anchors,
			strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(heading[1]), ""), " ", "-"))
	}
	return anchors
}

// readmeFolder has the names that the READMEs use.
func readmeFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	comments(t, folder)
	for name, to := range map[string]string{
		"bin": os.Getenv("PRIVPIPE_BIN"), "pipelines": filepath.Join(root, "pipelines"), "docs.jsonl": "comments.jsonl",
		"held.jsonl": "comments.jsonl", "public.jsonl": "comments.jsonl",
	} {
		if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	table(t, folder, 2000)
	return folder
}

func read(t *testing.T, path string) string {
	t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
