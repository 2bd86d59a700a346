package source

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// flatLines are lines that flat must read itself: to leave all to the library would pass FuzzFlat.
var flatLines = []string{
	`{"id":"a","text":"x y","user":"u","label":"l"}`,
	" \t{ \"id\" : \"a\" , \"text\" : \"x\" }\r ",
	`{"text":"\"\\\/\b\f\n\r\t\u0041\u00e9\u4eac\u0000 end","label":"\n\n","user":"\t","id":"\u0041"}`,
	`{"label":"before \n","text":"eight by\"tes, and more of them\\"}`,
	"{\"text\":\"caf\u00e9 \u6771\u4eac \U0001F600\x7f\"}",
	`{"id":7,"text":"","user":1.50,"label":-2e3}`, `{"id":-0,"text":"x","n":0.5E+10,"m":1e-7}`,
	`{"id":null,"text":"x","user":null,"label":true,"more":false}`,
	`{}`, `{"text":null}`, `{"id":"","text":"x"}`,
	`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"k":11,"l":12,"m":13,"n":14,"o":15,"text":"x"}`,
}

// otherLines are lines that flat must leave to the library: they break a rule, or are rare.
var otherLines = []string{
	``, ` `, `null`, `[]`, `"x"`, `{`, `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{"a" 1}`,
	`{"a":1 "b":2}`, `{"a":1}x`, `{} {}`,
	`{"text":"x}`, `{"text":"x\"}`, `{"text":"\`, `{"text":"\x"}`, `{"text":"\u00e"}`, `{"text":"\u00g0"}`,
	`{"text":"\u+123"}`, `{"text":"\ud83d\ude00"}`, `{"text":"\ud800"}`,
	"{\"text\":\"\t\"}", "{\"text\":\"a\tnew\"}", "{\"text\":\"12345678\x1f\"}", "{\"text\":\"\xff\"}",
	"{\"text\":\"\xed\xa0\x80\"}", "\uFEFF{}", "{\"text\":\"x\"}\u00a0",
	`{"text":"x","text":"x"}`, `{"a":1,"text":"x","a":2}`, `{"t\u0065xt":"x"}`, `{"text":["x"]}`,
	`{"text":"x","more":{}}`, `{"text":"x","more":[1]}`, `{text:"x"}`, `{1:2}`,
	`{"text":1}`, `{"text":true}`, `{"id":true,"text":"x"}`, `{"user":false}`,
	`{"a":01}`, `{"a":+1}`, `{"a":.5}`, `{"a":1.}`, `{"a":1e}`, `{"a":1e+}`, `{"a":-}`, `{"a":--1}`, `{"a":1.2.3}`,
	`{"a":1ee2}`, `{"a":0x1}`, `{"a":NaN}`, `{"a":nul}`, `{"a":nulll}`, `{"a":True}`,
	`{"1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9,"10":10,"11":11,"12":12,"13":13,"14":14,"15":15,"16":16,"17":17}`,
}

func TestFlat(t *testing.T) {
	for want, lines := range map[bool][]string{true: flatLines, false: otherLines} {
		for _, line := range lines {
			if _, is := new(flat).fields([]byte(line), new(Columns)); is != want {
				t.Errorf("%s: flat is %v, want %v", line, is, want)
			}
		}
	}
}

// likeLibrary fails if a flat reads a line, and not as the JSON library does.
func likeLibrary(t *testing.T, p *flat, line []byte, columns *Columns) {
	t.Helper()
	before := bytes.Clone(line)
	got, is := p.fields(line, columns)
	if !bytes.Equal(line, before) {
		t.Fatalf("%q became %q", before, line)
	}
	if !is {
		return
	}
	want, err := parseAny(line, columns, false)
	if err != nil {
		t.Fatalf("%q: the library says %v", line, err)
	}
	if got.Text != nil && want.Text != nil && len(got.Text.Content)+len(want.Text.Content) == 0 {
		got.Text.Content, want.Text.Content = nil, nil // no text is as good as an empty one
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%q: got %+v of the text %+v, want %+v of %+v", line, got, got.Text, want, want.Text)
	}
}

// FuzzFlat compares a line, read after another one with the same memory, with what the library reads: by the usual
// columns, and where two roles have one.
func FuzzFlat(f *testing.F) {
	for i, line := range flatLines {
		f.Add([]byte(flatLines[(i+1)%len(flatLines)]), []byte(line))
	}
	for _, line := range otherLines {
		f.Add([]byte(flatLines[2]), []byte(line))
	}
	f.Fuzz(func(t *testing.T, before, line []byte) {
		for _, columns := range []Columns{{}, {"text", "text", "a", "a"}, {"label", "", "", "id"}} {
			var p flat
			p.fields(before, &columns)
			likeLibrary(t, &p, line, &columns)
		}
	})
}

// TestSpecial compares with a search for any of the bytes that are special, at every place and beside bytes that differ
// from them in a bit.
func TestSpecial(t *testing.T) {
	for c := range 256 {
		for _, other := range []byte{'a', ' ', '!', '#', '[', ']', 0x7f, 0x80, 0xa2, 0xdc, 0xff} {
			for place := range 20 {
				b := bytes.Repeat([]byte{other}, 20)
				b[place] = byte(c)
				want := 20
				if c < ' ' || c == '"' || c == '\\' {
					want = place
				}
				for from := range place + 1 {
					if got := special(b, from); got != want {
						t.Fatalf("%q from %d on: got %d, want %d", b, from, got, want)
					}
				}
			}
		}
	}
	if got := special([]byte(strings.Repeat("\x01\"\\", 9)), 27); got != 27 {
		t.Errorf("at the end: got %d", got)
	}
}
