package source

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// records returns the records of CSV as the chunks of a reader give them: "line:cells", or "line!" with the fault.
func records(t *testing.T, in io.Reader, limit, most int, comment byte) (found []string) {
	t.Helper()
	o := &Options{Limit: limit, Cells: &Cells{Comment: comment}}
	l := newLines(in, "name", CSV, o)
	l.csv.most = most
	for {
		chunk, err := l.next()
		if err == io.EOF {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		if chunk.Fault != nil {
			found = append(found, fmt.Sprintf("%d!%v", chunk.Line, chunk.Fault))
			continue
		}
		chunk.table = o.table(',', QuoteCSV)
		for line, record := range chunk.records(limit) {
			if record.err != nil {
				found = append(found, fmt.Sprintf("%d!%v", line, record.err))
			} else {
				found = append(found, fmt.Sprintf("%d:%q", line, record.cells))
			}
		}
	}
}

// whole returns the same by the rules of the page, character by character over the whole input.
func whole(in string, limit, most int, comment byte) (found []string) {
	in = strings.TrimPrefix(in, "\uFEFF")
	in = strings.ReplaceAll(strings.ReplaceAll(in, "\r\n", "\n"), "\r", "\n")
	line := 1
	for at := 0; at < len(in); {
		rest, _, _ := strings.Cut(in[at:], "\n")
		if rest == "" || comment != 0 && rest[0] == comment {
			at += len(rest) + 1
			line++
			continue
		}
		begin, first := at, line
		cells, cell, opened, broken := []string{}, "", 0, false
		for more := true; more; {
			if at < len(in) && in[at] == '"' {
				opened = line
				for at++; ; at++ {
					if broken = at >= len(in); broken {
						break
					}
					if in[at] == '"' {
						if at++; at >= len(in) || in[at] != '"' {
							break
						}
					}
					if in[at] == '\n' {
						line++
					}
					cell += in[at : at+1]
				}
				broken = broken || at < len(in) && in[at] != ',' && in[at] != '\n'
			}
			for at < len(in) && in[at] != '\n' && (in[at] != ',' || broken) {
				cell += in[at : at+1]
				at++
			}
			more = at < len(in) && in[at] == ','
			cells, cell = append(cells, cell), ""
			at++
		}
		raw := in[begin:min(at-1, len(in))]
		line++
		switch {
		case broken:
			found = append(found, fmt.Sprintf("%d!%v", opened, ErrQuote))
		case len(raw) > limit:
			found = append(found, fmt.Sprintf("%d!%v", first, ErrTooLong))
		case len(cells) > most:
			found = append(found, fmt.Sprintf("%d!%v", first, ErrTooWide))
		default:
			found = append(found, fmt.Sprintf("%d:%q", first, cells))
		}
	}
	return found
}

// FuzzCSV checks that the records equal the records of encoding/csv, however their file comes and is cut into chunks.
func FuzzCSV(f *testing.F) {
	for _, seed := range []string{
		"", "a,b\n1,2\n", "a,b\r\n1,2\r\n", "a\n\"b\nb\"\nc", "\"a\"\"b\",c\n\"\"\n\n\r\n,\n", "\uFEFF\"a\nb\",c\n",
		"a\"b,\"c\nd\"\ne\n",
		"\"a\"b,\"c\nd\"\ne", "\"a\"\r\nb", "\"a\"\rb\nc", "\"a\r\nb\"\r\n", "x\n\"never\nends\n", "\r\ra\r\n\r",
		"\"\"\"\"\n\"\"\"\n\"",
		"long long long\nb\n\"long\nlong\nlong\",x\nb\n", "\xef\xbb\n", "\n\n\na,\"\n\n\"\n",
		// A scanner that begins a field after an error would find the end of the record in a later field.
		"\"a\"b,\"c\n\"d\ne\",f\ng\n", "a\"b\n\"c\nd\"\ne\n", "a\"b,\"c\n\"d\ne\",f\ng\n",
		"\"a\"\r,\"c\n\"d\ne\",f\ng\n",
	} {
		f.Add(seed, 100, 100, byte(0))
		f.Add(seed, 8, 100, byte(0))
		f.Add(seed, 100, 1, byte(0))
	}
	for _, seed := range []string{
		"a,b,c\n", "a,b\n,,\n,\n", ",,", "\",,,\",b\n\",,,\",,\n", ",,\"a\"b,,\n", ",\"a\"b,,\n",
		"a\n\n\n,,\"\n\"\n\nb", "\",\"\",\",\",\"\"\"\n,\"a\nb\",\n",
		",,,,,,,,\na", ",,,,,,,,,,,,\"\n\na\n", "\uFEFF,\n,,\n",
	} {
		f.Add(seed, 8, 2, byte(0))
		f.Add(seed, 100, 2, byte(0))
	}
	for _, seed := range []string{
		"|\"\na\n|,,,,,\n", "a,|\n| long long long\nb\n", "a\n|long long long long", "\n|x\n\r\nabcdef,\n",
		"\"a\n|b\"\n|\"\nc", "\uFEFF|\na", "a\"b\n|\"\n\"c\nd\"", "a,|x,\"b\nc\"\n",
	} {
		f.Add(seed, 8, 2, byte('|'))
		f.Add(seed, 100, 100, byte('|'))
	}
	f.Add("\"a\"b,\"c\nd\"\x12e", 1, 100, byte(0)) // the last record is too long, and the one before it is broken
	f.Fuzz(func(t *testing.T, in string, limit, most int, comment byte) {
		limit, most = max(limit, 1), max(most, 1)
		if comment >= utf8.RuneSelf || strings.ContainsRune(",\"\r\n", rune(comment)) {
			t.Skip("the schema refuses such a comment")
		}
		_, named := separator([]byte(strings.TrimPrefix(in, "\uFEFF")))
		if otherFormat([]byte(in), CSV) != nil || named > 0 || limit < len(in) && strings.Contains(in, "\r") {
			t.Skip("another format or delimiter, or a length that depends on the ends of lines")
		}
		want := whole(in, limit, most, comment)
		for name, reader := range map[string]io.Reader{
			"whole": strings.NewReader(in), "byte by byte": iotest.OneByteReader(strings.NewReader(in)),
			"half by half":      iotest.HalfReader(strings.NewReader(in)),
			"end with the data": iotest.DataErrReader(strings.NewReader(in)),
		} {
			if got := records(t, reader, limit, most, comment); !slices.Equal(got, want) {
				t.Errorf("%q with limit %d and %d fields, %s: got %q, want %q", in, limit, most, name, got, want)
			}
		}
	})
}

// rowsOf returns the rows of one CSV file, each as "line:id|text|user|label" or as "line!" with the fault. If the
// file's header is wrong, rowsOf returns the header's error.
func rowsOf(t *testing.T, format Format, content string, columns Columns) (found []string, err error) {
	t.Helper()
	root := folder(t, map[string]string{"x": content})
	r, err := NewReader(t.Context(), []string{root + "/x"}, Options{Limit: 60, Format: format, Columns: columns})
	if err != nil {
		t.Fatal(err)
	}
	for {
		chunk, more, err := r.Next()
		if err != nil {
			return nil, errors.New(strings.TrimPrefix(err.Error(), root+"/"))
		}
		if !more {
			return found, nil
		}
		for line, row := range chunk.Rows(60) {
			if row.Err != nil {
				found = append(found, fmt.Sprintf("%d!%v", line, row.Err))
				continue
			}
			f := row.Fields
			found = append(found, fmt.Sprintf("%d:%s|%s|%s|%s", line, idOf(f), f.Text.Content, f.User, f.Label))
		}
	}
}

func TestCSV(t *testing.T) {
	own := Columns{roleText: "body", roleID: "post id"}
	for _, c := range []struct {
		format  Format
		columns Columns
		content string
		want    []string
	}{
		{CSV, Columns{}, "text\nx y\n", []string{"2:" + none + "|x y||"}},
		{CSV, Columns{}, "label,n,text,id,user\nl,7,x,a,u\n", []string{"2:a|x|u|l"}},
		{CSV, Columns{}, "\uFEFFid, text \na,\"x, \"\"y\"\"\nz\"\nb,\n", []string{"2:a|x, \"y\"\nz||", "4:b|||"}},
		{CSV, Columns{}, "id,text\r\n,x\r\n\r\nb,y", []string{"2:" + none + "|x||", "4:b|y||"}},
		{TSV, Columns{}, "id\ttext\na\tx, y\nb\t\"x\\ty\\nz\n", []string{"2:a|x, y||", "3:b|\"x\ty\nz||"}},
		{CSV, own, "post id,body,id,text\na,x,b,y\n", []string{"2:a|x||"}},
		{CSV, Columns{roleText: "a", roleUser: "a"}, "a\nx\n", []string{"2:" + none + "|x|x|"}},
		{CSV, Columns{}, "text,text2,other,other\nx,y,z,z\n", []string{"2:" + none + "|x||"}},
		{CSV, Columns{}, "text\n", nil},
		{CSV, Columns{}, "text", nil},
		// What is malformed costs its own record.
		{CSV, Columns{}, "id,text\na,MARKER,b\nc\nd,x\n", []string{
			"2!not 2 fields, as the first row has", "3!not 2 fields, as the first row has", "4:d|x||"}},
		{CSV, Columns{}, "id,text\na,6\" x \"y\"\nb,x\n", []string{"2:a|6\" x \"y\"||", "3:b|x||"}},
		{CSV, Columns{}, "id,text\na,\"x\ny\" MARKER\nb,x\n", []string{
			"2!a quoted field has text after its closing quote, or no closing quote: a quote inside a field must be " +
				"doubled", "4:b|x||"}},
		{CSV, Columns{}, "id,text\na,\"MARKER\nb,x\n", []string{
			"2!a quoted field has text after its closing quote, or no closing quote: a quote inside a field must be " +
				"doubled"}},
		{CSV, Columns{}, "other,text\ncaf\xe9,x\nb,MARKER caf\xe9\n",
			[]string{"2:" + none + "|x||", `3!column "text" is not UTF-8`}},
		{CSV, Columns{}, "text\n\"" + strings.Repeat("MARKER\n", 9) + "\"\nx\n",
			[]string{"2!record too long", "12:" + none + "|x||"}},
	} {
		if got, err := rowsOf(t, c.format, c.content, c.columns); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q as %s: got %q, %v, want %q", c.content, c.format, got, err, c.want)
		}
	}
}

