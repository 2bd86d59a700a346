package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestForms: both forms have the same comments in the same order; the table also has the file, below the folder, of
// each.
func TestForms(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "b"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"b/b.go":    "package b\n\n// B says \"b\".\n//\n// Twice.\nfunc B() {\n\t// inside\n}\n",
		"a.go":      "// Package a, too.\npackage a\n",
		"broken.go": "// No Go.\npackage\n", "a.txt": "// Text.\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var lines, table strings.Builder
	if err := writeLines(&lines, folder); err != nil {
		t.Error(err)
	}
	if err := writeTable(&table, folder); err != nil {
		t.Error(err)
	}
	const objects = `{"text":"Package a, too.\n"}` + "\n" + `{"text":"B says \"b\".\n\nTwice.\n"}` + "\n"
	if got, want := lines.String(), objects; got != want {
		t.Errorf("lines\n%s\nwant\n%s", got, want)
	}
	const rows = "file,comment\na.go,\"Package a, too.\n\"\nb/b.go,\"B says \"\"b\"\".\n\nTwice.\n\"\n"
	if got, want := table.String(), rows; got != want {
		t.Errorf("table\n%s\nwant\n%s", got, want)
	}
}
