package source

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf16"

	"privpipe/pipelines/endpoint/plain"
)

// TestHalves counts by package utf16.
func TestHalves(t *testing.T) {
	units := []uint16{'a', 0xD83D, 0xDE00, 0xDBFF, 0xDC00}
	for n := range 5 * 5 * 5 * 5 {
		var code []uint16
		value := `"`
		for range 4 {
			unit := units[n%5]
			n /= 5
			code = append(code, unit)
			value += `\u` + strconv.FormatUint(0x10000|uint64(unit), 16)[1:]
		}
		want := strings.Count(string(utf16.Decode(code)), "\uFFFD")
		if got := halves([]byte(value + `"`)); got != want {
			t.Errorf("%s: %d halves, want %d", value, got, want)
		}
		if got := strings.Count(string(unquote(nil, []byte(value+`"`))), "\uFFFD"); got != want {
			t.Errorf("%s: %d characters are replaced, want %d", value, got, want)
		}
	}
	if got := halves([]byte(`["\\ud800","\ud800x\udc00"]`)); got != 2 {
		t.Errorf("an escaped backslash: %d halves", got)
	}
}

func TestEncoding(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		replaced       int64
	}{
		{"auto", "é\xe9", "é\xe9", 0}, {"UTF-8", "é", "é", 0}, {"latin1", "\x80\xe9", "€é", 0},
		{"iso-8859-2", "\xb3", "ł", 0}, {"cp437", "\x82", "é", 0}, {"shift_jis", "\x83\x65\x83", "テ\uFFFD", 1},
		{"gb18030", "\xb0\xa1", "啊", 0}, {"utf-16le", "a\x00", "a", 0}, {"koi8-r", "\xc1", "а", 0},
	} {
		var e Encoding
		if err := e.UnmarshalText([]byte(c.name)); err != nil {
			t.Fatal(err)
		}
		var replaced atomic.Int64
		got, err := io.ReadAll(e.reader(&plain.Text{Reader: strings.NewReader(c.in)}, &replaced))
		if err != nil || string(got) != c.want || replaced.Load() != c.replaced {
			t.Errorf("%s: got %q, %v with %d replaced, want %q", c.name, got, err, replaced.Load(), c.want)
		}
	}
	for _, name := range []string{"", "klingon", "utf8mb4"} {
		if new(Encoding).UnmarshalText([]byte(name)) == nil {
			t.Errorf("%q is an encoding", name)
		}
	}
}

// TestHTMLCharset: HTML that is not UTF-8 is converted from the encoding that it names, unless another encoding is
// given.
func TestHTMLCharset(t *testing.T) {
	for _, c := range []struct{ encoding, in, want string }{
		{"auto", "<meta charset=\"iso-8859-2\">\xb3", "ł"},
		{"auto", "<META http-equiv=x content='text/html; charset=Windows-1252'>\x80", "€"},
		{"auto", "<meta charset=latin1>é", "é"}, {"auto", "<meta charset=utf-8>\xe9", "\xe9"},
		{"auto", "<meta charset=utf-16>\xe9", "\xe9"}, {"auto", "<meta charset=klingon>\xe9", "\xe9"},
		{"auto", "charset=latin1 \xe9", "\xe9"}, {"koi8-r", "<meta charset=latin1>\xe9", "\xe9"},
		{"auto", strings.Repeat(" ", metaBytes) + "<meta charset=latin1>\xe9", "\xe9"},
	} {
		var e Encoding
		if err := e.UnmarshalText([]byte(c.encoding)); err != nil {
			t.Fatal(err)
		}
		got := string(e.html([]byte(c.in), new(atomic.Int64)))
		if !strings.HasSuffix(got, c.want) || len(got) < len(c.in) {
			t.Errorf("%s, %q: got %q", c.encoding, c.in, got)
		}
	}
}

// TestOtherFormat: what is a text stays one.
func TestOtherFormat(t *testing.T) {
	for _, text := range []string{
		"", "1 10:30", "12 10:30 11:45 lunch", "3 apples", "1\n2\n3\n", "From: me", "<b>bold</b>", "%!", "[1]",
		"2026\n", "1 10:30\nthen\n", "100:1 200:2 300:3",
	} {
		if other := otherFormat([]byte(text), TextFile); other != nil {
			t.Errorf("%q is %s", text, other.name)
		}
	}
	for _, text := range []string{"a\x00b\x00", "\x00a\x00b", "\xe9\x00,\x00x\x00"} {
		if other := otherFormat([]byte(text), TextFile); other == nil || !strings.HasPrefix(other.name, "UTF-16") {
			t.Errorf("%q is a text", text)
		}
	}
	for text, as := range map[string]Format{
		"{\"a\": \"b\"}": JSONLines, "From: x\n": Mail, "from,subject\n": CSV, "Subject: x\n": Lines,
		"text\n{\"a\"}": CSV,
	} {
		if other := otherFormat([]byte(text), as); other != nil {
			t.Errorf("%q as %s is %s", text, as, other.name)
		}
	}
}