func TestCSVRefuses(t *testing.T) {
	for _, c := range []struct {
		columns       Columns
		content, want string
	}{
		{Columns{}, "", "x: line 1: empty, must begin with the names of the columns"},
		{Columns{}, "\n\n", "x: line 1: empty, must begin with the names of the columns"},
		{Columns{}, "MARKER,id\nx,y\n", `x: line 1: no column "text" in the first row, which names the columns`},
		{Columns{}, "id;text\n", `x: line 1: no column "text" in the first row, which names the columns`},
		{Columns{}, "text,id,text\n", `x: line 1: column "text" occurs twice`},
		{Columns{roleID: "post"}, "text,id\n", `x: line 1: no column "post" in the first row, which names the columns`},
		{Columns{roleText: "Text"}, "text\n", `x: line 1: no column "Text" in the first row, which names the columns`},
		{Columns{}, "te\"xt\n", `x: line 1: no column "text" in the first row, which names the columns`},
		{Columns{}, "\"te\"xt\n", "x: line 1: a quoted field has text after its closing quote, or no closing quote: " +
			"a quote inside a field must be doubled"},
		{Columns{}, "text" + strings.Repeat(",MARKER", 9) + "\n",
			"x: line 1: the names of the columns take more than --max-document"},
	} {
		if got, err := rowsOf(t, CSV, c.content, c.columns); err == nil || err.Error() != c.want {
			t.Errorf("%q: got %q, %v, want %s", c.content, got, err, c.want)
		}
	}
}

