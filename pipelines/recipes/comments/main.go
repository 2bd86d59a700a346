// Command comments writes the doc comments in Go source as JSON Lines {"text"}, one for each declaration. They are real
// text that every machine with Go has, for quickstart.sh. They have no ids: a comment's place changes when a comment
// before it is removed. With --csv the command writes a table with two columns, file and comment, for runs with the
// file as the privacy unit. The file comes first, so that no line inside a comment looks like a row.
package main

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	arguments, form := os.Args[1:], writeLines
	if len(arguments) > 1 && arguments[0] == "--csv" {
		arguments, form = arguments[1:], writeTable
	}
	if len(arguments) != 1 || strings.HasPrefix(arguments[0], "-") {
		fmt.Fprintln(os.Stderr, "usage: comments [--csv] FOLDER")
		os.Exit(80)
	}
	out := bufio.NewWriter(os.Stdout)
	err := form(out, arguments[0])
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "comments:", err)
		os.Exit(1)
	}
}

// A document is one line in the output.
type document struct {
	Text string `json:"text"`
}

func writeLines(w io.Writer, folder string) error {
	lines := json.NewEncoder(w)
	return walk(folder, func(_, comment string) error { return lines.Encode(document{comment}) })
}

func writeTable(w io.Writer, folder string) error {
	rows := csv.NewWriter(w)
	rows.Write([]string{"file", "comment"})
	err := walk(folder, func(file, comment string) error { return rows.Write([]string{file, comment}) })
	rows.Flush()
	return cmp.Or(err, rows.Error())
}

// walk hands on the comments of all Go files in a folder, in the order of the files' names.
func walk(folder string, each func(file, comment string) error) error {
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() == "testdata" && entry.IsDir() {
			return orSkip(err)
		}
		if entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil // a file that is not for this version of Go
		}
		name, err := filepath.Rel(folder, path)
		for _, comment := range comments(file) {
			if err == nil {
				err = each(name, comment.Text())
			}
		}
		return err
	})
}

// orSkip returns err, or else the error that makes WalkDir skip a folder.
func orSkip(err error) error {
	if err != nil {
		return err
	}
	return fs.SkipDir
}

// comments returns a file's doc comments: for the package and for its declarations.
func comments(file *ast.File) []*ast.CommentGroup {
	docs := []*ast.CommentGroup{file.Doc}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			docs = append(docs, n.Doc)
			return false // what stands inside a function explains code, not a declaration
		case *ast.GenDecl:
			docs = append(docs, n.Doc)
		case *ast.TypeSpec:
			docs = append(docs, n.Doc)
		case *ast.ValueSpec:
			docs = append(docs, n.Doc)
		case *ast.Field:
			docs = append(docs, n.Doc)
		}
		return true
	})
	var found []*ast.CommentGroup
	for _, doc := range docs {
		if doc != nil && doc.Text() != "" {
			found = append(found, doc)
		}
	}
	return found
}
