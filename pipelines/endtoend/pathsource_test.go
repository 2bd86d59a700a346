package endtoend

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A checkingPage is what CHECKING.md says of the path of a Gaussian sum.
type checkingPage struct {
	tables  map[string][]string // the Go files of each table, by the heading above it
	folders []string            // of the other files
	most    []int               // lines of statements: of the first table, the second, and the folders' other files
}

// names says whether the page names a file or its folder.
func (p *checkingPage) names(file string) bool {
	for _, files := range p.tables {
		if slices.Contains(files, file) {
			return true
		}
	}
	return slices.Contains(p.folders, path.Dir(file))
}

// The tables and sentences of CHECKING.md that are read here.
const mostTable, restTable = "A Gaussian sum: what the claim rests on most", "A Gaussian sum: the rest of its path"

var (
	fileRow         = regexp.MustCompile("^\\| `(\\S+\\.go)` \\|")
	folderSentence  = regexp.MustCompile(`The other files of the path are in ([^.]+)\.`)
	quotedFolder    = regexp.MustCompile("`([^`]+)`")
	numbersSentence = regexp.MustCompile(`The first table has at most ([\d,]+), the second ([\d,]+), ` +
		`the other files ([\d,]+)\.`)
)

func gaussianPage(t *testing.T) *checkingPage {
	t.Helper()
	text := read(t, "privatize/CHECKING.md")
	page := &checkingPage{tables: make(map[string][]string)}
	heading := ""
	for line := range strings.Lines(text) {
		if title, is := strings.CutPrefix(strings.TrimSpace(line), "### "); is {
			heading = title
		}
		if row := fileRow.FindStringSubmatch(line); row != nil {
			page.tables[heading] = append(page.tables[heading], row[1])
		}
	}
	flat := strings.Join(strings.Fields(text), " ")
	folders, numbers := folderSentence.FindStringSubmatch(flat), numbersSentence.FindStringSubmatch(flat)
	if folders == nil || numbers == nil || len(page.tables[mostTable]) == 0 || len(page.tables[restTable]) == 0 {
		t.Fatal("CHECKING.md lacks a table or a sentence of the path of a Gaussian sum")
	}
	for _, folder := range quotedFolder.FindAllStringSubmatch(folders[1], -1) {
		page.folders = append(page.folders, folder[1])
	}
	for _, number := range numbers[1:] {
		n, err := strconv.Atoi(strings.ReplaceAll(number, ",", ""))
		if err != nil {
			t.Fatal(err)
		}
		page.most = append(page.most, n)
	}
	return page
}

// TestGaussianSource counts the lines on which a statement begins, in the source of the files that the path of a
// Gaussian sum passes through. CHECKING.md states the most that there may be, and not far more than there are. Whoever
// adds lines changes the page, and says why an auditor must read more.
func TestGaussianSource(t *testing.T) {
	page := gaussianPage(t)
	inTables := slices.Concat(page.tables[mostTable], page.tables[restTable])
	var others []string
	for _, folder := range page.folders {
		found, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
		if err != nil || len(found) == 0 {
			t.Fatalf("no files in %s, %v", folder, err)
		}
		for _, name := range found {
			file := path.Join(folder, filepath.Base(name))
			generated, test := strings.HasSuffix(file, ".pb.go"), strings.HasSuffix(file, "_test.go")
			if !generated && !test && !slices.Contains(inTables, file) {
				others = append(others, file)
			}
		}
	}
	for i, files := range [][]string{page.tables[mostTable], page.tables[restTable], others} {
		lines := 0
		for _, file := range files {
			lines += statementLines(t, file)
		}
		if most := page.most[i]; lines > most || lines < most-most/20 {
			t.Errorf("%s, …: statements begin on %d lines, CHECKING.md says at most %d", files[0], lines, most)
		}
	}
}

// statementLines returns the number of lines of a file on which a statement begins. A block is the statements in it.
func statementLines(t *testing.T, file string) int {
	t.Helper()
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, filepath.Join(root, file), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	lines := make(map[int]bool)
	ast.Inspect(parsed, func(n ast.Node) bool {
		if statement, is := n.(ast.Stmt); is {
			if _, block := statement.(*ast.BlockStmt); !block {
				lines[set.Position(statement.Pos()).Line] = true
			}
		}
		return true
	})
	return len(lines)
}
