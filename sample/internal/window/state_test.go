package window

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"privpipe/pipelines/exit"
	"privpipe/sample/internal/corpus"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func keysOf(names ...string) (keys []corpus.Key) {
	for _, name := range names {
		keys = append(keys, corpus.KeyOf(name))
	}
	return keys
}

func open(t *testing.T, path string) *State {
	t.Helper()
	s, err := Open(t.Context(), path, "run", "user", nil, Plan{Length: time.Hour, Rounds: 9}, noon.Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// written returns the path of a state with a window that is done and one that is begun.
func written(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state")
	s := open(t, path)
	for _, err := range []error{
		s.Begin(1, keysOf("u", "v"), keysOf("1", "2", "3")), s.Done(1), s.Begin(2, keysOf("w"), keysOf("4")), s.Close(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// TestReplacedBeforeTheLock: a state that is replaced after it was opened, and before it is locked, is not read:
// another run could lock the new file at the same time.
func TestReplacedBeforeTheLock(t *testing.T) {
	path := written(t)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{os.WriteFile(path+".new", content, 0o600), os.Rename(path+".new", path)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	s := &State{path: path, file: file, units: make(map[corpus.Key]struct{}), done: true}
	if err := s.read(Settings{}); exit.Code(err) != exit.Locked {
		t.Errorf("a replaced state: %v", err)
	}
}

// holds checks what a state knows: the first of names are of units that are in a window, the others are not.
func holds(t *testing.T, s *State, window int, again []corpus.Key, in, out []string) {
	t.Helper()
	begun := window - 1
	if again != nil {
		begun = window
	}
	if s.Open() != window || s.Begun() != begun || s.Start() != noon.Add(time.Hour) {
		t.Errorf("got windows %d and %d and start %v, want %d, %d and %v", s.Begun(), s.Open(), s.Start(), begun,
			window,
			noon.Add(time.Hour))
	}
	for _, name := range in {
		if !s.Has(corpus.KeyOf(name)) {
			t.Errorf("unit %s is in no window", name)
		}
	}
	for _, name := range out {
		if s.Has(corpus.KeyOf(name)) {
			t.Errorf("%s is in a window", name)
		}
	}
	if (s.again == nil) != (again == nil) {
		t.Fatalf("got %v that are to come again, want %v", s.again, again)
	}
	if again != nil && len(s.again.documents) != len(again) {
		t.Errorf("got %d documents that are to come again, want %d", len(s.again.documents), len(again))
	}
	for _, key := range again {
		if _, ok := s.again.documents[key]; !ok {
			t.Errorf("document %x is not to come again", key)
		}
	}
}

func TestState(t *testing.T) {
	path := written(t)
	s := open(t, path)
	holds(t, s, 2, keysOf("4"), []string{"u", "v", "w"}, []string{"1", "4", "x"})
	for _, err := range []error{s.Done(2), s.Begin(3, nil, nil), s.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	name := s.Name()
	s = open(t, path)
	if s.Name() != name || len(name) != 26 {
		t.Errorf("the state is named %q, and was %q", s.Name(), name)
	}
	if other := open(t, filepath.Join(t.TempDir(), "state")); other.Name() == name {
		t.Errorf("two states are named %s", name)
	}
	holds(t, s, 3, []corpus.Key{}, []string{"u", "v", "w"}, []string{"1", "4", "x"})
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, want 0600", info.Mode())
	}
}

// TestStateOrder: windows are begun one after the other, and done when they were begun.
func TestStateOrder(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "state"))
	for i, err := range []error{s.Done(1), s.Done(0), s.Begin(2, nil, nil), s.Begin(1, nil, nil), s.Begin(1, nil, nil),
		s.Begin(2, nil, nil), s.Done(2), s.Done(1), s.Done(1), s.Begin(1, nil, nil), s.Begin(2, nil, nil)} {
		if wrong := i != 3 && i != 7 && i != 10; wrong != (exit.Code(err) == exit.Internal) {
			t.Errorf("step %d: got %v", i, err)
		}
	}
}

// TestStateOfOneRun: a second run waits for the lock to go with the first one's process.
func TestStateOfOneRun(t *testing.T) {
	path := written(t)
	first := open(t, path)
	if _, err := Open(t.Context(), path, "run", "user", nil, Plan{Length: time.Hour, Rounds: 9},
		noon); exit.Code(err) != exit.Locked {
		t.Errorf("got %v, want an error of the lock", err)
	}
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	second := open(t, path) // the name is free, so this is another state
	if err := first.Done(2); exit.Code(err) != exit.Locked {
		t.Errorf("append to a state that another took the name of: got %v", err)
	}
	if err := second.Begin(1, nil, nil); err != nil {
		t.Error(err)
	}
}

func TestStateOfOtherSettings(t *testing.T) {
	path := written(t)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		run, unit string
		plan      Plan
		wrong     string
	}{
		{"day", "user", Plan{Length: time.Hour, Rounds: 9}, "run, unit, length or number"},
		{"run", "document", Plan{Length: time.Hour, Rounds: 9}, "run, unit, length or number"},
		{"run", "user", Plan{Length: time.Minute, Rounds: 9}, "run, unit, length or number"},
		{"run", "user", Plan{Length: time.Hour, Rounds: 8}, "run, unit, length or number"},
		{"run", "user", Plan{Length: time.Hour, Rounds: 9, Start: noon}, "start"},
		{"run", "user", Plan{Length: time.Hour, Rounds: 9, Start: noon.Add(time.Hour).In(time.FixedZone("", 3600))},
			""},
	} {
		s, err := Open(t.Context(), path, c.run, c.unit, nil, c.plan, noon.Add(48*time.Hour))
		if c.wrong == "" {
			if err != nil {
				t.Error(err)
				continue
			}
			s.Close()
		} else if exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%+v: got %v, want an error of the %s", c, err, c.wrong)
		}
	}
	if _, err := Open(t.Context(), path, "run", "user", []byte{2}, Plan{Length: time.Hour, Rounds: 9},
		noon); exit.Code(err) != exit.Usage ||
		!strings.Contains(err.Error(), "rule by which text is cut into words") {
		t.Errorf("documents of another rule: got %v", err)
	}
	for name, content := range map[string]string{
		"empty": "", "text": "no state\n", "document": "{\"version\":2", "newer": "{\"version\":3,\"name\":\"n\"}\n",
		"nameless": strings.Replace(string(before), `"name":"`, `"name":"","was":"`, 1),
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), path, "run", "user", nil, Plan{Length: time.Hour, Rounds: 9},
			noon); exit.Code(err) != exit.Malformed {
			t.Errorf("%s: got %v", name, err)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != content {
			t.Errorf("%s: a file that is no state was changed", name)
		}
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
		t.Error("the state was changed")
	}
}

// TestStateOfVersion1: its keys of documents do not say whose they are, so no run goes on with it.
func TestStateOfVersion1(t *testing.T) {
	path := written(t)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content = bytes.Replace(content, []byte(`"version":2`), []byte(`"version":1`), 1)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), path, "run", "user", nil, Plan{Length: time.Hour, Rounds: 9}, noon)
	const words = "a state of version 1, must be of version 2"
	if exit.Code(err) != exit.Malformed || !strings.Contains(err.Error(), words) {
		t.Errorf("got %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, content) {
		t.Error("the state was changed")
	}
}

