package source

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// TestParquetRows: rows of Parquet follow the rules of JSON Lines. Null is no name; a name that is empty, or not UTF-8, is a fault.
func TestParquetRows(t *testing.T) {
	type row struct {
		ID    *string  `parquet:"id"`
		Text  []string `parquet:"text,list"`
		User  string   `parquet:"user"`
		Label string   `parquet:"label"`
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b)
	if _, err := w.Write([]row{
		{new("a"), []string{"x", "y"}, "u", "l"}, {nil, nil, "", ""}, {new(""), nil, "", ""}, {new("b"), []string{"x", "caf\xe9"}, "", ""},
		{new("\xff"), nil, "", ""}, {new("c"), []string{"long", "er"}, "", ""}, {new("d"), []string{"long"}, "", ""},
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := t.TempDir() + "/x.parquet"
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := NewReader([]string{path}, Options{Limit: 7, Format: ByName})
	if err != nil {
		t.Fatal(err)
	}
	chunk, more, err := r.Next()
	if err != nil || !more || chunk.Unit() != "row" {
		t.Fatalf("%v, %v, by %s", more, err, chunk.Unit())
	}
	var got []string
	for number, row := range chunk.Rows(7) {
		if row.Err != nil {
			got = append(got, fmt.Sprintf("%d!%v", number, row.Err))
			continue
		}
		got = append(got, fmt.Sprintf("%d:%s|%q|%s|%s", number, idOf(row.Fields), row.Fields.Text.Content, row.Fields.User, row.Fields.Label))
	}
	want := []string{
		`1:a|"\x01x\x01y"|u|l`, "2:" + none + `|""||`, `3!column "id" is empty`, `4!column "text" is not UTF-8`,
		`5!column "id" is not UTF-8`, "6!record too long", `7:d|"\x04long"||`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, more, err := r.Next(); more || err != nil {
		t.Errorf("after the end: %v, %v", more, err)
	}
}
