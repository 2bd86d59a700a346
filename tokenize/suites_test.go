package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
)

// TestSuites reads each file of public test suites in the folder PRIVPIPE_SUITES: JSONTestSuite, csv-spectrum, the
// files of pandas and DuckDB, parquet-testing, the golden files of zstd. A file is read, or refused with a documented
// exit code. No message has a panic.
func TestSuites(t *testing.T) {
	testkit.Deep(t, "peers")
	root := os.Getenv("PRIVPIPE_SUITES")
	if root == "" {
		t.Skip("PRIVPIPE_SUITES names no folder of suites")
	}
	codes := make(map[int]int)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		var message bytes.Buffer
		terms := filepath.Join(t.TempDir(), "terms.pp")
		command := exec.Command("tokenize", "terms", "--on-error", "skip", "-o", terms, path)
		command.Stderr = &message
		_ = command.Run()
		code := command.ProcessState.ExitCode()
		codes[code]++
		if code != 0 && code != 80 && code != 90 || strings.Contains(message.String(), "panic") {
			t.Errorf("%s: exit code %d, %s", path, code, &message)
		}
		// JSONTestSuite: what must be accepted is well-formed JSON, perhaps without a text; what must not is never a
		// document.
		if name := entry.Name(); strings.HasPrefix(name, "n_") && strings.HasSuffix(name, ".json") && code == 0 {
			t.Errorf("%s is read", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("exit codes: %v", codes)
	spectrum(t, root)
}

// spectrum compares each column of csv-spectrum with its JSON: the words are those of JSON Lines with the same texts.
func spectrum(t *testing.T, root string) {
	words := func(args ...string) string {
		const script = `tokenize terms --min-letters 1 --stop none "$@" | show --private | grep '"terms"'`
		out, err := exec.Command("sh", "-c", script, "sh", args[0], args[1], args[2]).Output()
		if err != nil {
			t.Errorf("%s: %v", args, err)
		}
		return string(out)
	}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		reference := strings.Replace(strings.TrimSuffix(path, ".csv")+".json", "/csvs/", "/json/", 1)
		content, missing := os.ReadFile(reference)
		if err != nil || filepath.Ext(path) != ".csv" || missing != nil {
			return err
		}
		var rows []map[string]string
		if json.Unmarshal(content, &rows) != nil || len(rows) == 0 {
			return nil // a single object
		}
		for column := range rows[0] {
			if got, want := words("--column", column, path), words("--column", column, reference); got != want {
				t.Errorf("%s, column %s: got %s, want %s", path, column, got, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
