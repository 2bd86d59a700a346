package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	library "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/format"
)

// row is what the files of these tests have.
type row struct {
	Text   *string  `parquet:"text"`
	Plain  string   `parquet:"plain,plain"`
	Delta  string   `parquet:"delta,delta"`
	Words  string   `parquet:"words,dict"`
	Number int32    `parquet:"number"`
	Large  uint64   `parquet:"large"`
	Steps  int64    `parquet:"steps,optional,delta"`
	Few    int32    `parquet:"few,optional,dict"` // 0: null
	Jumps  uint32   `parquet:"jumps,delta"`
	List   []string `parquet:"list,list"`
	Bare   []string `parquet:"bare"`
	Float  float64  `parquet:"float"`
	Short  float32  `parquet:"short,optional,dict"` // 0: null
	Nested struct {
		Text string `parquet:"text"`
	} `parquet:"nested"`
}

// written are n rows, and the file of them that parquet-go writes.
func written(t testing.TB, n int, options ...library.WriterOption) ([]row, []byte) {
	t.Helper()
	rows := make([]row, n)
	for i := range rows {
		r := &rows[i]
		if i%3 != 1 {
			r.Text = new(strings.Repeat("MARKER ", i%5))
		}
		r.Plain, r.Delta, r.Words = fmt.Sprint("plain ", i), fmt.Sprint("delta ", i), fmt.Sprint("word ", i%4)
		r.Number, r.Large = int32(-i), 1<<63+uint64(i)
		if i%5 > 0 {
			r.Steps, r.Few = int64(i)*int64(i)*(1<<40), int32(i%3)-4
		}
		r.Jumps = uint32(i) * 2654435761
		r.Float, r.Short = float64(i)/3, float32(i%4)/10
		for j := range i % 4 {
			r.List, r.Bare = append(r.List, fmt.Sprint(i, j)), append(r.Bare, strings.Repeat("x", j))
		}
	}
	var b bytes.Buffer
	w := library.NewGenericWriter[row](&b, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return rows, b.Bytes()
}

// printed returns a cell as the tests compare it.
func printed(c Cell) string {
	switch {
	case c.Null:
		return "null"
	case c.TooLong:
		return "too long"
	case c.NullItem:
		return "null item"
	case !c.Text.List:
		return string(c.Text.Content)
	}
	var tokens []string
	for rest := c.Text.Content; len(rest) > 0; {
		n, size := binary.Uvarint(rest)
		tokens, rest = append(tokens, string(rest[size:size+int(n)])), rest[size+int(n):]
	}
	return fmt.Sprintf("%q", tokens)
}

// all reads the named columns of all rows of a file.
func all(b []byte, limit int, names ...string) (rows [][]string, err error) {
	f, err := open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	var columns []Column
	for _, name := range names {
		c, err := f.Column(name)
		if err != nil {
			return nil, err
		}
		c.Limit = limit
		columns = append(columns, c)
	}
	r := f.Rows(columns...)
	for {
		cells, err := r.Next()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		var row []string
		for _, c := range cells {
			row = append(row, printed(c))
		}
		rows = append(rows, row)
	}
}

var names = []string{"text", "plain", "delta", "words", "number", "large", "list", "bare", "steps", "few", "jumps",
	"float", "short"}

// TestRows reads what parquet-go writes, in each encoding and compression, over several pages and row groups.
func TestRows(t *testing.T) {
	for _, codec := range []compress.Codec{&library.Uncompressed, &library.Snappy, &library.Gzip, &library.Zstd} {
		for version := 1; version <= 2; version++ {
			rows, b := written(t, 2000, library.Compression(codec), library.DataPageVersion(version),
				library.PageBufferSize(4<<10), library.MaxRowsPerRowGroup(700))
			got, err := all(b, 1<<20, names...)
			if err != nil || len(got) != len(rows) {
				t.Fatalf("%s, version %d: %d rows, %v", codec, version, len(got), err)
			}
			for i, r := range rows {
				want := []string{"null", r.Plain, r.Delta, r.Words, fmt.Sprint(r.Number), fmt.Sprint(r.Large),
					fmt.Sprintf("%q", r.List), fmt.Sprintf("%q", r.Bare), "null", "null", fmt.Sprint(r.Jumps),
					fmt.Sprint(r.Float), "null"}
				if r.Steps != 0 {
					want[8], want[9] = fmt.Sprint(r.Steps), fmt.Sprint(r.Few)
				}
				if r.Short != 0 {
					want[12] = fmt.Sprint(r.Short)
				}
				if r.Text != nil {
					want[0] = *r.Text
				}
				if !slices.Equal(got[i], want) {
					t.Fatalf("%s, version %d, row %d: got %q, want %q", codec, version, i, got[i], want)
				}
			}
		}
	}
}

// TestLimit: values over the limit are left out, and so are lists, in which a string takes at least a byte.
func TestLimit(t *testing.T) {
	_, b := written(t, 4)
	got, err := all(b, 6, "text", "plain", "words", "list", "bare", "large")
	want := [][]string{
		{"", "too long", "word 0", "[]", "[]", "9223372036854775808"},
		{"null", "too long", "word 1", `["1 0"]`, `[""]`, "9223372036854775809"},
		{"too long", "too long", "word 2", "too long", `["" "x"]`, "9223372036854775810"},
		{"too long", "too long", "word 3", "too long", `["" "x" "xx"]`, "9223372036854775811"},
	}
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestPyarrow reads what pyarrow writes: testdata/make.py has made the file.
func TestPyarrow(t *testing.T) {
	b, err := os.ReadFile("testdata/pyarrow.parquet")
	if err != nil {
		t.Fatal(err)
	}
	got, err := all(b, 100, "id", "text", "user", "label", "tokens", "day", "score")
	want := [][]string{
		{"a", "Apple pear, APPLE!", "1", "x", `["Apple" "e_mail"]`, "65535", "1.5"},
		{"b", "Äpfel 東京, fig?", "-2", "null", "[]", "0", "2"},
		{"null", "", "null", "y", "null", "null", "null"}, {"d", "null", "4", "x", "null item", "7", "4"},
	}
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestTypes reads each type that CSV spells out, and fields of structs.
func TestTypes(t *testing.T) {
	read := func(name string, columns ...string) [][]string {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := all(b, 100, columns...)
		if err != nil {
			t.Errorf("%s: %v", columns, err)
		}
		return rows
	}
	for column, want := range map[string][]string{
		"yes": {"true", "null", "false"}, "float": {"1.5", "null", "NaN"}, "half": {"0.5", "null", "-65504"},
		"day":     {"2024-02-29", "null", "1969-12-31"},
		"millis":  {"2024-01-02 03:04:05.006", "null", "1969-12-31 23:59:59.5"},
		"micros":  {"2024-01-02 03:04:05+00:00", "null", "1970-01-01 00:00:00+00:00"},
		"clock":   {"03:04:05", "null", "00:00:00.00025"},
		"clock32": {"03:04:05", "null", "00:00:00.25"},
		"money":   {"12.34", "null", "-0.05"}, "large": {"123456789012345678901234567890", "null", "-1"},
		"fixed": {"00ff", "null", "6162"}, "nothing": {"null", "null", "null"}, "small": {"255", "null", "0"},
		"uuid":               {"00000000-0000-0000-0000-000000000001", "null", "80000000-0000-0000-0000-000000000000"},
		"event.message.body": {"fig", "null", "null"}, "event.tags": {`["a" "b"]`, "null", "null"},
	} {
		for i, row := range read("types.parquet", column) {
			if row[0] != want[i] {
				t.Errorf("%s: row %d is %s, want %s", column, i+1, row[0], want[i])
			}
		}
	}
	got := fmt.Sprint(read("int96.parquet", "millis"))
	if got != "[[2024-01-02 03:04:05.006] [null] [1969-12-31 23:59:59.5]]" {
		t.Errorf("INT96: %s", got)
	}
}

// TestTwice: two columns of one name, or of one path, are refused.
func TestTwice(t *testing.T) {
	_, b := written(t, 1)
	changed := rewritten(t, b, func(m *format.FileMetaData) {
		for i := range m.Schema {
			if m.Schema[i].Name == "plain" {
				m.Schema[i].Name = "text"
			}
		}
	})
	if _, err := all(changed, 100, "text"); err != ErrTwice {
		t.Errorf("got %v", err)
	}
}

func TestColumnRefuses(t *testing.T) {
	_, b := written(t, 1)
	for name, want := range map[string]error{"nested": errKind, "none": ErrNoColumn, "element": ErrNoColumn} {
		if _, err := all(b, 100, name); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
	}
	python, err := os.ReadFile("testdata/pyarrow.parquet")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"numbers", "lists"} {
		if _, err := all(python, 100, name); err != errKind {
			t.Errorf("%s: got %v, want %v", name, err, errKind)
		}
	}
}

// rewritten returns a file with another footer.
func rewritten(t testing.TB, file []byte, change func(*format.FileMetaData)) []byte {
	t.Helper()
	f, err := library.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	change(f.Metadata())
	n := len(file) - 8 - int(binary.LittleEndian.Uint32(file[len(file)-8:]))
	footer := marshal(t, f.Metadata())
	b := append(bytes.Clone(file[:n]), footer...)
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(footer))), magic...)
}

