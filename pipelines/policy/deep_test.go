package policy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
)

// partsOf reads .ci/deep.map: parts of the deep suite by folder.
func partsOf(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../../.ci/deep.map")
	if err != nil {
		t.Fatal(err)
	}
	parts := make(map[string][]string)
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 0 && fields[0] != "#" {
			parts[fields[0]] = fields[1:]
		}
	}
	return parts
}

// belonging returns the parts of a folder: those of the deepest line that it is below.
func belonging(parts map[string][]string, folder string) []string {
	for ; folder != "."; folder = path.Dir(folder) {
		if of := parts[folder]; of != nil {
			return of
		}
	}
	return nil
}

// TestDeepMap: every folder with a package has parts of the deep suite, so that whoever changes it knows what to run.
// Every part belongs to a folder, and is one that .ci/deep runs.
func TestDeepMap(t *testing.T) {
	parts := partsOf(t)
	for line := range strings.Lines(goTool(t, "list", "./...")) {
		if folder := strings.TrimPrefix(strings.TrimSpace(line), module+"/"); belonging(parts, folder) == nil {
			t.Errorf(".ci/deep.map has no parts for %s", folder)
		}
	}
	mapped := make(map[string]bool)
	for folder, of := range parts {
		if info, err := os.Stat("../../" + folder); err != nil || !info.IsDir() {
			t.Errorf(".ci/deep.map has the folder %s: %v", folder, err)
		}
		for _, part := range of {
			mapped[part] = true
			if !slices.Contains(testkit.Parts, part) {
				t.Errorf(".ci/deep.map has the part %s for %s: the deep suite has no such part", part, folder)
			}
		}
	}
	out, err := exec.Command("../../.ci/deep", "--list").Output()
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for line := range strings.Lines(string(out)) {
		listed = append(listed, strings.Fields(line)[0])
	}
	if !slices.Equal(listed, testkit.Parts) {
		t.Errorf(".ci/deep runs %q, tests may name %q", listed, testkit.Parts)
	}
	for _, part := range testkit.Parts {
		if !mapped[part] {
			t.Errorf("the part %s belongs to no folder of .ci/deep.map", part)
		}
	}
}

// TestDeepIsFound: .ci/deep finds a part's tests by their source. So each call of testkit.Deep and testkit.Repeats
// stands in a test or fuzz test, with the part as a constant. For part kafka .ci/deep runs whole packages. A folder's
// line in .ci/deep.map has each part that the folder's tests name.
func TestDeepIsFound(t *testing.T) {
	parts, calls := partsOf(t), 0
	for line := range strings.Lines(gitFiles(t, "*_test.go")) {
		name := strings.TrimSpace(line)
		file, err := parser.ParseFile(token.NewFileSet(), "../../"+name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			ast.Inspect(d, func(n ast.Node) bool {
				part, is := deepCall(n)
				if !is {
					return true
				}
				calls++
				function, named := d.(*ast.FuncDecl)
				if part != "kafka" &&
					(!named || !regexp.MustCompile(`^(Test|Fuzz)[A-Z]`).MatchString(function.Name.Name)) {
					t.Errorf("%s: testkit.Deep or testkit.Repeats outside a test", name)
				} else if !slices.Contains(testkit.Parts, part) {
					t.Errorf("%s, %s: no constant part of the deep suite", name, function.Name.Name)
				} else if !slices.Contains(belonging(parts, path.Dir(name)), part) {
					t.Errorf("%s, %s: part %s is not in .ci/deep.map for this folder", name, function.Name.Name, part)
				}
				return true
			})
		}
	}
	if calls < 20 {
		t.Errorf("%d calls are found", calls)
	}
}

// deepCall returns the part that a call of testkit.Deep or testkit.Repeats names, if n is one; empty where that is no
// constant.
func deepCall(n ast.Node) (part string, is bool) {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return "", false
	}
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != "Deep" && selector.Sel.Name != "Repeats" {
		return "", false
	}
	if of, ok := selector.X.(*ast.Ident); !ok || of.Name != "testkit" {
		return "", false
	}
	if literal, ok := call.Args[1].(*ast.BasicLit); ok {
		part, _ = strconv.Unquote(literal.Value)
	}
	return part, true
}

// gitFiles lists files of the project by a pattern.
func gitFiles(t *testing.T, pattern string) string {
	t.Helper()
	command := exec.Command("git", "ls-files", pattern)
	command.Dir = "../.."
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