// TestCSVFields: a record has up to mostFields fields. A comma in a quoted field separates none.
func TestCSVFields(t *testing.T) {
	commas := func(n int) string { return strings.Repeat(",", n) }
	fields := func(head, row string) string {
		root := folder(t, map[string]string{"x.csv": "text" + head + "\n" + row + "\na" + head + "\n"})
		r, err := NewReader(t.Context(), []string{root + "/x.csv"}, Options{Limit: 1 << 20, Format: ByName})
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for {
			chunk, more, err := r.Next()
			if err != nil {
				return strings.TrimPrefix(err.Error(), root+"/")
			}
			if !more {
				return strings.Join(found, ", ")
			}
			for line, row := range chunk.Rows(1 << 20) {
				found = append(found, fmt.Sprintf("%d: %v", line, row.Err))
			}
		}
	}
	most, quoted := commas(mostFields-1), `"`+commas(mostFields)+`"`
	for _, c := range []struct{ head, row, want string }{
		{most, "a" + most, "2: <nil>, 3: <nil>"},
		{most, quoted + most, "2: <nil>, 3: <nil>"},
		{"", quoted, "2: <nil>, 3: <nil>"},
		{"", "a" + commas(mostFields), "2: more than 65536 fields, 3: <nil>"},
		{commas(mostFields), "a", "x.csv: line 1: more than 65536 fields"},
	} {
		if got := fields(c.head, c.row); got != c.want {
			t.Errorf("a header of %d bytes and a row of %d: got %q, want %q", len(c.head), len(c.row), got, c.want)
		}
	}
}

