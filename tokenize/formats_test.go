package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"privpipe/pipelines/testkit/broker"
	"privpipe/tokenize/internal/words"
)

// TestFormats runs the commands of FORMATS.md in the order of the page and compares what each block prints.
func TestFormats(t *testing.T) {
	page, err := os.ReadFile("FORMATS.md")
	if err != nil {
		t.Fatal(err)
	}
	parquet, err := os.ReadFile("internal/parquet/testdata/pyarrow.parquet")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "part.parquet"), parquet, 0o600); err != nil {
		t.Fatal(err)
	}
	avro, err := os.ReadFile("internal/schema/testdata/posts.avro")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "posts.avro"), avro, 0o600); err != nil {
		t.Fatal(err)
	}
	kept, registry, _ := aRegistry(t)
	fake := broker.Fake(t, nil)
	topicOf(t, fake.Address, "posts.private", &kgo.Record{Key: kept.Values["avro key"],
		Value: kept.Values["avro post"]})
	topicOf(t, fake.Address, "protos.private", &kgo.Record{Value: kept.Values["protobuf post"]})
	blocks := regexp.MustCompile("(?ms)^```sh\n(.*?)^```\n\n```\n(.*?)^```").FindAllSubmatch(page, -1)
	if all := regexp.MustCompile("(?m)^```sh$").FindAll(page, -1); len(blocks) < 8 || len(blocks) != len(all) {
		t.Fatalf("%d blocks of commands, %d of them with what they print", len(all), len(blocks))
	}
	for _, b := range blocks {
		command := exec.Command("bash", "-euo", "pipefail", "-c", string(b[1]))
		command.Dir = folder
		command.Env = append(os.Environ(), "broker="+fake.Address, "registry="+registry)
		printed, err := command.Output()
		if err != nil || string(printed) != string(b[2]) {
			t.Errorf("%s\n%v, got\n%s\nwant\n%s", b[1], err, printed, b[2])
		}
	}
}

// TestKinds writes the file for each table row in FORMATS.md. It compares the words of the file's documents, or the
// numbers of its vectors, or the message, with the row.
func TestKinds(t *testing.T) {
	page, err := os.ReadFile("FORMATS.md")
	if err != nil {
		t.Fatal(err)
	}
	texts, vectors, _ := strings.Cut(string(page), "\n## Vectors\n")
	kinds(t, texts, 45, "tokenize terms --min-letters 1 --stop none", func(record printedRecord) string {
		return strings.Join(record.Terms.Words, " ")
	})
	kinds(t, vectors, 20, "tokenize vectors --dimension 2", func(record printedRecord) string {
		return fmt.Sprint(record.Document.Words["0"], " ", record.Document.Words["1"])
	})
}

// A printedRecord is a record as show prints it.
type printedRecord struct {
	Terms    *struct{ Words []string }
	Document *struct{ Words map[string]float64 }
}

// kinds tries the rows of a part of the page, which must be at least least, by a command.
func kinds(t *testing.T, page string, least int, command string, print func(printedRecord) string) {
	t.Helper()
	rows := regexp.MustCompile("(?m)^\\| `([^`]*)` \\| `([^`]*)` \\| (?:`([^`]*)` )?\\| (.*) \\|$").
		FindAllStringSubmatch(page, -1)
	if len(rows) < least {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		content, err := strconv.Unquote(`"` + strings.ReplaceAll(row[2], `"`, `\"`) + `"`)
		if err != nil {
			t.Fatalf("%s: %v", row[2], err)
		}
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, row[1]), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		run := func(name string, args ...string) (string, string, int) {
			command := exec.Command(name, args...)
			var errors strings.Builder
			command.Dir, command.Stderr = folder, &errors
			printed, _ := command.Output()
			return string(printed), errors.String(), command.ProcessState.ExitCode()
		}
		got := ""
		words := append(strings.Fields(command), strings.Fields(row[3])...)
		if _, message, code := run(words[0], append(words[1:], "-o", "out.pp", row[1])...); code != 0 {
			message, _, _ = strings.Cut(strings.TrimPrefix(message, "tokenize: error: "), "\n")
			got = fmt.Sprintf("%d: %s", code, message)
		} else {
			printed, _, _ := run("show", "--private", "out.pp")
			var documents []string
			for line := range strings.Lines(printed) {
				var record printedRecord
				if json.Unmarshal([]byte(line), &record) == nil && (record.Terms != nil || record.Document != nil) {
					documents = append(documents, print(record))
				}
			}
			got = strings.TrimSpace(strings.Join(documents, "; "))
		}
		if got != row[4] {
			t.Errorf("%s of %s with %s:\ngot  %s\nwant %s", row[1], row[2], row[3], got, row[4])
		}
	}
}

// TestRuleOfWords cuts the text in each row of the tables of FORMATS.md by the newest rule.
func TestRuleOfWords(t *testing.T) {
	page, err := os.ReadFile("FORMATS.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\|.* \\| `([^`]*)` \\| `([^`]*)` \\|$").FindAllSubmatch(page, -1)
	if len(rows) < 30 {
		t.Fatalf("%d rows, want those of two tables", len(rows))
	}
	splitter := words.Splitter{Rule: words.Rule{Number: words.Newest}}
	for _, row := range rows {
		var text string
		if err := json.Unmarshal([]byte(`"`+strings.ReplaceAll(string(row[1]), `"`, `\"`)+`"`), &text); err != nil {
			t.Fatalf("%s: %v", row[1], err)
		}
		var found []string
		splitter.Words(words.Text{Content: []byte(text)}, func(w words.Word) {
			found = append(found,
				string(w.Bytes))
		})
		if got := strings.Join(found, " "); got != string(row[2]) {
			t.Errorf("%q: got %q, want %q", text, got, row[2])
		}
	}
}
