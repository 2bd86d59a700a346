package testkit

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"privpipe/pipelines/event"
)

// NewLedger begins a ledger in a new temporary folder and returns the ledger's path.
func NewLedger(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ledger")
	BeginLedger(t, path)
	return path
}

// BeginLedger begins a ledger at a path.
func BeginLedger(t testing.TB, path string) {
	t.Helper()
	content, err := event.NewLedger(event.NewHead(), time.Now())
	if err == nil {
		err = os.WriteFile(path, content, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
