package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// cellsOf returns the file's rows, each as "number:cells" or as "number!" with the fault. If the file's header is
// wrong, cellsOf returns the header's error.
func cellsOf(t *testing.T, name string, content []byte, o Options) (found []string, err error) {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(root+"/"+name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if o.Limit == 0 {
		o.Limit = 100
	}
	o.Format = ByName
	r, err := NewReader(t.Context(), []string{root + "/" + name}, o)
	if err != nil {
		t.Fatal(err)
	}
	for {
		chunk, more, err := r.Next()
		if err != nil {
			return found, errors.New(strings.TrimPrefix(err.Error(), root+"/"))
		}
		if !more {
			return found, nil
		}
		for number, row := range chunk.Rows(o.Limit) {
			if row.Err != nil {
				found = append(found, fmt.Sprintf("%d!%v", number, row.Err))
			} else {
				found = append(found, fmt.Sprintf("%d:%s", number, strings.Join(row.Cells, "|")))
			}
		}
	}
}

// parquetFile is a Parquet file of rows.
func parquetFile[T any](t *testing.T, rows ...T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := parquet.Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestCells reads one table in each format: columns in another order, one that is not asked for, white space, missing
// cells.
func TestCells(t *testing.T) {
	type row struct {
		Job  *string  `parquet:"job"`
		More bool     `parquet:"more"`
		Age  *float64 `parquet:"age"`
		Size float32  `parquet:"size"`
	}
	for _, c := range []struct {
		name    string
		content []byte
		first   int // number of the first row
	}{
		{"x.csv", []byte("job,more,age,size\n clerk ,x,39.5,0.1\n,x,,-7\n"), 2},
		{"x.data", []byte("job,more,age,size\n clerk ,x,39.5,0.1\n,x,,-7\n"), 2}, // of any name
		{"x.txt", []byte("job,more,age,size\n clerk ,x,39.5,0.1\n,x,,-7\n"), 2},
		{"x.tsv", []byte("job\tmore\tage\tsize\n clerk \tx\t39.5\t0.1\n\tx\t\t-7\n"), 2},
		{"x.jsonl", []byte(`{"job":" clerk ","more":[],"age":39.5,"size":"0.1"}` + "\n" +
			`{"size":-7,"age":null,"job":""}`), 1},
		{"x.parquet", parquetFile(t, row{new(" clerk "), true, new(39.5), .1}, row{nil, false, nil, -7}), 1},
	} {
		got, err := cellsOf(t, c.name, c.content,
			Options{Cells: NewCells([]string{"age", "size", "job"}, make([]bool, 3), make([]bool, 3))})
		want := []string{fmt.Sprintf("%d:39.5|0.1|clerk", c.first), fmt.Sprintf("%d:|-7|", c.first+1)}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v, want %q", c.name, got, err, want)
		}
	}
}

// TestHeadless: the first record is a row, and lines that begin with the comment are none.
func TestHeadless(t *testing.T) {
	cells := NewCells([]string{"a", "b"}, make([]bool, 2), make([]bool, 2))
	cells.Headless, cells.Comment = true, '|'
	got, err := cellsOf(t, "x.csv", []byte("|\"a comment\n1, 2\n\n|,,\n3,|\n4,\"x\n|y\"\n5\n6,7,8\n"),
		Options{Cells: cells})
	want := []string{"2:1|2", "5:3||", "6:4|x\n|y", "8!not 2 fields, as the schema has columns",
		"9!not 2 fields, as the schema has columns"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// TestCellsRefuses: each fault names its column.
func TestCellsRefuses(t *testing.T) {
	type row struct {
		A string   `parquet:"a"`
		B []string `parquet:"b,list"`
	}
	optional := NewCells([]string{"a", "b"}, []bool{false, true}, []bool{true, false})
	for _, c := range []struct {
		name, content, want string
	}{
		{"x.csv", "", "x.csv: line 1: empty, must begin with the names of the columns"},
		// optional is of JSON Lines
		{"x.csv", "a,c\n", `x.csv: line 1: no column "b" in the first row, which names the columns`},
		{"x.csv", "a,b,a\n", `x.csv: line 1: column "a" occurs twice`},
		{"x.csv", "a,b\n1\n", "2!not 2 fields, as the first row has"},
		{"x.csv", "a,b\n1,\xff\n", `2!column "b" is not UTF-8`},
		{"x.jsonl", `{"b":1}`, `1!member "a" is missing`},
		{"x.jsonl", `{"a":1}`, `1:1|`},
		{"x.jsonl", `{"a":true}`, `1:true|`},
		{"x.jsonl", `{"\u0061":1}`, `1:1|`},
		{"x.jsonl", `{"a":[ 1, {}]}`, `1:[ 1, {}]|`}, // what an array must hold is of the schema
		{"x.jsonl", `{"a":1,"b":[1]}`, `1!member "b" has the wrong type`},
		{"x.jsonl", `{"a":{}}`, `1!member "a" has the wrong type`},
		{"x.jsonl", `{"a":1,"a":1}`, `1!a member occurs twice, at byte 8`},
		{"x.jsonl", `{"a":1`, `1!not JSON at byte 7`},
		{"x.jsonl", `[1]`, `1!not a JSON object`},
		{"x.parquet", string(parquetFile(t, row{A: "1"})),
			`x.parquet: column "b": must have strings or what CSV spells out`},
		{"x.parquet", string(parquetFile(t, struct{ B int }{1})), `x.parquet: no column "a"`},
		{"x.parquet", string(parquetFile(t, struct {
			A string `parquet:"a"`
			B string `parquet:"b"`
		}{"\xff", ""})), `1!column "a" is not UTF-8`},
		{"x.parquet", string(parquetFile(t, struct {
			A string `parquet:"a"`
			B string `parquet:"b"`
		}{strings.Repeat("x", 101), ""})), `1!record too long`},
	} {
		got, err := cellsOf(t, c.name, []byte(c.content), Options{Cells: optional})
		if err != nil {
			got = append(got, err.Error())
		}
		if !slices.Equal(got, []string{c.want}) {
			t.Errorf("%.20q: got %q, want %q", c.content, got, c.want)
		}
	}
}

// slowly gives one line a read, as a slow pipe does.
type slowly struct{ lines []string }

func (s *slowly) Read(b []byte) (int, error) {
	if len(s.lines) == 0 {
		return 0, io.EOF
	}
	n := copy(b, s.lines[0])
	s.lines = s.lines[1:]
	return n, nil
}

// TestSlowHeader: comments and empty lines before the names of the columns may come alone.
func TestSlowHeader(t *testing.T) {
	cells := NewCells([]string{"a"}, make([]bool, 1), make([]bool, 1))
	cells.Comment = '#'
	for _, lines := range [][]string{{"# x\n", "\n", "a\n", "1\n"}, {"# x\n"}, {"\n", "\n"}} {
		r := &Reader{Options: Options{Limit: 100, Cells: cells}}
		r.lines = newLines(&slowly{slices.Clone(lines)}, "x", CSV, &r.Options)
		r.close = func() error { return nil }
		var got []string
		for {
			chunk, more, err := r.Next()
			if err != nil {
				got = append(got, err.Error())
			}
			if err != nil || !more {
				break
			}
			for number, row := range chunk.Rows(100) {
				got = append(got, fmt.Sprintf("%d:%s", number, row.Cells))
			}
		}
		want := []string{"4:[1]"}
		if len(lines) < 4 {
			want = []string{"x: line 1: empty, must begin with the names of the columns"}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", lines, got, want)
		}
	}
}

// TestFolderOfRows: a folder of tables may have a README.txt.
func TestFolderOfRows(t *testing.T) {
	root := folder(t, map[string]string{"README.txt": "text", "a.csv": "a\n1\n", "b.tsv": "a\n2\n",
		"c.jsonl": `{"a":3}`})
	r, err := NewReader(t.Context(), []string{root},
		Options{Limit: 100, Format: ByName, Cells: NewCells([]string{"a"}, make([]bool, 1), make([]bool, 1))})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for {
		chunk, more, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			break
		}
		for _, row := range chunk.Rows(100) {
			got = append(got, row.Cells...)
		}
	}
	if !slices.Equal(got, []string{"1", "2", "3"}) {
		t.Errorf("got %q", got)
	}
}

// FuzzCellsOfALine compares with encoding/json, which accepts more.
func FuzzCellsOfALine(f *testing.F) {
	for _, seed := range []string{
		`{"a":1,"b":" x "}`, `{"a":"\u00e9\n","b":null}`, `{"b":false,"a":1e999}`, `{"a":1,"a":2}`, "\xff", "null",
		`{"a":[],"b":1}`, `{"a":"1","c":{"a":2},"b":"\ud83d\ude00"}`, `{"\u0061":5}`,
	} {
		f.Add([]byte(seed))
	}
	cells := NewCells([]string{"a", "b"}, []bool{false, true}, []bool{true, false})
	f.Fuzz(func(t *testing.T, line []byte) {
		got, err := cells.line(line)
		if err != nil {
			return
		}
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		var members map[string]any
		if err := d.Decode(&members); err != nil {
			t.Fatalf("%q: encoding/json says %v", line, err)
		}
		for i, name := range []string{"a", "b"} {
			want := ""
			if value := members[name]; value != nil {
				want = strings.TrimSpace(fmt.Sprint(value))
			}
			if got[i] != want {
				t.Errorf("%q: got %s %q, want %q", line, name, got[i], want)
			}
		}
		if _, is := members["a"]; !is {
			t.Errorf("%q: took a line without a", line)
		}
	})
}