// TestDamaged: a file whose footer does not fit its pages is refused.
func TestDamaged(t *testing.T) {
	_, b := written(t, 300, library.MaxRowsPerRowGroup(100), library.DataPageVersion(1))
	first := func(m *format.FileMetaData) *format.ColumnMetaData { return &m.RowGroups[0].Columns[0].MetaData }
	for name, change := range map[string]func(*format.FileMetaData){
		"more rows":        func(m *format.FileMetaData) { m.RowGroups[1].NumRows++ },
		"fewer rows":       func(m *format.FileMetaData) { m.RowGroups[1].NumRows-- },
		"no rows":          func(m *format.FileMetaData) { m.RowGroups[2].NumRows = 0 },
		"negative rows":    func(m *format.FileMetaData) { m.RowGroups[1].NumRows = -1 },
		"other column":     func(m *format.FileMetaData) { *first(m) = m.RowGroups[1].Columns[6].MetaData },
		"no such page":     func(m *format.FileMetaData) { first(m).DataPageOffset = 1 << 40 },
		"before the file":  func(m *format.FileMetaData) { first(m).DataPageOffset = -1 },
		"the magic":        func(m *format.FileMetaData) { first(m).DataPageOffset = 0 },
		"beyond its pages": func(m *format.FileMetaData) { first(m).TotalCompressedSize += 7 },
		"half a page":      func(m *format.FileMetaData) { first(m).TotalCompressedSize /= 2 },
		"negative size":    func(m *format.FileMetaData) { first(m).TotalCompressedSize = -1 },
		"overflow":         func(m *format.FileMetaData) { first(m).TotalCompressedSize = 1<<63 - 1 },
		"other codec":      func(m *format.FileMetaData) { first(m).Codec = format.Zstd },
		"fewer columns":    func(m *format.FileMetaData) { m.RowGroups[0].Columns = m.RowGroups[0].Columns[:2] },
		"no schema":        func(m *format.FileMetaData) { m.Schema = nil },
		"deep schema":      func(m *format.FileMetaData) { m.Schema[0].NumChildren.V = 1 << 30 },
	} {
		if _, err := all(rewritten(t, b, change), 1<<20, names...); err == nil ||
			strings.Contains(err.Error(), "MARKER") {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
	}
	if got, err := all(rewritten(t, b, func(*format.FileMetaData) {}), 1<<20, names...); err != nil || len(got) != 300 {
		t.Errorf("the same footer: %d rows, %v", len(got), err)
	}
}

// TestTruncated cuts a file at every byte.
func TestTruncated(t *testing.T) {
	_, b := written(t, 20)
	for n := range b {
		if _, err := all(b[:n], 100, "text"); err != errTruncated {
			t.Fatalf("the first %d of %d bytes: %v", n, len(b), err)
		}
	}
	for name, file := range map[string]string{
		errTruncated.Error():                        string(b[:len(b)-8]) + "\xff\xff\xff\x00PAR1",
		"no Parquet file: it does not begin as one": "XAR1" + string(b[4:]),
		"encrypted Parquet: decrypt it first":       "PARE" + string(b[4:len(b)-4]) + "PARE",
		"damaged Parquet":                           string(b[:len(b)-9]) + "\xff" + string(b[len(b)-8:]),
	} {
		if _, err := all([]byte(file), 100, "text"); err == nil || err.Error() != name {
			t.Errorf("got %v, want %s", err, name)
		}
	}
	large := append([]byte(magic), make([]byte, mostFooter+1)...)
	large = append(binary.LittleEndian.AppendUint32(large, mostFooter+1), magic...)
	if _, err := all(large, 100, "text"); err == nil || err.Error() != "the footer has more than 16 MiB" {
		t.Errorf("got %v of a large footer", err)
	}
}

// TestFooterMemory: a footer of many small structures is refused before it is decoded.
func TestFooterMemory(t *testing.T) {
	const n = mostFooter - 100
	footer := append([]byte{0x49, 0xfc}, binary.AppendUvarint(nil, n)...) // field 4, the row groups
	footer = append(append(footer, make([]byte, n)...), 0)
	b := append([]byte(magic), footer...)
	b = append(binary.LittleEndian.AppendUint32(b, uint32(len(footer))), magic...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := all(b, 100, "text")
	runtime.ReadMemStats(&after)
	if want := "the footer has more than 524288 structures in lists"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 2*mostFooter>>20 {
		t.Errorf("took %d MiB", took)
	}
}

// FuzzFile reads damaged files: whatever they are, they are read or refused, without a panic or gigabytes.
func FuzzFile(f *testing.F) {
	for version := 1; version <= 2; version++ {
		for _, codec := range []compress.Codec{&library.Uncompressed, &library.Snappy, &library.Zstd, &library.Gzip} {
			_, b := written(f, 20, library.Compression(codec), library.DataPageVersion(version))
			f.Add(b)
		}
	}
	python, err := os.ReadFile("testdata/pyarrow.parquet")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(python)
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, columns := range [][]string{{"text", "number", "steps", "few"}, {"list", "words", "delta", "jumps"},
			{"text", "tokens", "user", "label"}, {"float", "short"}, {"score"}} {
			_, err := all(b, 100, columns...)
			if err != nil && !refusals.MatchString(err.Error()) {
				t.Errorf("%v", err)
			}
		}
	})
}

// refusals are all errors of a file, which quote nothing of it.
var refusals = regexp.MustCompile(`^(damaged Parquet(: a page)?|truncated, or no Parquet file: it does not end as one|` +
	`no Parquet file: it does not begin as one|encrypted Parquet: decrypt it first|no such column|a page of more than 256 MiB|the footer has more than .*|` +
	`must have strings, integers, or lists of strings|(compressed by|levels in the encoding|values in the encoding) [A-Z0-9_<>?()-]+[:,] .*)$`)
