package mutants

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFaults: every mutant fits the sources, and names tests that are there.
func TestFaults(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 400 {
		t.Errorf("%d mutants", len(all))
	}
	p, err := newProgram(module(t, root))
	if err != nil {
		t.Fatal(err)
	}
	named := make(map[string]string) // the tests of a folder
	for i, m := range all {
		if err := p.add(m, i+1); err != nil {
			t.Error(err)
		}
		for _, test := range m.Tests {
			if named[test.Package] == "" {
				files, _ := filepath.Glob(filepath.Join(root, test.Package, "*_test.go"))
				for _, file := range files {
					text, err := os.ReadFile(file)
					if err != nil {
						t.Fatal(err)
					}
					named[test.Package] += string(text)
				}
			}
			name, script, _ := strings.Cut(test.Name, "/")
			if !strings.Contains(named[test.Package], "\nfunc "+name+"(") {
				t.Errorf("mutant %s: %s has no %s", m.Name, test.Package, name)
			}
			if name == "TestScripts" {
				file := filepath.Join(root, test.Package, "testdata/script", script+".txtar")
				if _, err := os.Stat(file); err != nil {
					t.Errorf("mutant %s must name a script: %v", m.Name, err)
				}
			}
		}
	}
}

const whole = `door: A door stays open.
		It is the second one.
	test: TestDoor TestLock/second
	test: ./garden TestGate
	audit: --case sums --rounds 5000
	audit: --case users
	finds: sums: open
	kills: yes
	simulation: 7 night, rain
	func Door.Close: shut() => open()
	func ./garden Gate: knock()
		=>
		knock()
		wait()
	with: import "time"
window: A window breaks.
	test: TestWindow
	var glass: "thick" => "thin"
`

func TestParse(t *testing.T) {
	all, err := parse("house", whole)
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	m := all[0]
	const breaks = "A door stays open. It is the second one."
	if m.Name != "door" || m.Breaks != breaks || m.Finds != "sums: open" || !m.Kills ||
		m.Scenario != "night, rain" || m.Seed != 7 {
		t.Errorf("parsed %+v", m)
	}
	tests := []Test{{"house", "TestDoor"}, {"house", "TestLock/second"}, {"garden", "TestGate"}}
	if !slices.Equal(m.Tests, tests) {
		t.Errorf("tests %v, want %v", m.Tests, tests)
	}
	if want := []string{"--case sums --rounds 5000", "--case users"}; !slices.Equal(m.Audits, want) {
		t.Errorf("audits %q, want %q", m.Audits, want)
	}
	if want := []string{`import "time"`}; !slices.Equal(m.with, want) {
		t.Errorf("with %q, want %q", m.with, want)
	}
	want := []change{
		{"house", false, "Door.Close", "shut()", "open()"}, {"garden", false, "Gate", "knock()", "knock()\nwait()"},
		{"house", true, "glass", `"thick"`, `"thin"`},
	}
	if got := slices.Concat(m.changes, all[1].changes); !slices.Equal(got, want) {
		t.Errorf("changes %+v, want %+v", got, want)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, change := range map[string][2]string{
		"words":            {"window: A window breaks.", "window:"},
		"what finds it":    {"\ttest: TestWindow\n", ""},
		"what audit finds": {"\tfinds: sums: open\n", ""},
		"name of a test":   {"./garden TestGate", "./garden"},
		"key":              {"kills: yes", "kill: yes"},
		"change":           {"\tvar glass: \"thick\" => \"thin\"\n", ""},
		"arrow":            {"shut() => open()", "shut() open()"},
		"anything new":     {"shut() => open()", "shut() => shut()"},
		"indent":           {"\ttest: TestWindow", "test: TestWindow"},
	} {
		text := strings.Replace(whole, change[0], change[1], 1)
		if text == whole {
			t.Fatalf("%s: the case changes nothing", name)
		}
		if all, err := parse("house", text); err == nil {
			t.Errorf("%s: parsed %+v", name, all)
		}
	}
}
