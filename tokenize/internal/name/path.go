package name

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// OfPath returns the name that a file's path gives. A name is UTF-8, but a path may have any bytes. A byte that is not
// UTF-8 becomes \xe9 (its value in hexadecimal), and a backslash becomes two. So no two paths have one name.
func OfPath(path string) string {
	path = filepath.ToSlash(path)
	if utf8.ValidString(path) && !strings.Contains(path, `\`) {
		return path
	}
	var name strings.Builder
	for i := 0; i < len(path); {
		r, size := utf8.DecodeRuneInString(path[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&name, `\x%02x`, path[i])
		case r == '\\':
			name.WriteString(`\\`)
		default:
			name.WriteRune(r)
		}
		i += size
	}
	return name.String()
}
