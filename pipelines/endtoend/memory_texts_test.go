package endtoend

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"privpipe/pipelines/testkit"
)

// A span is a text of some bytes, written some number of times.
type span struct {
	text  string
	times int
}

// squeezed writes a gzip file of spans.
func squeezed(t *testing.T, folder, name string, spans ...span) {
	t.Helper()
	squeeze(t, folder, name, func(w io.Writer) error {
		for _, s := range spans {
			block := min(s.times, 1<<16)
			many := []byte(strings.Repeat(s.text, block))
			for left := s.times; left > 0; left -= block {
				if _, err := w.Write(many[:len(s.text)*min(left, block)]); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func squeeze(t *testing.T, folder, name string, content func(io.Writer) error) {
	t.Helper()
	f, err := os.Create(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := gzip.NewWriter(f)
	if err := content(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// parquetOf returns a Parquet file of a row with this text.
func parquetOf(t *testing.T, text string) string {
	t.Helper()
	type row struct {
		Text string `parquet:"text"`
	}
	var file bytes.Buffer
	if err := parquet.Write(&file, []row{{text}}); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// manyColumns returns a Parquet file of a row "a" and n columns, text and copies of it that share its page.
func manyColumns(t *testing.T, n int) string {
	t.Helper()
	whole := []byte(parquetOf(t, "a"))
	end := len(whole) - 8
	footer := whole[end-int(binary.LittleEndian.Uint32(whole[end:])) : end]
	pages := whole[:end-len(footer)]
	protocol := new(thrift.CompactProtocol)
	var meta format.FileMetaData
	if err := thrift.Unmarshal(protocol, footer, &meta); err != nil {
		t.Fatal(err)
	}
	meta.Schema[0].NumChildren.V = int32(n)
	group := &meta.RowGroups[0]
	for i := range n - 1 {
		element, chunk := meta.Schema[1], group.Columns[0]
		element.Name = fmt.Sprint(i)
		chunk.MetaData.PathInSchema = []string{element.Name}
		meta.Schema, group.Columns = append(meta.Schema, element), append(group.Columns, chunk)
	}
	footer, err := thrift.Marshal(protocol, &meta)
	if err != nil {
		t.Fatal(err)
	}
	return string(pages) + string(footer) + string(binary.LittleEndian.AppendUint32(nil, uint32(len(footer)))) + "PAR1"
}

// TestMemoryOfTexts: no small file of text makes tokenize take much memory. Each command runs with 3 GiB of address
// space. The address space that Go's runtime reserves without use counts, too.
func TestMemoryOfTexts(t *testing.T) {
	testkit.Deep(t, "memory")
	folder := t.TempDir()
	const many, giga = 60_000_000, 1_000_000_000
	write(t, folder, "vocab.txt", twoWords)
	squeezed(t, folder, "row.csv.gz", span{"text,id\nb,0\n", 1}, span{",", many}, span{"\na,1\n", 1})
	squeezed(t, folder, "row.tsv.gz", span{"text\tid\nb\t0\n", 1}, span{"\t", many}, span{"\na\t1\n", 1})
	squeezed(t, folder, "head.csv.gz", span{"text", 1}, span{",", many}, span{"\na\n", 1})
	squeezed(t, folder, "last.csv.gz", span{"text\n", 1}, span{`"",`, many / 3})
	squeezed(t, folder, "endless.csv.gz", span{"text\n", 1}, span{",", giga})
	squeezed(t, folder, "elements.jsonl.gz", span{`{"text":"a","other":[0`, 1}, span{",0", many / 2}, span{"]}", 1})
	squeezed(t, folder, "nested.jsonl.gz", span{`{"text":"a","other":`, 1}, span{"[", many})
	squeezed(t, folder, "tokens.jsonl.gz", span{`{"text":["a"`, 1}, span{`,""`, many / 3}, span{"]}", 1})
	squeezed(t, folder, "endless.jsonl.gz", span{"a", giga})
	squeezed(t, folder, "word.txt.gz", span{"a", many})
	squeezed(t, folder, "endless.txt.gz", span{"a", giga})
	squeeze(t, folder, "keys.jsonl.gz", func(w io.Writer) error {
		var b bytes.Buffer
		b.WriteString(`{"text":"a"`)
		for i := range many / 12 {
			fmt.Fprintf(&b, `,"%x":0`, i)
		}
		b.WriteString("}\n")
		_, err := w.Write(b.Bytes())
		return err
	})
	write(t, folder, "columns.parquet", manyColumns(t, 100_000))

	const wide, tooLong = "more than 65536 fields\n", "document larger than --max-document 64MiB\n"
	for _, test := range []struct {
		script  string
		code    int
		message string // a regular expression
	}{
		{`text row.csv.gz`, 90, `row.csv.gz: line 3: ` + wide},
		{`text row.tsv.gz`, 90, `row.tsv.gz: line 3: ` + wide},
		{`text head.csv.gz`, 90, `head.csv.gz: line 1: ` + wide},
		{`text last.csv.gz`, 90, `last.csv.gz: line 2: ` + wide},
		{`text endless.csv.gz`, 90, `endless.csv.gz: line 2: ` + tooLong},
		{`terms row.csv.gz`, 90, wide},
		{`vocab --public --min-documents 1 --max-share 1 row.csv.gz`, 90, wide},
		{`phrases --public row.csv.gz`, 90, wide},
		{`text --on-error skip row.csv.gz | show --private`, 0, `"id":"0"[^$]*"id":"1"[^$]*"skipped":1`},
		{`text elements.jsonl.gz | show --private`, 0, `"records":1`},
		{`text keys.jsonl.gz | show --private`, 0, `"records":1`},
		{`text nested.jsonl.gz`, 90, `nested.jsonl.gz: line 1: not JSON at byte \d+\n`},
		{`text tokens.jsonl.gz | show --private`, 0, `"known_tokens":1,.*"tokens":20000001`},
		{`text endless.jsonl.gz`, 90, `endless.jsonl.gz: line 1: ` + tooLong},
		{`text word.txt.gz | show --private`, 0, `"records":1`},
		{`text endless.txt.gz`, 90, `endless.txt.gz: ` + tooLong},
		{`text columns.parquet | show --private`, 0, `"records":1`},
		{`uci --vocab vocab.txt endless.txt.gz`, 90, `endless.txt.gz: line 1: longer than any line of this format`},
		{`text --vocab endless.txt.gz word.txt.gz`, 90, `endless.txt.gz: line 1: longer than 64 KiB`},
		{`text --phrases endless.txt.gz word.txt.gz`, 90, `endless.txt.gz: line 1: longer than 64 KiB`},
	} {
		t.Run(test.script, func(t *testing.T) {
			command := test.script
			if strings.HasPrefix(command, "text") && !strings.Contains(command, "--vocab") {
				command = "text --vocab vocab.txt" + strings.TrimPrefix(command, "text")
			}
			s := bash(folder, "ulimit -v 3145728\ntokenize "+command)
			s.Run()
			if code := s.ProcessState.ExitCode(); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			if said := s.stderr.String() + s.stdout.String(); !regexp.MustCompile(test.message).MatchString(said) {
				t.Errorf("%.2000q does not match %q", said, test.message)
			}
		})
	}
}