// FuzzUnquoted: fields without delimiters and newlines come back from their escapes, on a line each.
func FuzzUnquoted(f *testing.F) {
	for _, seed := range []string{"a\tb", "\\", "\\t", "\n\\n", "\"", "\\N", "\x00", "é\r"} {
		f.Add(seed, "x")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		escape := strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
		content := escape.Replace(a) + "\t" + escape.Replace(b) + "\n"
		r := (&Options{}).table('\t', QuoteNone).reader([]byte(content))
		cells, err := r.Read()
		if err != nil || len(cells) != 2 || cells[0] != a || cells[1] != b {
			t.Errorf("%q: got %q, %v", content, cells, err)
		}
		if _, err := r.Read(); err != io.EOF {
			t.Errorf("%q: %v after the record", content, err)
		}
	})
}

// TestSwallows: the header has a width, the lines inside a field are counted, and neither one column nor prose is
// refused.
func TestSwallows(t *testing.T) {
	for content, want := range map[string]bool{
		"id,text\n1,\"a\n2,b\n3,c\n4,d\"\n":                 true,
		"id,text\n1,\"a\n2,b\n3,c\n\"\n":                    false,
		"id,text\n1,\"a\nb\nc\nd, e, f\n2,b\n3,c\"\n":       false,
		"id,text,user\n1,\"a\n2,b\n3,c\n4,d\",x\n":          false,
		"id,text,user\n1,\"a\n2,b,u\n3,c,v\n4,d,\",x\n":     true,
		"text\n\"a\nb\nc\nd\"\n":                            false,
		"id,text\n\n1,\"a\n2,b\n3,c\"\n":                    true, // all lines of the record
		"id,text,user\n1,\"a,u\n2,b,v\n3,c\",w\n":           true,
		"id,text\n1,\"a\n2,b\"\n":                           false,
		"id,text\n1,\"a\nb, c\nd, e\"\n":                    false, // prose
		"id,text\n1,\"a\nb, c\nd, e\nf, g\nh, i\"\n":        false,
		"id,text\n1,\"a\nb\n3,c\"\n":                        false,
		"id,text\nT-1,\"a\n|b,c\n(d),e\nf:g,h\"\n":          false, // a table inside a text
		"id,text\nT-1,\"a\nT-2,c\nT-3,e\n\"\"T-4\"\",h\"\n": true,
		"id,text\nann,\"a\nx-1,b\ny.2,c\nz@3,d\"\n":         true, // ids of other signs
		"text,id\n\"a\n|b,c\n(d),e\nf:g,h\",1\n":            true, // of the text in the first column nothing is known
	} {
		rows, err := rowsOf(t, CSV, content, Columns{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(rows, ""), errRows.Error()); got != want {
			t.Errorf("%q: got %q, refused %v", content, rows, want)
		}
	}
}

// TestRaggedInPlace: in ragged rows without quotes a delimiter in the text moves all cells behind the text. So neither
// the id nor the user may be behind the text.
func TestRaggedInPlace(t *testing.T) {
	for _, c := range []struct {
		head    string
		columns Columns
		want    string // column that is refused; empty: none
	}{
		{"id\tuser\ttext\tlabel", Columns{}, ""},
		{"id\ttext\tuser", Columns{}, "user"},
		{"text\tid", Columns{}, "id"},
		{"text\tid\tuser", Columns{roleID: noColumn, roleUser: noColumn}, ""},
		{"id\tbody\tuser\tsubject", Columns{roleText: "subject,body"}, "user"},
		{"id\tbody\tby", Columns{roleText: "body", roleUser: "by"}, "by"},
	} {
		for _, o := range []Options{
			{Ragged: true, Quote: QuoteNone}, {Ragged: true, Quote: QuoteCSV}, {Quote: QuoteNone},
		} {
			o.Limit, o.Columns = 60, c.columns
			_, _, err := newTable([]byte(c.head+"\n"), '\t', o.Quote, &o)
			want := fmt.Sprintf("column %q is after column", c.want)
			if refused := c.want != "" && o.Ragged && o.Quote == QuoteNone; refused != (err != nil) || refused &&
				!strings.Contains(err.Error(), want) {
				t.Errorf("%q with %+v: %v", c.head, o, err)
			}
		}
	}
}
