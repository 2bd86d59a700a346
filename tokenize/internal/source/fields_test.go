package source

import (
	"bytes"
	"encoding/json"
	"regexp"
	"testing"

	"privpipe/tokenize/internal/words"
)

// none stands for no id, which is not an empty one.
const none = "\x00none"

func idOf(f Fields) string {
	if f.ID == nil {
		return none
	}
	return string(*f.ID)
}

func parseLine(line []byte, columns *Columns) (Fields, error) { return new(flat).parse(line, columns) }

func TestParseLine(t *testing.T) {
	for _, c := range []struct{ line, id, text, user, label string }{
		{`{"id":"a","text":"x y"}`, "a", "x y", "", ""},
		{`{"text":"x","label":"l","user":"u","id":"a"}`, "a", "x", "u", "l"},
		{`{"id":7,"text":"","user":1.50,"label":-2e3}`, "7", "", "1.50", "-2e3"}, // a number stands as it is written
		{`{"id":"a","text":"x","user":null,"label":null}`, "a", "x", "", ""},
		{`{"text":"x","user":"u"}`, none, "x", "u", ""},
		{`{"id":null,"text":"x"}`, none, "x", "", ""},
		{`{"id":"null","text":"x","user":""}`, "null", "x", "", ""},
		{`{"id":"a","text":"x","more":{"text":[1,true]},"ID":2}`, "a", "x", "", ""}, // other members are ignored
		{" \t{ \"id\" : \"a\" , \"text\" : \"x\" } ", "a", "x", "", ""},
		{`{"id":"\u00e9","text":"\ud83d\ude00\n\"\u0000"}`, "\u00e9", "\U0001F600\n\"\x00", "", ""},
	} {
		f, err := parseLine([]byte(c.line), new(Columns))
		if err != nil {
			t.Errorf("%s: got %v", c.line, err)
			continue
		}
		got := [...]string{idOf(f), string(f.Text.Content), string(f.User), string(f.Label)}
		if want := [...]string{c.id, c.text, c.user, c.label}; got != want {
			t.Errorf("%s: got %q, want %q", c.line, got, want)
		}
	}
}

func TestParseLineRefuses(t *testing.T) {
	for line, want := range map[string]string{
		`{"id":"","text":"x"}`:                    `member "id" is empty`,
		`{"id":"a"}`:                              `member "text" is missing`,
		`{"id":"a","text":null}`:                  `member "text" is missing`,
		`{"id":"a","text":{"MARKER":1}}`:          `member "text" has the wrong type`,
		`{"id":"a","text":["MARKER",1]}`:          `member "text" has the wrong type`,
		`{"id":"a","text":["MARKER",null]}`:       `member "text" has the wrong type`,
		`{"id":"a","text":[["MARKER"]]}`:          `member "text" has the wrong type`,
		`{"id":"a","text":["MARKER"}`:             `not JSON at byte 27`,
		`{"id":"a","text":["MARKER\ud8"]}`:        `not JSON at byte 26`,
		`{"id":{"MARKER":1},"text":"x"}`:          `member "id" has the wrong type`,
		`{"id":true,"text":"x"}`:                  `member "id" has the wrong type`,
		`{"id":"a","text":"x","user":[]}`:         `member "user" has the wrong type`,
		`{"id":"a","id":"MARKER","text":"x"}`:     `a member occurs twice, at byte 11`,
		`{"id":"a","text":"x","M":1,"M":2}`:       `a member occurs twice, at byte 28`,
		`["MARKER"]`:                              `not a JSON object`,
		`"MARKER"`:                                `not a JSON object`,
		`MARKER`:                                  `not JSON at byte 1`,
		`{"id":"a","text":"MARKER"`:               `not JSON at byte 26`,
		`{"id":"a","text":"x"} {"id":"b"}`:        `not JSON at byte 23`,
		`{"id":"a","text":"MARKER\ud8"}`:          `not JSON at byte 25`,
		"{\"id\":\"a\",\"text\":\"caf\xe9\"}":     `not UTF-8 at byte 22`,
		"{\"id\":\"a\",\"text\":\"\xed\xa0\x80\"": `not UTF-8 at byte 19`,
		"{\"id\":\"a\",\"text\":\"x\ty\"}":        `not JSON at byte 20`,
		``:                                        `not JSON at byte 1`,
	} {
		if _, err := parseLine([]byte(line), new(Columns)); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", line, err, want)
		}
	}
}

// lineRefusals are all messages of parse: none quotes the line.
var lineRefusals = regexp.MustCompile(`^(member "(id|text|user|label)" (is missing|is empty|has the wrong type)|` +
	`not (JSON|UTF-8) at byte \d+|a member occurs twice, at byte \d+|not a JSON object)$`)

// FuzzParseLine compares with encoding/json, which accepts more.
func FuzzParseLine(f *testing.F) {
	for _, seed := range []string{
		`{"id":"a","text":"x y","user":"u","label":"l"}`, `{"id":1,"text":"\u00e9\n"}`, `{"id":[],"text":{}}`,
		`{"a":1,"a":2}`,
		"\xff", "null", `{"text":["a","\ud83d\ude00",""]}`, `{"text":[]}`, `{"text":["a",1]}`,
		`{"id":"a","text":"\ud800"}`, `{"id":1e999,"text":"x"}`, "\uFEFF{}", `{"id":"a","text":"x"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		got, err := parseLine(line, new(Columns))
		if err != nil {
			if !lineRefusals.MatchString(err.Error()) {
				t.Errorf("%q: got %q, want a refusal", line, err)
			}
			return
		}
		var members map[string]any
		failed := json.Unmarshal(line, &members) // at a number that is too large for a float64, for example
		if failed != nil && len(members) == 0 {
			t.Fatalf("%q: encoding/json says %v", line, failed)
		}
		var want words.Text
		switch text := members["text"].(type) {
		case string:
			want.Content = []byte(text)
		case []any:
			want.List = true
			for _, token := range text {
				want.Token([]byte(token.(string)))
			}
		default:
			t.Fatalf("%q: took the text %v", line, text)
		}
		if want.List != got.Text.List || !bytes.Equal(want.Content, got.Text.Content) {
			t.Errorf("%q: got the text %q, want %q", line, got.Text.Content, members["text"])
		}
		switch id := members["id"].(type) {
		case nil:
			if failed == nil && got.ID != nil {
				t.Errorf("%q: got the id %q, want none", line, *got.ID)
			}
		case string:
			if id != idOf(got) {
				t.Errorf("%q: got the id %q, want %q", line, idOf(got), id)
			}
		}
	})
}

func TestCheckText(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "",
		"plain\n\u00e9 \uFEFF\x00":  "",
		"MARKER\n\n caf\xe9 MARKER": "line 3: not UTF-8 at byte 13 of the file",
		"\xff":                      "line 1: not UTF-8 at byte 1 of the file",
		"ok \xe2\x82":               "line 1: not UTF-8 at byte 4 of the file",
	} {
		got := ""
		if err := CheckText([]byte(text)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
