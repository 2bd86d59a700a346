package name_test

import (
	"testing"
	"unicode/utf8"

	"privpipe/tokenize/internal/name"
)

// TestOfPath: names are UTF-8, those of paths in UTF-8 are the paths, and no two paths have one name.
func TestOfPath(t *testing.T) {
	names := make(map[string]string)
	for path, want := range map[string]string{
		"a/größer.txt": "a/größer.txt", "caf\xe9": `caf\xe9`, `caf\xe9`: `caf\\xe9`, "caf\uFFFD": "caf\uFFFD",
		"caf\xe8": `caf\xe8`,
		"\\\xe9":  `\\\xe9`, `\\xe9`: `\\\\xe9`, "\xe8\xaa": `\xe8\xaa`, "語": "語",
	} {
		got := name.OfPath(path)
		if got != want || !utf8.ValidString(got) {
			t.Errorf("%q has the name %q, want %q", path, got, want)
		}
		if other, taken := names[got]; taken {
			t.Errorf("%q and %q have one name", path, other)
		}
		names[got] = path
	}
}