// TestCSVDropsALongRecordWithoutKeepingIt reads a quote that stays open for 256 MiB.
func TestCSVDropsALongRecordWithoutKeepingIt(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := records(t, io.MultiReader(strings.NewReader("a\n\""), &endless{256 << 20}, strings.NewReader("\"\nc\n")),
		1<<10, mostFields, 0)
	runtime.ReadMemStats(&after)
	if want := []string{`1:["a"]`, "2!record too long", `4:["c"]`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
		t.Errorf("allocated %d MiB", used>>20)
	}
}

func TestColumns(t *testing.T) {
	for text, want := range map[string]Columns{
		"text=body":                      {roleText: "body"},
		"body":                           {roleText: "body"},
		"id":                             {roleText: "id"}, // one name is always that of the text
		"subject,body,id=b":              {roleText: "subject,body", roleID: "b"},
		"user=,text=subject,body,label=": {roleText: "subject,body", roleUser: noColumn, roleLabel: noColumn},
		"label=class,id=post id,user=a=b,text=t": {roleText: "t", roleID: "post id", roleUser: "a=b",
			roleLabel: "class"},
	} {
		var got, again Columns
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
		if err := again.UnmarshalText([]byte(got.String())); err != nil || again != want {
			t.Errorf("%s is printed as %s", text, got)
		}
	}
	for _, text := range []string{
		"", "id=b,body", "text=", "=body", "texts=body", "text=a,,id=b", "text=a,text=b", "text=a,a",
		"id=b,id=", "a,b,a",
	} {
		if err := new(Columns).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: want an error", text)
		}
	}
}

// TestParseLineOfOtherColumns: members have other names.
func TestParseLineOfOtherColumns(t *testing.T) {
	c := &Columns{roleText: "b\"y", roleID: "post_id", roleLabel: "text"}
	f, err := parseLine([]byte(`{"b\u0022y":"x","id":"no","post_id":7,"user":"u","text":["l"]}`), c)
	if err != nil || string(f.Text.Content) != "x" || idOf(f) != "7" || f.User != "u" || f.Label != `["l"]` {
		t.Errorf("%+v, %v", f, err)
	}
	for line, want := range map[string]string{
		`{"text":"x"}`:               `member "b\"y" is missing`,
		`{"b\"y":7}`:                 `member "b\"y" has the wrong type`,
		`{"b\"y":"x","post_id":""}`:  `member "post_id" is empty`,
		`{"b\"y":"x","post_id":[1]}`: `member "post_id" has the wrong type`,
	} {
		if _, err := parseLine([]byte(line), c); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

// TestParseLineTwice: a member that is there by its name and by its path is refused, whatever its role and its values.
func TestParseLineTwice(t *testing.T) {
	for role := range roles {
		c := new(Columns)
		c[role] = "a.b"
		for _, line := range []string{
			`{"text":"x","a":{"b":"y"},"a.b":"z"}`, `{"text":"x","a.b":"y","a":{"b":"z"}}`,
			`{"text":"x","a":{"b":null},"a.b":"z"}`,
		} {
			if _, err := parseLine([]byte(line), c); err != twice("a.b") {
				t.Errorf("%s of %s: %v", roles[role], line, err)
			}
		}
		if _, err := parseLine([]byte(`{"text":"x","a":{"b":"y"}}`), c); err != nil {
			t.Errorf("%s: %v", roles[role], err)
		}
	}
}

func TestDelimiter(t *testing.T) {
	for text, want := range map[string]Delimiter{";": ';', "|": '|', ",": ',', "\t": '\t', "tab": '\t', " ": ' ',
		":": ':'} {
		var d Delimiter
		if err := d.UnmarshalText([]byte(text)); err != nil || d != want {
			t.Errorf("%q: %q, %v", text, d, err)
		}
	}
	for _, text := range []string{"", ";;", "\"", "\n", "\r", "a", "Z", "0", "\x00", "\x7f", "§", "\xff", "Tab"} {
		if err := new(Delimiter).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: want an error", text)
		}
	}
}
