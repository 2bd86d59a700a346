package mutants

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// root is the folder of the module.
const root = "../../.."

// TestPatches: every patch says what it breaks and what finds it, and fits the sources.
func TestPatches(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 100 {
		t.Errorf("%d mutants", len(all))
	}
	for _, m := range all {
		sources, err := m.Sources(root)
		if err != nil {
			t.Error(err)
		}
		for file := range sources {
			if strings.HasSuffix(file, "_test.go") || !strings.HasSuffix(file, ".go") {
				t.Errorf("%s changes %s, which is no source", m.Name, file)
			}
		}
		for _, test := range m.Tests {
			if info, err := os.Stat(filepath.Join(root, test.Package)); err != nil || !info.IsDir() {
				t.Errorf("%s names the tests of %s: %v", m.Name, test.Package, err)
			}
		}
	}
}

const whole = `# A door stays open.
# It is the second one.
# test: ./house TestDoor TestLock
# test: ./garden TestGate
# audit: --case sums --rounds 5000
# audit: --case users
# finds: sums: open
# kills: yes
--- a/house/door.go
+++ b/house/door.go
@@ -7,2 +7,2 @@
 	knock()
-	shut()
+	open()
@@ -20 +20,2 @@
 end
+	-- later
`

func TestParse(t *testing.T) {
	m, err := parse("door", whole)
	if err != nil {
		t.Fatal(err)
	}
	if m.Name != "door" || m.Breaks != "A door stays open. It is the second one." || m.Finds != "sums: open" || !m.Kills {
		t.Errorf("parsed %+v", m)
	}
	if len(m.Tests) != 2 || m.Tests[0].Package != "./house" || strings.Join(m.Tests[0].Names, " ") != "TestDoor TestLock" {
		t.Errorf("tests %v", m.Tests)
	}
	if strings.Join(m.Audits, "; ") != "--case sums --rounds 5000; --case users" {
		t.Errorf("audits %q", m.Audits)
	}
	want := []change{
		{"house/door.go", "\tknock()\n\tshut()\n", "\tknock()\n\topen()\n"}, {"house/door.go", "end\n", "end\n\t-- later\n"},
	}
	if len(m.changes) != 2 || m.changes[0] != want[0] || m.changes[1] != want[1] {
		t.Errorf("changes %q, want %q", m.changes, want)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, change := range map[string][2]string{
		"words":              {"# A door stays open.\n# It is the second one.\n", ""},
		"what finds it":      {"# test: ./house TestDoor TestLock\n# test: ./garden TestGate\n# audit: --case sums --rounds 5000\n# audit: --case users\n# finds: sums: open\n# kills: yes\n", ""},
		"what audit finds":   {"# finds: sums: open\n", ""},
		"name of a test":     {"# test: ./garden TestGate\n", "# test: ./garden\n"},
		"key":                {"# kills: yes\n", "# kill: yes\n"},
		"hunks":              {whole[strings.Index(whole, "---"):], ""},
		"file":               {"+++ b/house/door.go\n", ""},
		"line without mark":  {" end\n", "end\n"},
		"line before a hunk": {"@@ -7,2 +7,2 @@\n", ""},
	} {
		text := strings.Replace(whole, change[0], change[1], 1)
		if text == whole {
			t.Fatalf("%s: the case changes nothing", name)
		}
		if m, err := parse("door", text); err == nil {
			t.Errorf("%s: parsed %+v", name, m)
		}
	}
}

// TestStale: a patch fits if its lines are in the source once, wherever they stand.
func TestStale(t *testing.T) {
	for name, c := range map[string]struct {
		source, want string
	}{
		"fits":         {"a\n\tknock()\n\tshut()\nb\nend\n", "a\n\tknock()\n\topen()\nb\nend\n\t-- later\n"},
		"at the start": {"\tknock()\n\tshut()\nend\nx\n", "\tknock()\n\topen()\nend\n\t-- later\nx\n"},
		"changed":      {"\tknock()\n\tslam()\nend\n", ""},
		"twice":        {"\tknock()\n\tshut()\n\tknock()\n\tshut()\nend\n", ""},
		"part of line": {"x\tknock()\n\tshut()\nend\n", ""},
	} {
		folder := t.TempDir()
		if err := os.Mkdir(filepath.Join(folder, "house"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "house/door.go"), []byte(c.source), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := parse("door", whole)
		if err != nil {
			t.Fatal(err)
		}
		sources, err := m.Sources(folder)
		if got := sources["house/door.go"]; (err == nil) != (c.want != "") || got != c.want {
			t.Errorf("%s: got %q, error %v, want %q", name, got, err, c.want)
		}
	}
}
