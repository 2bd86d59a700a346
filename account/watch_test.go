package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"privpipe/account/internal/accountant"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/rounded"
	"privpipe/pipelines/testkit"
)

// watchable returns a grant of so many releases with a budget; ε 0: without one, of Laplace noise.
func watchable(id string, releases int, epsilon float64) *event.Grant {
	g := &event.Grant{
		Version: 1, ID: id, Created: testkit.Noon, Mechanism: event.Gaussian, Adjacency: event.AddRemove,
		Unit: event.Document,
		Clip: 1, NoiseMultiplier: 4, Releases: releases, Budget: event.Budget{Epsilon: epsilon, Delta: 1e-6},
		Scheme: event.Scheme{Method: event.Poisson, Rate: 0.1, Rounds: releases, Secret: true},
	}
	if epsilon == 0 {
		g.Mechanism, g.Budget = event.Laplace, event.Budget{}
	}
	return g
}

// A growing is a ledger that a test lets grow line by line.
type growing struct {
	path  string
	lines [][]byte
	next  int
}

// newGrowing writes the first lines of a book, and keeps the rest.
func newGrowing(t *testing.T, b *testkit.Book, first int) *growing {
	t.Helper()
	g := &growing{path: filepath.Join(t.TempDir(), "ledger")}
	for line := range strings.Lines(string(b.Bytes)) {
		g.lines = append(g.lines, []byte(line))
	}
	if err := os.WriteFile(g.path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	g.grow(t, first)
	return g
}

// grow appends so many lines more, each in two writes: a reader may come in between.
func (g *growing) grow(t *testing.T, lines int) {
	t.Helper()
	f, err := os.OpenFile(g.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range lines {
		line := g.lines[g.next]
		g.next++
		for _, part := range [][]byte{line[:len(line)/2], line[len(line)/2:]} {
			if _, err := f.Write(part); err != nil {
				t.Fatal(err)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// watch is the command, which has ten times what it takes a busy machine.
func watch(t *testing.T, arguments ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	command := exec.CommandContext(ctx, "account", append([]string{"watch"}, arguments...)...)
	command.Env = append(os.Environ(), "TERM=xterm") // all that a terminal needs but the terminal
	return command
}

// TestWatchPrints follows ledgers that are there, without a terminal: a line of what there is, and the end where the
// grant is used.
func TestWatchPrints(t *testing.T) {
	t.Parallel()
	fixed := watchable("fixed", 2, 0.5)
	fixed.Adjacency, fixed.Scheme = event.ReplaceOne,
		event.Scheme{Method: event.Fixed, Rate: 0.5, Size: 10, Population: 20, Rounds: 2, Secret: true}
	unstated := watchable("unstated", 2, 0)
	unstated.Mechanism = event.Gaussian
	two := new(testkit.Book)
	two.Of(t, watchable("east", 3, 0), 3, "eastern")
	two.Of(t, watchable("west", 4, 0), 4, "western")
	none := new(testkit.Book)
	for round := range 2 {
		c := event.NoCharge(round+1, event.Document, event.Scheme{Method: event.All, Rate: 1, Rounds: 2})
		c.Dataset, c.Run = "d", "bare"
		none.Charge(t, c)
	}
	head := event.NewHead()
	head.Budget = &event.Limit{Epsilon: 3, Delta: 1e-5}
	headed := new(testkit.Book)
	line := headed.Next(testkit.Noon)
	line.Type, line.Head = event.TypeHead, head
	headed.Add(t, line)
	for name, c := range map[string]struct {
		ledger *testkit.Book
		flags  string
		want   string
	}{
		"finished": {new(testkit.Book).Of(t, watchable("night", 5, 1), 5, "night"), "",
			`run night: release 5 of 5, ε 0\.\d+ of 1, δ 1e-06`},
		"no budget": {new(testkit.Book).Of(t, watchable("night", 5, 0), 5, "night"), "",
			`run night: release 5 of 5, ε 0\.\d+, δ 0`},
		"no δ":          {new(testkit.Book).Of(t, unstated, 2, "night"), "", `run night: release 2 of 2`},
		"the last run":  {two, "", `run western: release 4 of 4, ε [\d.]+, δ 0`},
		"a run by name": {two, "--run eastern", `run eastern: release 3 of 3, ε [\d.]+, δ 0`},
		"no privacy":    {none, "", `run bare: release 2 of 2, ε ∞, δ 0`},
		"a fixed size": {new(testkit.Book).Of(t, fixed, 2, "night"), "",
			`run night: release 2 of 2, ε [\d.]+ of 0\.5, δ 1e-06`},
		"by another": {new(testkit.Book).Of(t, watchable("night", 5, 1), 5, "night"), "--accountant renyi",
			`run night: release 5 of 5, ε 0\.\d+ of 1, δ 1e-06`},
		"a dry run":      {new(testkit.Book).Of(t, watchable("night", 5, 1), 5, "night"), "--dry-run", ``},
		"quiet":          {new(testkit.Book).Of(t, watchable("night", 5, 1), 5, "night"), "--quiet", ``},
		"waits, dry run": {headed, "--dry-run", ``},
	} {
		path := newGrowing(t, c.ledger, strings.Count(string(c.ledger.Bytes), "\n")).path
		command := watch(t, append(strings.Fields(c.flags), path)...)
		var stderr strings.Builder
		command.Stderr = &stderr
		stdout, err := command.Output()
		if err != nil || stderr.Len() > 0 || !regexp.MustCompile("^("+c.want+"\n)?$").Match(stdout) || c.want != "" &&
			len(stdout) == 0 {
			t.Errorf("%s: %v, %q, %q; want %q", name, err, stdout, stderr.String(), c.want)
		}
	}
}

// TestWatchRefuses what could be watched for ever in vain.
func TestWatchRefuses(t *testing.T) {
	folder := t.TempDir()
	files := headLedgers(t)
	whole := new(testkit.Book).Of(t, watchable("night", 5, 1), 2, "night").Bytes
	files["changed.ledger"] = []byte(strings.Replace(string(whole), `"rate":0.1`, `"rate":0.2`, 1))
	other := watchable("other", 2, 0)
	other.Version, other.Subject, other.Ledger = event.GrantVersion, testkit.SubjectFor(event.Gaussian),
		strings.Repeat("0", 32)
	content, err := json.Marshal(other)
	if err != nil {
		t.Fatal(err)
	}
	files["other.json"], files["broken.json"] = content, []byte("{}")
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for arguments, want := range map[string]struct {
		code    int
		message string
	}{
		"nowhere":                          {exit.Missing, "no such file"},
		"-":                                {exit.Missing, "no such file"},
		".":                                {exit.Usage, "must be a file"},
		os.DevNull:                         {exit.Usage, "must be a file"},
		"changed.ledger":                   {exit.Malformed, "line 1"},
		"--grant nowhere night.ledger":     {exit.Missing, "no such file"},
		"--grant broken.json night.ledger": {exit.Malformed, "broken.json"},
		"--grant other.json night.ledger":  {exit.Usage, "is for another ledger"},
		"--grant other.json --run night night.ledger": {exit.Usage, "can't be used together"},
	} {
		command := watch(t, strings.Fields(arguments)...)
		command.Dir = folder
		var stderr strings.Builder
		command.Stderr = &stderr
		stdout, _ := command.Output()
		if code := command.ProcessState.ExitCode(); code != want.code ||
			!strings.Contains(stderr.String(), want.message) || len(stdout) > 0 {
			t.Errorf("%s: exit code %d, %q, %q; want %d, %q", arguments, code, stdout, stderr.String(), want.code,
				want.message)
		}
	}
}

// TestWatchGrowing follows a ledger without a terminal while a run is charged, from before its first charge on. Beside
// it another grant is charged, too: its releases do not count, but its ε does.
func TestWatchGrowing(t *testing.T) {
	t.Parallel()
	const releases = 20
	g, beside := watchable("night", releases, 0), watchable("beside", 50, 0)
	b := new(testkit.Book)
	b.Begin(t)
	for _, g := range []*event.Grant{g, beside} {
		g.Version, g.Ledger, g.Subject = event.GrantVersion, b.Head().ID, testkit.SubjectFor(event.Laplace)
	}
	b.Grant(t, beside)
	b.Charge(t, testkit.ChargeOf(beside, 1, "beside"))
	b.Grant(t, g)
	for round := range releases {
		b.Charge(t, testkit.ChargeOf(g, round+1, "run-1"))
		b.Charge(t, testkit.ChargeOf(beside, round+2, "beside"))
	}
	file, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "grant.json"), file, 0o644); err != nil {
		t.Fatal(err)
	}
	ledger := newGrowing(t, b, 3)
	command := watch(t, "--grant", "grant.json", ledger.path)
	command.Dir = folder
	var stderr strings.Builder
	command.Stderr = &stderr
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	// A line is read before the ledger grows over the next tenth: the command may take as long as it likes.
	printed := bufio.NewReader(stdout)
	line, err := printed.ReadString('\n')
	if err != nil || line != "release 0 of 20, ε "+printedEpsilon(t, b, 1, "beside")+", δ 0\n" {
		t.Fatalf("the first line is %q, %v", line, err)
	}
	ledger.grow(t, 1) // the grant
	pattern := regexp.MustCompile(`^run run-1: release (\d+) of 20, ε ([\d.]+), δ 0\n$`)
	for used := 2; used <= releases; used += 2 {
		ledger.grow(t, 3)
		line, err := printed.ReadString('\n')
		found := pattern.FindStringSubmatch(line)
		if err != nil || found == nil || found[1] != strconv.Itoa(used) {
			t.Fatalf("printed %q, %v after %d releases", line, err, used)
		}
		if want := printedEpsilon(t, b, 2*used, "run-1"); found[2] != want {
			t.Errorf("ε %s after %d releases, want %s", found[2], used, want)
		}
		if used < releases {
			ledger.grow(t, 1) // the charge beside, which is no news
		}
	}
	rest, err := io.ReadAll(printed)
	if err := errors.Join(err, command.Wait()); err != nil || len(rest) > 0 || stderr.Len() > 0 {
		t.Errorf("%v, printed %q and %q at the end", err, rest, stderr.String())
	}
}

// printedEpsilon returns the pure ε of the first charges of a book as it is printed; the last must be of a run.
func printedEpsilon(t *testing.T, b *testkit.Book, charges int, run string) string {
	t.Helper()
	first := b.Charges()[:charges]
	if got := first[charges-1].Run; got != run {
		t.Fatalf("charge %d is of run %s, not %s", charges, got, run)
	}
	p, err := accountant.Named("pld").OfLedger().Spending(first)
	if err != nil {
		t.Fatal(err)
	}
	epsilon, err := p.Epsilon(0)
	if err != nil {
		t.Fatal(err)
	}
	return rounded.Up(epsilon)
}

var spent = regexp.MustCompile(`ε ([\d.]+) of 0\.5`)

// TestWatchOnTerminal follows ledgers that grow on a terminal: one line, which is gone in the end. Documents are
// counted where their number is public.
func TestWatchOnTerminal(t *testing.T) {
	poisson := watchable("night", 20, 0.5)
	fixed := watchable("night", 20, 0.5)
	fixed.Adjacency, fixed.Scheme = event.ReplaceOne,
		event.Scheme{Method: event.Fixed, Rate: 0.5, Size: 1000, Population: 2000, Rounds: 20, Secret: true}
	users := watchable("night", 20, 0.5)
	users.Adjacency, users.Unit, users.Scheme = fixed.Adjacency, event.User, fixed.Scheme
	for name, c := range map[string]struct {
		grant     *event.Grant
		documents bool
	}{"poisson": {poisson, false}, "fixed": {fixed, true}, "users": {users, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ledger := newGrowing(t, new(testkit.Book).Of(t, c.grant, 20, "night"), 1)
			x := testkit.Start(t, exec.Command("account", "watch", ledger.path), 140)
			x.Await("waiting", func(line string) bool { return line == "account: waiting for the first charge" })
			last := 0.0
			for release := range 20 {
				ledger.grow(t, 1)
				if release%8 == 7 { // however slow the machine is, it shows two values before the last
					x.Await(fmt.Sprintf("ε above %v", last), func(line string) bool {
						found := spent.FindStringSubmatch(line)
						if found == nil {
							return false
						}
						epsilon, err := strconv.ParseFloat(found[1], 64)
						higher := err == nil && epsilon > last
						last = max(last, epsilon)
						return higher
					})
				}
			}
			if code := x.Wait(); code != 0 || x.Screen() != "" {
				t.Errorf("exit code %d; left on the screen:\n%s", code, x.Screen())
			}
			documents := ""
			if c.documents {
				documents = `(, (\d+)000 documents(, (?:\d+ documents/s|[\d.]+ s a document))?)?`
			}
			line := regexp.MustCompile(`^account( \[=*>? *\] +\d+ %  release (\d+) of 20` +
				`(, waiting for the first charge|, ε ([\d.]+) of 0.5)?(, ETA \d+s)?` +
				`(, [\d.]+ (?:releases/s|s a release))?` + documents +
				`(, δ 1e-06)?|: waiting for the first charge)$`)
			before, values, counted := 0.0, 0, 0
			for _, shown := range x.Shown() {
				found := line.FindStringSubmatch(shown)
				if found == nil {
					t.Errorf("shown: %q", shown)
					continue
				}
				if c.documents && found[8] != "" {
					counted++
					if found[8] != found[2] {
						t.Errorf("documents of another number of batches: %q", shown)
					}
				}
				if found[4] != "" {
					epsilon, err := strconv.ParseFloat(found[4], 64)
					if err != nil || epsilon < before {
						t.Errorf("ε %v after %v: %v", epsilon, before, err)
					}
					if epsilon > before {
						values++
					}
					before = epsilon
				}
			}
			if values < 2 || c.documents && counted == 0 {
				t.Errorf("%d values of ε, %d of documents in\n%q", values, counted, x.Shown())
			}
		})
	}
}

// TestWatchBeforeTheFirst: the ledger has charges by another grant, and none yet by the watched grant. watch says no ε
// for the watched grant.
func TestWatchBeforeTheFirst(t *testing.T) {
	t.Parallel()
	b := new(testkit.Book)
	b.Begin(t)
	first, second := watchable("first", 2, 0.3), watchable("second", 20, 1)
	for _, g := range []*event.Grant{first, second} {
		g.Version, g.Ledger, g.Subject = event.GrantVersion, b.Head().ID, testkit.SubjectFor(event.Gaussian)
	}
	ledger := newGrowing(t, b.Of(t, first, 2, "first"), 4)
	second.Budget.After = b.LastHash()
	content, err := json.Marshal(second)
	if err != nil {
		t.Fatal(err)
	}
	grant := filepath.Join(t.TempDir(), "grant.json")
	if err := os.WriteFile(grant, content, 0o644); err != nil {
		t.Fatal(err)
	}
	x := testkit.Start(t, exec.Command("account", "watch", "--grant", grant, ledger.path), 140)
	x.Await("a line, drawn again and again", func(string) bool { return len(x.Shown()) > 4 })
	x.Type("\x03")
	x.Wait()
	waiting := regexp.MustCompile(`^account \[ *\]   0 %  release 0 of 20, waiting for the first charge(\^C)?$`)
	shown := x.Shown()
	if len(shown) < 3 {
		t.Errorf("shown: %q", shown)
	}
	for _, line := range shown[:len(shown)-1] {
		if !waiting.MatchString(line) {
			t.Errorf("shown: %q", line)
		}
	}
}

// TestWatchStopped: what is stopped while it waits leaves a clean line, and its message.
func TestWatchStopped(t *testing.T) {
	t.Parallel()
	ledger := newGrowing(t, new(testkit.Book).Of(t, watchable("night", 20, 0.5), 7, "named"), 8)
	x := testkit.Start(t, exec.Command("account", "watch", ledger.path), 120)
	x.Await("ε", func(line string) bool { return strings.HasSuffix(line, "of 0.5, δ 1e-06, run named") })
	x.Type("\x03")
	if code := x.Wait(); code != exit.Interrupted || x.Screen() != "account: error: stopped by SIGINT\n" {
		t.Errorf("exit code %d; left on the screen:\n%s", code, x.Screen())
	}
	// In a recipe, whose end nobody can miss: quietly, when the reader of its output goes away.
	command := exec.Command("bash", "-c", `
exec {line}< <(exec account watch `+ledger.path+`)
watcher=$!
until [[ -e shown ]]; do sleep 0.1; done
exec {line}<&-
wait $watcher || exit $?`)
	command.Dir = t.TempDir()
	x = testkit.Start(t, command, 120)
	x.Await("the releases", func(line string) bool { return strings.Contains(line, "release 7 of 20") })
	if err := os.WriteFile(filepath.Join(command.Dir, "shown"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code := x.Wait(); code != exit.ClosedOutput || x.Screen() != "" {
		t.Errorf("exit code %d; left on the screen:\n%s", code, x.Screen())
	}
	if shown := x.Shown(); len(shown) == 0 || !strings.Contains(shown[0], "release 7 of 20") {
		t.Errorf("shown: %q", shown)
	}
}
