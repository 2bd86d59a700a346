package crash

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// script does calls in a folder and tells the account of each. A call is its name and paths, or a text to append.
func script(t *testing.T, d *Disk, calls ...string) {
	t.Helper()
	for _, call := range calls {
		words := strings.Split(call, " ")
		path := filepath.Join(d.root, words[1])
		s := &Stop{After: true, Call: Call{Name: words[0], Path: path, File: -1}}
		var err error
		switch s.Name {
		case "open":
			s.Flags = os.O_CREATE
			var f *os.File
			if f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); err == nil {
				err = f.Close()
			}
		case "write":
			var f *os.File
			if f, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0); err == nil {
				_, err = f.WriteString(words[2])
				f.Close()
			}
		case "truncate":
			err = os.Truncate(path, 0)
		case "mkdir":
			err = os.Mkdir(path, 0o700)
		case "unlink":
			err = os.Remove(path)
		case "rename":
			s.Target = filepath.Join(d.root, words[2])
			err = os.Rename(path, s.Target)
		}
		if err == nil {
			err = d.Apply(s)
		}
		if err != nil {
			t.Fatalf("%s: %v", call, err)
		}
	}
}

// tree is what a folder holds, on one line.
func tree(t *testing.T, root string) string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		name := strings.TrimPrefix(path, root+"/")
		if !entry.IsDir() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name += "=" + string(content)
		}
		found = append(found, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(found, " ")
}

// TestPowerCut checks what power cuts leave after some calls: all that they may, and nothing else. The cuts are
// by chance, but the same in each run of the test.
func TestPowerCut(t *testing.T) {
	for _, c := range []struct {
		name  string
		calls []string
		want  []string
	}{
		{"nothing is synced", []string{"open a", "write a xy"}, []string{"", "a=", "a=x", "a=xy"}},
		{"the file is synced, its name is not", []string{"open a", "write a xy", "fsync a"}, []string{"", "a=xy"}},
		{"the name is synced, the file is not", []string{"open a", "fsync .", "write a xy"},
			[]string{"a=", "a=x", "a=xy"}},
		{"both are synced", []string{"open a", "write a xy", "fsync a", "fsync ."}, []string{"a=xy"}},
		{"an append", []string{"open a", "write a x", "fsync a", "fsync .", "write a y"}, []string{"a=x", "a=xy"}},
		{"a truncation", []string{"open a", "write a x", "fsync a", "fsync .", "truncate a"}, []string{"a=x", "a="}},
		{"a rename", []string{"open a", "write a x", "fsync a", "fsync .", "rename a b"}, []string{"a=x", "b=x"}},
		{"a rename over a file", []string{"open b", "open a", "write a x", "fsync a", "fsync .", "rename a b"},
			[]string{"a=x b=", "b=x"}},
		{"a synced rename", []string{"open a", "write a x", "fsync a", "rename a b", "fsync ."}, []string{"b=x"}},
		{"a removal", []string{"open a", "fsync .", "unlink a"}, []string{"a=", ""}},
		{"names come in order", []string{"open a", "open b"}, []string{"", "a=", "a= b="}},
		{"a folder", []string{"mkdir f", "open f/a", "fsync f"}, []string{"", "f f/a="}},
		{"a folder's names", []string{"mkdir f", "fsync .", "open f/a"}, []string{"f", "f f/a="}},
		{"folders in a folder that is not synced",
			[]string{"mkdir f", "mkdir f/g", "open f/g/a", "fsync f/g", "fsync f"},
			[]string{"", "f f/g f/g/a="}},
	} {
		t.Run(c.name, func(t *testing.T) {
			random, got := rand.New(rand.NewPCG(1, 2)), make(map[string]bool)
			for range 100 {
				d, err := NewDisk(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				script(t, d, c.calls...)
				if err := d.PowerCut(random); err != nil {
					t.Fatal(err)
				}
				left := tree(t, d.root)
				got[left] = true
				if err := d.PowerCut(random); err != nil || tree(t, d.root) != left {
					t.Fatalf("a second power cut leaves another folder: %v", err)
				}
			}
			slices.Sort(c.want)
			if got := slices.Sorted(maps.Keys(got)); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestVolatile(t *testing.T) {
	d, err := NewDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ call, want string }{
		{"mkdir f", "[/]"}, {"open f/a", "[/ /f/]"}, {"write f/a x", "[/ /f/ /f/a]"}, {"fsync f/a", "[/ /f/]"},
		{"rename f/a f/b", "[/]"}, {"rename f/b f/a", "[/ /f/]"}, {"fsync f", "[/]"}, {"open other", "[/]"},
		{"fsync .", "[]"},
	} {
		script(t, d, c.call)
		if strings.HasPrefix(c.call, "rename f/a") {
			continue // it is about f/b then
		}
		got := strings.ReplaceAll(fmt.Sprint(d.Volatile(filepath.Join(d.root, "f/a"))), d.root, "")
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.call, got, c.want)
		}
	}
}

// TestUnknownCalls checks that no call goes by of which no account is kept.
func TestUnknownCalls(t *testing.T) {
	d, err := NewDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := d.root + "/a"
	for _, s := range []Stop{
		{Call: Call{Name: "copy_file_range", Path: file}}, {Call: Call{Name: "link", Path: file}},
		{Call: Call{Name: "mmap", Path: file, Flags: mapShared}}, {Call: Call{Name: "io_uring_setup"}},
		{Call: Call{Name: "rename", Path: file, Target: "/elsewhere"}}, {Call: Call{Name: "write", Path: file}},
	} {
		s.After = true
		if d.Apply(&s) == nil {
			t.Errorf("%s: no error", s.Name)
		}
	}
}
