package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// TestFormats runs the commands of FORMATS.md in the order of the page and compares what each block prints.
func TestFormats(t *testing.T) {
	page, err := os.ReadFile("FORMATS.md")
	if err != nil {
		t.Fatal(err)
	}
	parquet, err := os.ReadFile("internal/parquet/testdata/pyarrow.parquet")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "part.parquet"), parquet, 0o600); err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?ms)^```sh\n(.*?)^```\n\n```\n(.*?)^```").FindAllSubmatch(page, -1)
	if all := regexp.MustCompile("(?m)^```sh$").FindAll(page, -1); len(blocks) < 8 || len(blocks) != len(all) {
		t.Fatalf("%d blocks of commands, %d of them with what they print", len(all), len(blocks))
	}
	for _, b := range blocks {
		command := exec.Command("bash", "-euo", "pipefail", "-c", string(b[1]))
		command.Dir = folder
		printed, err := command.Output()
		if err != nil || string(printed) != string(b[2]) {
			t.Errorf("%s\n%v, got\n%s\nwant\n%s", b[1], err, printed, b[2])
		}
	}
}
