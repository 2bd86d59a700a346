package policy

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
)

// recorder is a source file for a package. Its function recorded appends an operand and its value to a file, when the
// operand first has the value: 2·number, and 1 more if true. Child processes append, too.
const recorder = `package %s

import (
	"os"
	"strconv"
	"sync/atomic"
)

var recordedBefore [2 * %d]atomic.Bool

// nil in a process that has no right to it, or no file left
var recordedIn, _ = os.OpenFile(%q, os.O_APPEND|os.O_WRONLY, 0)

func recorded(operand int, value bool) bool {
	at := 2 * operand
	if value {
		at++
	}
	if !recordedBefore[at].Swap(true) {
		recordedIn.WriteString(strconv.Itoa(at) + "\n")
	}
	return value
}
`

// operands puts a call of recorded around each operand of && and || in a file, and returns the source of each operand.
// The first has the number first.
func operands(f *ast.File, source []byte, position func(token.Pos) int, first int) (texts []string) {
	follow := func(operand *ast.Expr) {
		inner := *operand
		for {
			if parentheses, ok := inner.(*ast.ParenExpr); ok {
				inner = parentheses.X
			} else if not, ok := inner.(*ast.UnaryExpr); ok && not.Op == token.NOT {
				inner = not.X
			} else {
				break
			}
		}
		if of, ok := inner.(*ast.BinaryExpr); ok && (of.Op == token.LAND || of.Op == token.LOR) {
			return // its operands are followed themselves
		}
		from, to := position((*operand).Pos()), position((*operand).End())
		number := &ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(first + len(texts))}
		texts = append(texts, strings.Join(strings.Fields(string(source[from:to])), " "))
		*operand = &ast.CallExpr{Fun: ast.NewIdent("recorded"), Args: []ast.Expr{number, *operand}}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if of, ok := n.(*ast.BinaryExpr); ok && (of.Op == token.LAND || of.Op == token.LOR) {
			follow(&of.X)
			follow(&of.Y)
		}
		return true
	})
	return texts
}

// followed makes an overlay of the packages in folders that records their conditions in a file, and returns it with
// the operands by number, each as FILE: OPERAND.
func followed(t *testing.T, folders []string, to string) (overlay string, all []string) {
	t.Helper()
	folder, replace := t.TempDir(), make(map[string]string)
	write := func(name string, content []byte) {
		copied := filepath.Join(folder, fmt.Sprint(len(replace), ".go"))
		replace[name] = copied
		if err := os.WriteFile(copied, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	packages := make(map[string]string)
	for _, of := range folders {
		names, err := filepath.Glob(filepath.Join(of, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files := token.NewFileSet()
			f, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			packages[of] = f.Name.Name
			position := func(at token.Pos) int { return files.Position(at).Offset }
			file := strings.TrimPrefix(name, root(t)+"/")
			for _, text := range operands(f, source, position, len(all)) {
				all = append(all, file+": "+text)
			}
			var content strings.Builder
			if err := format.Node(&content, files, f); err != nil {
				t.Fatal(err)
			}
			write(name, []byte(content.String()))
		}
	}
	for of, name := range packages {
		write(filepath.Join(of, "recorder.go"), fmt.Appendf(nil, recorder, name, len(all), to))
	}
	encoded, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay = filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(overlay, encoded, 0o600); err != nil {
		t.Fatal(err)
	}
	return overlay, all
}

func root(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// oneSided returns the operands that never had one of the two values, with that value.
func oneSided(t *testing.T, all []string, values string) (names map[string]bool) {
	t.Helper()
	seen := make(map[int]bool)
	for line := range strings.Lines(values) {
		at, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		seen[at] = true
	}
	names = make(map[string]bool)
	for i, operand := range all {
		for value := range 2 {
			if !seen[2*i+value] {
				names[fmt.Sprintf("%s is never %v", operand, value == 1)] = true
			}
		}
	}
	return names
}

// TestConditions: unit tests bring each operand of && and || in the wall to both of its values, except those that the
// list has. The mutants of pipelines/testkit show that the values matter.
func TestConditions(t *testing.T) {
	testkit.Deep(t, "audits")
	if os.Getuid() != 0 {
		t.Skip("one operand needs a file of another owner, which only a superuser makes")
	}
	t.Setenv("PRIVPIPE_DEEP", "") // the tests of the gate
	values := filepath.Join(t.TempDir(), "values")
	if err := os.WriteFile(values, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	folders := strings.Fields(goTool(t, append([]string{"list", "-f", "{{.Dir}}"}, wall...)...))
	overlay, all := followed(t, folders, values)
	goTool(t, append([]string{"test", "-count=1", "-vet=off", "-timeout", "60m", "-overlay", overlay}, wall...)...)
	content, err := os.ReadFile(values)
	if err != nil {
		t.Fatal(err)
	}
	listed := reasons(t, "testdata/onesided.txt")
	t.Logf("%d operands", len(all))
	names := oneSided(t, all, string(content))
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if listed[name] == "" {
			t.Errorf("%s in unit tests, and testdata/onesided.txt has no reason", name)
		}
	}
	for name := range listed {
		if !names[name] {
			t.Errorf("testdata/onesided.txt has %q, which is no longer so", name)
		}
	}
}

// TestOneSided follows the operands of a function in a process of its own.
func TestOneSided(t *testing.T) {
	folder := t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("main.go", `package main

func test(a, b, c bool) bool { return a && !(b || c) }

func main() { test(true, false, false); test(true, false, true) }
`)
	write("go.mod", "module "+module+"\n")
	write("values", "")
	overlay, all := followed(t, []string{folder}, filepath.Join(folder, "values"))
	goTool(t, "run", "-C", folder, "-overlay", overlay, ".")
	values, err := os.ReadFile(filepath.Join(folder, "values"))
	if err != nil {
		t.Fatal(err)
	}
	got := slices.Sorted(maps.Keys(oneSided(t, all, string(values))))
	name := filepath.Join(folder, "main.go")
	if want := []string{name + ": a is never false", name + ": b is never true"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
