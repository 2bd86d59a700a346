package endpoint_test

import (
	"os"
	"path/filepath"
	"testing"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
)

const marker = "MARKER" // of private text, that no message may have

func TestDistinct(t *testing.T) {
	folder := t.TempDir()
	a, b := write(t, folder, "a", nil), write(t, folder, "b", nil)
	link, hard := filepath.Join(folder, "link"), filepath.Join(folder, "hard")
	if err := os.Symlink(a, link); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(a, hard); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		output string
		inputs []string
		code   int
	}{
		{a, []string{a}, exit.Usage},
		{a, []string{b, folder + "/../" + filepath.Base(folder) + "/a"}, exit.Usage},
		{a, []string{link}, exit.Usage},
		{link, []string{a}, exit.Usage},
		{hard, []string{a}, exit.Usage},
		{a, []string{b}, exit.OK},
		{a, nil, exit.OK},
		// the input is missing, later
		{filepath.Join(folder, "new"), []string{a, filepath.Join(folder, "new")}, exit.OK},
		{os.DevNull, []string{os.DevNull}, exit.OK},
		{endpoint.Stdio, []string{endpoint.Stdio}, exit.OK},
		{"", []string{""}, exit.OK},
	} {
		wantCode(t, endpoint.Distinct(t.Context(), c.output, c.inputs...), c.code)
	}
}

func TestReadFileHasALimit(t *testing.T) {
	path := write(t, t.TempDir(), "grant.json", []byte(marker))
	if b, err := endpoint.ReadFile(t.Context(), path, int64(len(marker))); err != nil || string(b) != marker {
		t.Errorf("got %q, %v", b, err)
	}
	_, err := endpoint.ReadFile(t.Context(), path, int64(len(marker))-1)
	wantCode(t, err, exit.Malformed)
}

// TestReadKey: a key is of its size, and kept from all but its owner and a group.
func TestReadKey(t *testing.T) {
	folder := t.TempDir()
	for name, c := range map[string]struct {
		mode os.FileMode
		size int
		code int
	}{
		"own": {0o600, 32, exit.OK}, "group": {0o660, 32, exit.OK}, "read by all": {0o604, 32, exit.Usage},
		"changed by all": {0o602, 32, exit.Usage}, "short": {0o600, 31, exit.Malformed},
		"long": {0o600, 33, exit.Malformed},
	} {
		path := write(t, folder, name, make([]byte, c.size))
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		key, err := endpoint.ReadKey(t.Context(), path, 32)
		if wantCode(t, err, c.code); (len(key) == 32) != (err == nil) {
			t.Errorf("%s: %d bytes, %v", name, len(key), err)
		}
	}
}
