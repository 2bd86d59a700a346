package endpoint_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/wire"
)

// create begins an output with some content.
func create(t *testing.T, path string, side wire.Side) *endpoint.Output {
	t.Helper()
	return createOf(t.Context(), t, path, side)
}

func createOf(ctx context.Context, t *testing.T, path string, side wire.Side) *endpoint.Output {
	t.Helper()
	out, err := endpoint.Create(ctx, path, side)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(out.Abort)
	if _, err := out.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	return out
}

// contents are the files of a folder, as name=content.
func contents(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, e.Name()+"="+string(b))
	}
	return files
}

func TestFileComesWholeOrNotAtAll(t *testing.T) {
	commit := (*endpoint.Output).Commit
	ctx := endpoint.With(t.Context(), endpoint.Options{})
	signal := func() { endpoint.RemoveTemporaries(ctx) }
	for _, before := range []string{"", "old"} {
		for name, c := range map[string]struct {
			end  func(*endpoint.Output) error
			want string
		}{
			"commit":            {commit, "new"},
			"commit and abort":  {func(o *endpoint.Output) error { defer o.Abort(); return o.Commit() }, "new"},
			"abort":             {func(o *endpoint.Output) error { o.Abort(); return nil }, before},
			"abort and commit":  {func(o *endpoint.Output) error { o.Abort(); return o.Commit() }, before},
			"signal":            {func(*endpoint.Output) error { signal(); return nil }, before},
			"signal and commit": {func(o *endpoint.Output) error { signal(); o.Commit(); return nil }, before},
			"commit and signal": {func(o *endpoint.Output) error { defer signal(); return o.Commit() }, "new"},
		} {
			folder := t.TempDir()
			path := filepath.Join(folder, "out")
			if before != "" {
				write(t, folder, "out", []byte(before))
			}
			out := createOf(ctx, t, path, wire.Side_PRIVATE)
			if b, _ := os.ReadFile(path); string(b) != before {
				t.Errorf("%s: has its name before it is whole: %q", name, b)
			}
			if err := c.end(out); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			var want []string
			if c.want != "" {
				want = []string{"out=" + c.want}
			}
			if got := contents(t, folder); !slices.Equal(got, want) {
				t.Errorf("%s after %q: got %q, want %q", name, before, got, want)
			}
		}
	}
}

// TestPrivateFileIsItsOwners checks the mode, also of the file under way, and where it replaces a file that all may
// read.
func TestPrivateFileIsItsOwners(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o022))
	for side, want := range map[wire.Side]os.FileMode{
		wire.Side_PRIVATE: 0o600, wire.Side_SIDE_UNSPECIFIED: 0o600, wire.Side_PUBLIC: 0o644,
	} {
		folder := t.TempDir()
		path := write(t, folder, "out", []byte("old"))
		out := create(t, path, side)
		underWay, err := filepath.Glob(filepath.Join(folder, ".out.*.tmp"))
		if err != nil || len(underWay) != 1 {
			t.Fatalf("temporary files: %v, %v", underWay, err)
		}
		during, err := os.Stat(underWay[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := out.Commit(); err != nil {
			t.Fatal(err)
		}
		after, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if during.Mode() != want || after.Mode() != want {
			t.Errorf("%v: mode is %v, then %v, want %v", side, during.Mode(), after.Mode(), want)
		}
	}
}

// TestLinkKeepsItsPlace: otherwise the file that a link is for would stay old.
func TestLinkKeepsItsPlace(t *testing.T) {
	folder := t.TempDir()
	elsewhere := write(t, t.TempDir(), "target", []byte("old"))
	link := filepath.Join(folder, "link")
	if err := os.Symlink(elsewhere, link); err != nil {
		t.Fatal(err)
	}
	if err := create(t, link, wire.Side_PRIVATE).Commit(); err != nil {
		t.Fatal(err)
	}
	if target, err := os.Readlink(link); err != nil || target != elsewhere {
		t.Errorf("the link is now %q, %v", target, err)
	}
	if got := contents(t, filepath.Dir(elsewhere)); !slices.Equal(got, []string{"target=new"}) {
		t.Errorf("the target's folder has %q", got)
	}
}

func TestDeviceIsNotReplaced(t *testing.T) {
	if err := create(t, os.DevNull, wire.Side_PRIVATE).Commit(); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode()&os.ModeDevice == 0 {
		t.Fatalf("%s is now %v, %v", os.DevNull, info.Mode(), err)
	}
}

func TestWriteFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "grant.json")
	if err := endpoint.WriteFile(t.Context(), path, wire.Side_PUBLIC, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, folder); strings.Join(got, " ") != "grant.json={}" {
		t.Errorf("got %q", got)
	}
}
