package mutants

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"privpipe/pipelines/testkit/overlay"
)

// house is a module. Its mutants need each way to choose a copy.
var house = map[string]string{
	"go.mod": "module house\n\ngo 1.26\n",
	"yard/door.go": `package house

import "strings"

type door struct{ shut int }

// close has a receiver that it changes, and named results.
func (d *door) close(times int) (before, after int) {
	before = d.shut
	d.shut += times // a comment
	after = d.shut
	return
}

func (door) color() string { return "green" }

func join(separator string, _ int, parts ...string) string { return strings.Join(parts, separator) }

func largest[K comparable, V int | float64](of map[K]V) (most V) {
	for _, v := range of {
		if v > most {
			most = v
		}
	}
	return most
}

type list[T any] []T

func (l *list[T]) add(x T) { *l = append(*l, x) }

func ignored(int, ...string) bool { return true }

func sum(a, b, c int) int { return a*(b+c) + a }

var key = strings.Repeat("k", 2)

var lock = key + "l"
`,
	"yard/door_test.go": `package house

import (
	"os"
	"testing"
	"time"
)

func same[T comparable](t *testing.T, got, want T) {
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestClose(t *testing.T) {
	d := &door{shut: 1}
	before, after := d.close(2)
	same(t, [3]int{before, after, d.shut}, [3]int{1, 3, 3})
}
func TestColor(t *testing.T)   { same(t, door{}.color(), "green") }
func TestJoin(t *testing.T)    { same(t, join("-", 0, "a", "b"), "a-b") }
func TestLargest(t *testing.T) { same(t, largest(map[string]float64{"a": 1, "b": 2}), 2) }
func TestAdd(t *testing.T) {
	var l list[string]
	l.add("a")
	same(t, len(l), 1)
}
func TestIgnored(t *testing.T) { same(t, ignored(1, "a"), true) }
func TestSum(t *testing.T)     { same(t, sum(2, 3, 4), 16) }
func TestLock(t *testing.T)    { same(t, lock, "kkl") }
func TestBlind(t *testing.T)   { door{}.color() }
func TestBroken(t *testing.T)  { t.Error("broken") }
func TestHangs(t *testing.T) {
	for (door{}).color() != "green" {
		time.Sleep(time.Millisecond)
	}
}
func TestSkips(t *testing.T) {
	if (door{}).color() != "green" {
		t.Skip()
	}
}
func TestSub(t *testing.T) {
	t.Run("one", func(t *testing.T) { same(t, door{}.color(), "green") })
	t.Run("two", func(t *testing.T) {})
}
func TestCrash(t *testing.T) {
	if (door{}).color() != "green" {
		os.Exit(3)
	}
}
`,
}

// found are mutants that their tests find.
const found = `closed-twice: A method with a receiver that is a pointer, and named results.
	test: TestClose
	func door.close: times => 2*times
closed-never: Another mutant of the function, with a statement in place of another.
	test: TestClose
	func door.close: d.shut += times =>
closed-first: A statement at the beginning.
	test: TestClose
	func door.close: => d.shut++
red: A method without a name for its receiver.
	test: TestColor TestSub/one TestCrash
	func door.color: "green" => "red"
joined-backwards: A variadic function with a blank parameter and a helper that needs an import.
	test: TestJoin
	func join: parts => backwards(parts)
	with: import "slices"
	with: func backwards(all []string) []string {
			all = slices.Clone(all)
			slices.Reverse(all)
			return all
		}
least: A generic function, two changes of it.
	test: TestLargest
	func largest: v > most => v < most || most == 0
	func largest: return most => return most + 0
added-twice: A method of a generic type, without results.
	test: TestAdd
	func list.add: append(*l, x) => append(*l, x, x)
ignored: Parameters without names.
	test: TestIgnored
	func ignored: true => false
bound: The whole sum is multiplied, as syntax says, and not the text.
	test: TestSum
	func sum: c => c + 1
second: The second of three.
	test: TestSum
	func sum: 2/2 a => a + 1
key: A variable on which another depends.
	test: TestLock
	var key: 2 => 3
`

// missed are mutants that their tests do not find, in ways that differ.
const missed = `blind: The test does not look.
	test: TestBlind TestSub/two
	func door.color: "green" => "red"
skips: The test skips.
	test: TestSkips
	func door.color: "green" => "red"
`

// broken names a test that fails without it, and one that is not there.
const broken = `broken: The test fails.
	test: TestBroken TestAbsent
	func door.color: "green" => "red"
`

