package policy

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// mostColumns is the width of a line of Go. A tab is four columns.
const mostColumns = 120

// TestLines holds the width of lines, so that two files stand side by side on a screen. Generated code is exempt, and
// so are lines that cannot be broken: of a raw string (the tag of a flag, a line of a script), and of one long literal.
func TestLines(t *testing.T) {
	for _, folder := range []string{
		"tokenize", "sample", "estep", "privatize", "mstep", "account", "evaluate", "pipelines",
	} {
		err := filepath.WalkDir(filepath.Join("../..", folder), func(name string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, ".pb.go") {
				return err
			}
			source, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			for _, line := range wide(name, source) {
				t.Errorf("%s:%d: more than %d columns: break it after an operator or a comma", name, line, mostColumns)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// wide returns the numbers of the lines of a file that are too wide and could be broken.
func wide(name string, source []byte) (numbers []int) {
	var raw map[int]bool
	for i, line := range bytes.Split(source, []byte("\n")) {
		if utf8.RuneCount(line)+3*bytes.Count(line, []byte("\t")) <= mostColumns {
			continue
		}
		if raw == nil {
			raw = unbreakable(name, source)
		}
		if !raw[i+1] {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

// unbreakable returns the lines that have a part of a raw string, or a literal of more than half the width without a
// space.
func unbreakable(name string, source []byte) map[int]bool {
	lines, files := make(map[int]bool), token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
	if err != nil {
		return lines
	}
	ast.Inspect(file, func(n ast.Node) bool {
		literal, is := n.(*ast.BasicLit)
		if !is || literal.Kind != token.STRING {
			return true
		}
		first, last := files.Position(literal.Pos()).Line, files.Position(literal.End()).Line
		if literal.Value[0] == '`' || len(literal.Value) > mostColumns/2 && !strings.Contains(literal.Value, " ") {
			for line := first; line <= last; line++ {
				lines[line] = true
			}
		}
		return true
	})
	return lines
}

func TestWide(t *testing.T) {
	long := strings.Repeat("x", mostColumns)
	source := strings.Join([]string{
		"package p", "", "// " + long, "var a, b = `" + long, long + "`, \"" + long + `"`, "",
		`var c = "` + strings.Repeat("x ", mostColumns/2) + `"`, "\t//" + long[6:], "\t//" + long[5:],
	}, "\n")
	if got := wide("p.go", []byte(source)); !slices.Equal(got, []int{3, 7, 9}) {
		t.Errorf("lines %v, want 3, 7 and 9", got)
	}
}
