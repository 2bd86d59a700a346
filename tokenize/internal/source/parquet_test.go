package source

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/parquet-go/parquet-go"

	"privpipe/pipelines/wire"
)

// TestParquetRows: rows of Parquet follow the rules of JSON Lines. Null is no name; a name that is empty, or not UTF-8,
// is a fault.
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
		{new("a"), []string{"x", "y"}, "u", "l"}, {nil, nil, "", ""}, {new(""), nil, "", ""},
		{new("b"), []string{"x", "caf\xe9"}, "", ""},
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
	r, err := NewReader(t.Context(), []string{path}, Options{Limit: 7, Format: ByName})
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
		got = append(got, fmt.Sprintf("%d:%s|%q|%s|%s", number, idOf(row.Fields), row.Fields.Text.Content,
			row.Fields.User, row.Fields.Label))
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

// TestParquetLongNames: many rows may have the same dictionary entry as their name. A chunk holds names up to their
// limit, and counts them to its size.
func TestParquetLongNames(t *testing.T) {
	type row struct {
		ID    string `parquet:"id,dict"`
		Text  string `parquet:"text,dict"`
		User  string `parquet:"user,dict"`
		Label string `parquet:"label,dict"`
	}
	const n = 2000
	for _, length := range []int{wire.MaxName, wire.MaxName + 1, 200_000} {
		want := min(length, wire.MaxName+1) // one byte more, so that it is refused
		name := strings.Repeat("n", length)
		var b bytes.Buffer
		w := parquet.NewGenericWriter[row](&b)
		if _, err := w.Write(slices.Repeat([]row{{name, "fig", name, name}}, n)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		path := t.TempDir() + "/x.parquet"
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		in, err := newRows(path, &Options{Limit: 64 << 20}, new(atomic.Int64))
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for chunk, err := in.next(); err != io.EOF; chunk, err = in.next() {
			if err != nil {
				t.Fatal(err)
			}
			if held := len(chunk.parsed) * 3 * min(length, wire.MaxName); held > chunkBytes+3*wire.MaxName {
				t.Errorf("names of %d bytes: a chunk holds %d bytes of them", length, held)
			}
			for _, row := range chunk.Rows(64 << 20) {
				if row.Err != nil || len(*row.Fields.ID) != want || len(row.Fields.User) != want ||
					len(row.Fields.Label) != want {
					t.Fatalf("names of %d bytes: got %d, %d and %d, %v", length, len(*row.Fields.ID),
						len(row.Fields.User), len(row.Fields.Label), row.Err)
				}
				got++
			}
		}
		runtime.ReadMemStats(&after)
		in.close()
		if got != n {
			t.Errorf("names of %d bytes: %d of %d rows", length, got, n)
		}
		// Names of at most a kibibyte, twice a row; buffers of 1 MiB for each column.
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 32 {
			t.Errorf("names of %d bytes in a file of %d KiB: took %d MiB", length, b.Len()>>10, took)
		}
	}
}

// TestParquetLimitBelowNames: a name over the limit of a document is refused as a document, even if it could be a name.
func TestParquetLimitBelowNames(t *testing.T) {
	type row struct {
		ID   string `parquet:"id"`
		Text string `parquet:"text"`
	}
	for limit, want := range map[int]error{9: ErrTooLong, 10: nil, wire.MaxName: nil} {
		path := t.TempDir() + "/x.parquet"
		if err := parquet.WriteFile(path, []row{{"ten bytes.", "fig"}}); err != nil {
			t.Fatal(err)
		}
		r, err := NewReader(t.Context(), []string{path}, Options{Limit: limit, Format: ByName})
		if err != nil {
			t.Fatal(err)
		}
		chunk, _, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range chunk.Rows(limit) {
			if row.Err != want {
				t.Errorf("a limit of %d bytes: got %v, want %v", limit, row.Err, want)
			}
		}
	}
}