func houseOf(t *testing.T, text string) (folder string, all []*Mutant) {
	t.Helper()
	folder = t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "yard"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range house {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, err := parse("yard", text)
	if err != nil {
		t.Fatal(err)
	}
	return folder, all
}

// TestWorkshop: tests find mutants of each kind of function, and what they do not find is said.
func TestWorkshop(t *testing.T) {
	folder, all := houseOf(t, found+missed+broken)
	w := &workshop{root: folder, folder: t.TempDir(), temporary: t.TempDir(), patience: time.Minute}
	if err := w.build(all); err != nil {
		t.Fatal(err)
	}
	sound, last := all[:len(all)-1], all[len(all)-1:]
	if err := failures(w.without(named(sound))); err != nil {
		t.Errorf("without a mutant: %v", err)
	}
	outcomes := make(map[string]string)
	for _, r := range w.with(sound) {
		if r.err != nil {
			outcomes[r.mutant.Name+" "+r.test.Name] = r.err.Error()
		}
	}
	for of, want := range map[string]string{
		"blind TestBlind":   "mutant blind survived: TestBlind of ./yard passes",
		"blind TestSub/two": "mutant blind survived",
		"skips TestSkips":   "is skipped",
	} {
		if !strings.Contains(outcomes[of], want) {
			t.Errorf("%s: got %q, want %q", of, outcomes[of], want)
		}
		delete(outcomes, of)
	}
	if len(outcomes) > 0 {
		t.Errorf("not found: %q", outcomes)
	}
	if err := failures(w.without(named(last))); err == nil ||
		!strings.Contains(err.Error(), "TestBroken of ./yard fails") ||
		!strings.Contains(err.Error(), "TestAbsent of ./yard does not run") {
		t.Errorf("tests that fail without a mutant: %v", err)
	}
	w.patience = time.Second
	hanging := &run{mutant: sound[3], test: Test{"yard", "TestHangs"}}
	if outcome, _ := w.do(hanging); outcome != "does not end within 1s" {
		t.Errorf("a test without a deadline %s", outcome)
	}
	w.patience = time.Minute
	unknown := &run{mutant: &Mutant{Name: "unknown"}, test: Test{"yard", "TestColor"}}
	outcome, out := w.do(unknown)
	if !strings.Contains(outcome, "does not run") || !strings.Contains(out, "there is no mutant unknown") {
		t.Errorf("a mutant that is not built: %s, %s", outcome, out)
	}
}

// TestStale: a mutant fits if its function has the syntax as often as it says, wherever the function stands.
func TestStale(t *testing.T) {
	for name, c := range map[string]struct{ line, want string }{
		"other spaces":       {"func sum: a *(b + c) => 0", ""},
		"a statement":        {"func door.close: d.shut+=times => d.shut = times", ""},
		"several":            {"func door.close: d.shut += times; after = d.shut =>", ""},
		"changed":            {"func sum: a*(b-c) => 0", "0 times"},
		"twice":              {"func sum: a => 0", "2 times"},
		"fewer than said":    {"func sum: 2/3 a => 0", "2 times"},
		"none of them":       {"func sum: 3/2 a => 0", "2 times"},
		"name of a field":    {"func door.close: shut => open", "0 times"},
		"no such function":   {"func door.open: a => 0", "0 of door.open"},
		"no method":          {"func close: times => 0", "0 of close"},
		"no such variable":   {"var door: a => 0", "0 of door"},
		"no such folder":     {"func ./garden sum: a => 0", "0 of sum"},
		"no syntax":          {"func sum: a*( => 0", "expected"},
		"more than it opens": {"func sum: a*(b+c) => 0 }; func f() {", "no list of statements"},
	} {
		folder, all := houseOf(t, "m: It breaks.\n\ttest: TestSum\n\t"+c.line+"\n")
		p, err := newProgram(module(t, folder))
		if err != nil {
			t.Fatal(err)
		}
		err = p.add(all[0], 1)
		if said := fmt.Sprint(err); c.want == "" && err != nil ||
			c.want != "" && !(strings.HasPrefix(said, "mutant m ") && strings.Contains(said, c.want)) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// TestRecover: a function that recovers has no copies.
func TestRecover(t *testing.T) {
	folder, all := houseOf(t, "m: It breaks.\n\ttest: TestSum\n\tfunc guard: 1 => 2\n")
	text := "package house\n\nfunc guard() int { recover(); return 1 }\n"
	if err := os.WriteFile(filepath.Join(folder, "yard/guard.go"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := newProgram(module(t, folder))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.add(all[0], 1); err == nil || !strings.Contains(err.Error(), "recovers") {
		t.Errorf("error %v", err)
	}
}

// TestBuild: a program that is built for one mutant is that mutant, and none other.
func TestBuild(t *testing.T) {
	folder, all := houseOf(t, found)
	text := "package main\n\nimport \"os\"\n\nfunc answer() int { return 4 }\n\nfunc main() { os.Exit(answer()) }\n"
	if err := os.Mkdir(filepath.Join(folder, "cellar"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "cellar/main.go"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m := all[0]
	m.changes = []change{{"cellar", false, "answer", "4", "5"}}
	program, err := m.Build(folder, t.TempDir(), "cellar")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(variable, "another")
	if code := exitCode(t, program); code != 5 {
		t.Errorf("exit code %d", code)
	}
}

func exitCode(t *testing.T, program string) int {
	t.Helper()
	command := exec.Command(program)
	if err := command.Run(); command.ProcessState == nil {
		t.Fatal(err)
	}
	return command.ProcessState.ExitCode()
}

// module returns an empty overlay for the module in a folder.
func module(t *testing.T, folder string) *overlay.Overlay {
	t.Helper()
	o, err := overlay.New(folder)
	if err != nil {
		t.Fatal(err)
	}
	return o
}