// TestTornState cuts a state at every byte, as a crash within an append does: the last block counts whole or not at
// all, and the run goes on.
func TestTornState(t *testing.T) {
	whole, err := os.ReadFile(written(t))
	if err != nil {
		t.Fatal(err)
	}
	line := bytes.IndexByte(whole, '\n') + 1
	const frame = headSize + 2*sumSize
	first, second := line+frame+5*16, line+2*frame+5*16
	path := filepath.Join(t.TempDir(), "state")
	for size := line; size < len(whole); size++ {
		if err := os.WriteFile(path, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		s := open(t, path)
		switch {
		case size < first:
			holds(t, s, 1, nil, nil, []string{"u", "v", "w"})
		case size < second:
			holds(t, s, 1, keysOf("1", "2", "3"), []string{"u", "v"}, []string{"w"})
			if err := s.Done(1); err != nil {
				t.Fatal(err)
			}
		default:
			holds(t, s, 2, nil, []string{"u", "v"}, []string{"w"})
		}
		if err := s.Begin(s.Open(), keysOf("x"), nil); err != nil {
			t.Fatal(err)
		}
		window := s.Open()
		s.Close()
		s = open(t, path)
		in := []string{"x"}
		if window == 2 {
			in = append(in, "u", "v")
		}
		holds(t, s, window, keysOf("x"), in, []string{"w"})
		s.Close()
	}
}

// TestDamagedState changes every byte of the blocks: the state is refused, since a unit that it has lost could be in a
// second window.
func TestDamagedState(t *testing.T) {
	whole, err := os.ReadFile(written(t))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "state")
	for i := bytes.IndexByte(whole, '\n') + 1; i < len(whole); i++ {
		damaged := slices.Clone(whole)
		damaged[i] ^= 0x10
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(t.Context(), path, "run", "user", nil, Plan{Length: time.Hour, Rounds: 9}, noon)
		if exit.Code(err) != exit.Malformed || !strings.Contains(fmt.Sprint(err), "damaged in the block at byte") {
			t.Fatalf("byte %d: got %v", i, err)
		}
	}
	for name, blocks := range map[string][]block{
		"a window twice":      {{begun, 1, nil, nil}, {begun, 1, nil, nil}},
		"a window left out":   {{begun, 2, nil, nil}},
		"done before begun":   {{done, 1, nil, nil}},
		"done with units":     {{begun, 1, nil, nil}, {done, 1, keysOf("u"), nil}},
		"begun before done":   {{begun, 1, nil, nil}, {begun, 2, nil, nil}},
		"done after the last": {{begun, 1, nil, nil}, {done, 2, nil, nil}},
		"a unit in two windows": {
			{begun, 1, keysOf("u", "v"), nil}, {done, 1, nil, nil}, {begun, 2, keysOf("w", "v"), nil},
		},
	} {
		path := filepath.Join(t.TempDir(), "state")
		s := open(t, path)
		for _, b := range blocks {
			if err := s.append(b); err != nil {
				t.Fatal(err)
			}
		}
		s.Close()
		if _, err := Open(t.Context(), path, "run", "user", nil, Plan{Length: time.Hour, Rounds: 9},
			noon); exit.Code(err) != exit.Malformed {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
