package endpoint_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/wire"
)

// TestKilledRunsLeaveNothing: the next run of an output removes what killed runs of the same output left, and neither
// what a run is writing nor what only looks alike.
func TestKilledRunsLeaveNothing(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{
		".a[1].pp.ABCDEFGH.tmp", ".a[1].pp.22222222.tmp", // killed
		".a[1].pp.ABCDEFG1.tmp", ".a[1].pp.ABCDEFGHI.tmp", ".a[1].pp.ABCDEFGH", // of others
		".b.pp.ABCDEFGH.tmp", ".a1.pp.ABCDEFGH.tmp", "a[1].pp.ABCDEFGH.tmp",
	} {
		write(t, folder, name, nil)
	}
	path := filepath.Join(folder, "a[1].pp")
	running, err := endpoint.Create(t.Context(), path, wire.Side_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer running.Abort()
	under, err := filepath.Glob(filepath.Join(folder, `.a\[1\].pp.*.tmp`))
	if err != nil || len(under) != 3 {
		t.Errorf("under way: %q, %v", under, err)
	}
	endpoint.Sweep(path) // as another process does
	if err := running.Commit(); err != nil {
		t.Errorf("what a run was writing is gone: %v", err)
	}
	var names []string
	for _, file := range contents(t, folder) {
		names = append(names, strings.TrimSuffix(file, "="))
	}
	want := []string{
		".a1.pp.ABCDEFGH.tmp", ".a[1].pp.ABCDEFG1.tmp", ".a[1].pp.ABCDEFGH", ".a[1].pp.ABCDEFGHI.tmp",
		".b.pp.ABCDEFGH.tmp", "a[1].pp", "a[1].pp.ABCDEFGH.tmp",
	}
	if !slices.Equal(names, want) {
		t.Errorf("left: %q, want %q", names, want)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}
