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
	lines   []int               // most lines: of the first two tables, of the third, and of the fourth
	most    []int               // most lines of statements: of the first three tables, and of the folders' other files
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
const (
	mostTable    = "A Gaussian sum: what the claim rests on most"
	restTable    = "A Gaussian sum: the rest of sum, clip, noise, charge and store"
	recordsTable = "A Gaussian sum: records in, releases out"
	lossTable    = "From the ledger of a Gaussian sum to (ε, δ)"
)

var (
	fileRow        = regexp.MustCompile("^\\| `(\\S+\\.(?:go|md))` \\| ([0-9]+) \\|")
	folderSentence = regexp.MustCompile(`The other files of the path are in ([^.]+)\.`)
	quotedFolder   = regexp.MustCompile("`([^`]+)`")
	linesSentence  = regexp.MustCompile(`have at most ([\d,]+) lines, with comments and proofs\. ` +
		`Those of the third, which read and write records, have at most ([\d,]+)\. ` +
		`The fourth table, from the ledger to \(ε, δ\), has at most ([\d,]+)\.`)
	numbersSentence = regexp.MustCompile(`The first table has at most ([\d,]+), the second ([\d,]+), ` +
		`the third ([\d,]+), the other files ([\d,]+)\.`)
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
			has, says := strings.Count(read(t, row[1]), "\n"), ofCommas(t, row[2:])[0]
			if abs(has-says) > max(3, has/20) {
				t.Errorf("%s has %d lines, CHECKING.md says %d", row[1], has, says)
			}
		}
	}
	flat := strings.Join(strings.Fields(text), " ")
	folders, numbers := folderSentence.FindStringSubmatch(flat), numbersSentence.FindStringSubmatch(flat)
	lines := linesSentence.FindStringSubmatch(flat)
	for _, table := range []string{mostTable, restTable, recordsTable, lossTable} {
		if folders == nil || numbers == nil || lines == nil || len(page.tables[table]) == 0 {
			t.Fatalf("CHECKING.md lacks a sentence of the path of a Gaussian sum, or the table %q", table)
		}
	}
	for _, folder := range quotedFolder.FindAllStringSubmatch(folders[1], -1) {
		page.folders = append(page.folders, folder[1])
	}
	page.lines, page.most = ofCommas(t, lines[1:]), ofCommas(t, numbers[1:])
	return page
}

func abs(n int) int { return max(n, -n) }

// ofCommas reads numbers such as 1,850.
func ofCommas(t *testing.T, texts []string) (numbers []int) {
	t.Helper()
	for _, text := range texts {
		n, err := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// TestGaussianSource counts the lines of the files that the path of a Gaussian sum passes through, and the lines with
// the beginning of a statement. CHECKING.md states the most that there may be, and not far more than there are.
// Whoever adds lines changes the page, and says why an auditor must read more.
func TestGaussianSource(t *testing.T) {
	page := gaussianPage(t)
	stated := func(files []string, what string, lines, most int) {
		if lines > most || lines < most-most/20 {
			t.Errorf("%s, …: %d lines%s, CHECKING.md says at most %d", files[0], lines, what, most)
		}
	}
	for i, files := range [][]string{slices.Concat(page.tables[mostTable], page.tables[restTable]),
		page.tables[recordsTable], page.tables[lossTable]} {
		lines := 0
		for _, file := range files {
			lines += strings.Count(read(t, file), "\n")
		}
		stated(files, "", lines, page.lines[i])
	}
	inTables := slices.Concat(page.tables[mostTable], page.tables[restTable], page.tables[recordsTable])
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
	for i, files := range [][]string{page.tables[mostTable], page.tables[restTable], page.tables[recordsTable],
		others} {
		lines := 0
		for _, file := range files {
			if strings.HasSuffix(file, ".go") {
				lines += statementLines(t, file)
			}
		}
		stated(files, " of statements", lines, page.most[i])
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
