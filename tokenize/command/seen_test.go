package command

import (
	"os"
	"path/filepath"
	"testing"

	"privpipe/tokenize/internal/date"
)

// FuzzSeen: a file of any bytes is read or refused, and what a window writes is what the next one refuses.
func FuzzSeen(f *testing.F) {
	f.Add([]byte(""), "a", "b")
	f.Add([]byte("from - until 2026-03-02T00:00:00Z\n0123456789abcdef0123456789abcdef\n"), "a", "b")
	f.Add([]byte("0123456789abcdef0123456789abcdef\n"), "a", "")
	f.Add([]byte("from - unti"), "a", "d") // a file that was cut off
	f.Add([]byte("from - until 2026-03-02T00:00:00Z\n0123\n"), "a", "a")
	f.Fuzz(func(t *testing.T, content []byte, one, other string) {
		name := filepath.Join(t.TempDir(), "seen")
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		window := func(from, until string) *seen {
			rule, err := date.NewRule("", "UTC", from, until)
			if err != nil {
				t.Fatal(err)
			}
			s, err := openSeen(t.Context(), name, rule)
			if err != nil {
				t.Skip()
			}
			return s
		}
		before := window("2001-01-01", "2001-01-02")
		refused := before.check(one) != nil
		if refused && one == "" {
			t.Error("a document without an id is refused")
		}
		if refused {
			return
		}
		before.add(one)
		if err := before.write(t.Context()); err != nil {
			t.Fatal(err)
		}
		// The same window may have the id again; another one may not, and has all others as before.
		again := window("2001-01-01", "2001-01-02")
		if again.check(one) != nil || len(again.others) != len(before.others) {
			t.Errorf("%q is refused in its own window, or %d ids of others became %d", one, len(before.others),
				len(again.others))
		}
		next := window("2001-01-02", "2001-01-03")
		if err := next.check(one); (err != nil) != (one != "") {
			t.Errorf("%q in another window: %v", one, err)
		}
		if other != one && next.check(other) != nil && before.check(other) == nil {
			t.Errorf("%q was in no window, and is refused", other)
		}
	})
}
