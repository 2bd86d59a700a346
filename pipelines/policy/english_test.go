package policy

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// connectors are words that hang a clause on a noun. A comment with many of them must be read twice.
var connectors = regexp.MustCompile(`(?i)\b(of which|by which|in which|for which|to which|from which|whose|` +
	`what is|that of|those of|so many|of a)\b`)

// mostConnectors is the most for 100 words of comments below a folder. age has 0.1, restic 0.16.
const mostConnectors = 0.4

// TestEnglish counts connectors in the comments of code without tests, for each folder at the top.
func TestEnglish(t *testing.T) {
	for _, folder := range []string{
		"tokenize", "sample", "estep", "privatize", "mstep", "account", "evaluate", "pipelines",
	} {
		words, found := 0, 0
		err := filepath.WalkDir(filepath.Join("../..", folder), func(name string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
				strings.HasSuffix(name, ".pb.go") || strings.Contains(name, "/testdata/") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			for _, comment := range file.Comments {
				text := comment.Text()
				words += len(strings.Fields(text))
				found += len(connectors.FindAllString(text, -1))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if rate := 100 * float64(found) / float64(words); rate > mostConnectors {
			t.Errorf("%s: %.2f connectors (%v) in 100 words of comments, the most is %v: "+
				"repeat the noun, or begin a new sentence", folder, rate, connectors, mostConnectors)
		}
	}
}
