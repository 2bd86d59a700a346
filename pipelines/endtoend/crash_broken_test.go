package endtoend

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"privpipe/pipelines/event"
)

// TestCrashFindsBugs builds privatizers with one bug each and kills them like TestCrash: each must be found out.
func TestCrashFindsBugs(t *testing.T) {
	if testing.Short() {
		t.Skip("builds privatize several times")
	}
	var v *variant
	for _, each := range variants(t) {
		if each.mechanism == event.Gaussian && each.parts {
			v = each
		}
	}
	length := boundaries(t, v)
	for _, bug := range []struct{ name, file, old, new string }{
		{"a stored release is not synced", "store.go", "err = file.Sync()", ""},
		{"folders are not synced", "store.go",
			"errors.Join(syncFolder(path), syncFolder(folder), syncFolder(filepath.Dir(folder)))", "error(nil)"},
		{"the folder above the runs is not synced", "store.go", ", syncFolder(folder), ", ", "},
		{"a charge is not synced", "book.go", "if err := b.file.Sync(); err != nil {", "if err := error(nil); err != nil {"},
		{"what a killed process wrote is not synced", "book.go", "err = file.Sync()", ""},
		{"a torn line is not cut off", "book.go", "if err == nil && ledger.Torn {", "if false {"},
		{"the release is stored after its charge", "store.go", "if err := b.append(line); err != nil {",
			`os.Rename(path, path+".late"); err = b.append(line); os.Rename(path+".late", path); if err != nil {`},
		{"a round that was charged is drawn anew", "rerun.go", "if known == nil {", "if true {"},
	} {
		t.Run(bug.name, func(t *testing.T) {
			program := mutant(t, filepath.Join(root, "privatize/internal/book", bug.file), bug.old, bug.new)
			folder, runs := memory(t), 0
			for j := range plan([]*variant{v}, map[*variant]int{v: length}, 2*length) {
				runs++
				if _, err := j.run(program, folder); err != nil {
					t.Logf("found by chain %d: %s: %v", runs, j, err)
					return
				}
			}
			t.Errorf("not found by %d chains of kills", runs)
		})
	}
}

// mutant builds privatize with one text of one file replaced by another.
func mutant(t *testing.T, file, old, new string) (program string) {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(source), old) != 1 {
		t.Fatalf("%s has %q %d times: this test is stale", file, old, strings.Count(string(source), old))
	}
	folder := t.TempDir()
	write(t, folder, "changed.go", strings.Replace(string(source), old, new, 1))
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{file: filepath.Join(folder, "changed.go")}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, folder, "overlay.json", string(overlay))
	program = filepath.Join(folder, "privatize")
	build := exec.Command("go", "build", "-overlay", filepath.Join(folder, "overlay.json"), "-o", program, "./privatize")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s%v", out, err)
	}
	return program
}
