package testkit

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// Rows reads a file of JSON Lines, and returns the rows with keep(row) true; a nil keep keeps all rows. It fails unless
// it finds want rows. A line that begins with the member "source" names the source of all rows, and is not a row.
func Rows[Row any](t testing.TB, path string, want int, keep func(Row) bool) (rows []Row) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		if bytes.HasPrefix(line, []byte(`{"source":`)) {
			continue
		}
		var r Row
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if keep == nil || keep(r) {
			rows = append(rows, r)
		}
	}
	if len(rows) != want {
		t.Fatalf("%s: %d rows, want %d", path, len(rows), want)
	}
	return rows
}
