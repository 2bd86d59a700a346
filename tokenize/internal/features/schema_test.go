package features

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// small is a schema of all types.
const small = `{
  "note": "for tests", "intercept": true, "comment": "|", "header": true,
  "columns": [
    {"name": "age", "type": "number", "least": 10, "most": 90},
    {"name": "work", "type": "category", "values": ["Private", "State gov"], "note": "x"},
    {"name": "debt", "type": "number", "least": -5e-1, "most": 0.5, "missing": "ignore"},
    {"name": "who", "type": "id"}, {"name": "house", "type": "user"}, {"name": "junk", "type": "ignore"},
    {"name": "income", "type": "label", "positive": [">50K", ">50K."], "negative": "<=50K"}
  ]
}`

func parsed(t testing.TB, text string) *Schema {
	t.Helper()
	s, err := ParseSchema([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFeatures(t *testing.T) {
	want := []string{"age", "work=Private", "work=State_gov", "debt", "intercept"}
	if got := parsed(t, small).Features(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestParseRefuses: every refusal names the rule and the line or the column.
func TestParseRefuses(t *testing.T) {
	column := func(members string) string { return `{"columns": [` + "\n" + `{"name": "c", ` + members + `}]}` }
	for _, c := range []struct{ schema, want string }{
		{``, "line 1: not JSON: "},
		{`{"columns": [], "x": 1}`, `line 1: unknown member x`},
		{column(`"type": "number", "leest": 1`), `line 2: unknown member leest`},
		{column(`"type": "number", "Least": 1`), `line 2: unknown member Least`},
		{column(`"type": "ignore", "type": "ignore"`), `line 2: the member type occurs twice`},
		{column(`"type": "number", "least": "1"`), `line 2: member /columns/0/least has the wrong type`},
		{column(`"type": "number", "least": 1e999, "most": 2`), `line 2: member /columns/0/least has the wrong type`},
		{column(`"type": "label", "positive": 1, "negative": "a"`),
			`line 2: member /columns/0/positive has the wrong type`},
		{"{\"columns\": [\n\n}", `line 3: not JSON: `},
		{`{"columns": []} {}`, `line 1: not JSON: `},
		{`[]`, `line 1: member  has the wrong type`},
		{`{}`, `no columns`},
		{`{"columns": [{"type": "ignore"}]}`, `column 1: name must not be empty, or have white space around it`},
		{`{"columns": [{"name": "a "}]}`, `column 1: name must not be empty, or have white space around it`},
		{`{"intercept": true, "columns": [{"name": "a", "type": "id"}, {"name": "a", "type": "ignore"}]}`,
			`column "a" is named twice`},
		{`{"intercept": true, "columns": [{"name": "a", "type": "id"}, {"name": "b", "type": "id"}]}`,
			`column "b": a second id`},
		{`{"intercept": true, "columns": [{"name": "a", "type": "user"}, {"name": "b", "type": "user"}]}`,
			`column "b": a second user`},
		{`{"columns": [{"name": "a", "type": "id"}]}`,
			`no feature: needs a number, numbers, a category or an intercept`},
		{`{"comment": ",", "columns": [{"name": "a", "type": "id"}]}`,
			`comment must be one ASCII character, not a letter, a digit, a comma or a quote, is ","`},
		{`{"comment": "##", "columns": [{"name": "a", "type": "id"}]}`,
			`comment must be one ASCII character, not a letter, a digit, a comma or a quote, is "##"`},
		{column(`"note": "x"`), `column "c": no type: must be number, numbers, category, label, id, user or ignore`},
		{column(`"type": "text"`),
			`column "c": unknown type "text": must be number, numbers, category, label, id, user or ignore`},
		{column(`"type": "number", "least": 1`), `column "c": a number needs least and most, its public range`},
		{column(`"type": "number", "most": 1`), `column "c": a number needs least and most, its public range`},
		{column(`"type": "number", "least": 1, "most": 1`),
			`column "c": least must be below most, and most − least finite; they are 1 and 1`},
		{column(`"type": "number", "least": 2, "most": 1`),
			`column "c": least must be below most, and most − least finite; they are 2 and 1`},
		{column(`"type": "number", "least": -1e308, "most": 1e308`),
			`column "c": least must be below most, and most − least finite; they are -1e+308 and 1e+308`},
		{column(`"type": "number", "least": 0, "most": 1, "values": ["x"]`),
			`column "c": a column of type number has no values`},
		{column(`"type": "number", "least": 0, "most": 1, "missing": "zero"`),
			`column "c": missing must be "ignore", is "zero"`},
		{column(`"type": "number", "least": 0, "most": 1, "length": 2`),
			`column "c": a column of type number has no length`},
		{column(`"type": "numbers", "least": 0, "most": 1`),
			`column "c": numbers need length, how many an array has: 1 or more`},
		{column(`"type": "numbers", "least": 0, "most": 1, "length": -3`),
			`column "c": numbers need length, how many an array has: 1 or more`},
		{column(`"type": "numbers", "least": 0, "most": 1, "length": 2.5`),
			`line 2: member /columns/0/length has the wrong type`},
		{column(`"type": "numbers", "least": 0, "most": 1, "length": 9223372036854775807`),
			`column "c": more than 65536 numbers in the arrays of a row`},
		{column(`"type": "numbers", "least": 0, "most": 1, "length": 40000}, {"name": "d", "type": "numbers", "least": 0, "most": 1, "length": 40000`), `column "d": more than 65536 numbers in the arrays of a row`},
		{column(`"type": "numbers", "length": 2, "most": 1`),
			`column "c": an array of numbers needs least and most, its public range`},
		{column(`"type": "numbers", "least": 0, "most": 1, "length": 2}, {"name": "c_1", "type": "number", "least": 0, "most": 1`), `column "c_1": a second feature of the name c_1`},
		{column(`"type": "id", "missing": "ignore"`), `column "c": a column of type id has no missing`},
		{column(`"type": "category", "values": ["a"], "least": 0`),
			`column "c": a column of type category has no least`},
		{column(`"type": "category", "values": ["a"], "most": 0`), `column "c": a column of type category has no most`},
		{column(`"type": "category"`), `column "c": a category needs values, its public list`},
		{column(`"type": "category", "values": []`), `column "c": a category needs values, its public list`},
		{column(`"type": "category", "values": ["a", "b", "a"]`), `column "c": value "a" occurs twice`},
		{column(`"type": "category", "values": ["a b", "a_b"]`), `column "c": a second feature of the name c=a_b`},
		{column(`"type": "category", "values": ["?"]`),
			`column "c": "?" stands for a missing value, and is no category`},
		{column(`"type": "category", "values": [" a"]`),
			`column "c": a value must not be empty, or have white space around it`},
		{column(`"type": "category", "values": [""]`),
			`column "c": a value must not be empty, or have white space around it`},
		{column(`"type": "category", "values": ["` + strings.Repeat("x", 255) + `"]`),
			`column "c": the name of a feature must have at most 256 bytes and no zero byte`},
		{column(`"type": "label"`),
			`column "c": a label needs either positive and negative, or classes, or least and most`},
		{column(`"type": "label", "positive": "a"`),
			`column "c": a label needs either positive and negative, or classes, or least and most`},
		{column(`"type": "label", "positive": "a", "negative": "b", "classes": ["a", "b"]`),
			`column "c": a label needs either positive and negative, or classes, or least and most`},
		{column(`"type": "label", "positive": "a", "classes": ["a", "b"]`),
			`column "c": a label needs either positive and negative, or classes, or least and most`},
		{column(`"type": "label", "least": 0`),
			`column "c": a label that is a number needs least and most, its public range`},
		{column(`"type": "label", "least": 1, "most": 1`),
			`column "c": least must be below most, and most − least finite; they are 1 and 1`},
		{column(`"type": "label", "least": 0, "most": 1, "classes": ["a", "b"]`),
			`column "c": a label is a class or a number: least and most do not go with positive, negative and classes`},
		{column(`"type": "label", "positive": "a", "negative": ["b", "a"]`), `column "c": class "a" occurs twice`},
		{column(`"type": "label", "positive": [], "negative": "b"`), `column "c": a class needs a spelling`},
		{column(`"type": "label", "classes": ["a"]`), `column "c": classes must be at least two`},
		{column(`"type": "label", "classes": ["a", []]`), `column "c": a class needs a spelling`},
		{column(`"type": "label", "classes": ["a", ["b", "a"]]`), `column "c": class "a" occurs twice`},
		{column(`"type": "label", "classes": ["a", "b "]`),
			`column "c": a class must not be empty, or have white space around it`},
		{column(`"type": "label", "classes": ["a", "` + strings.Repeat("x", 1025) + `"]`),
			`column "c": a class must have at most 1024 bytes`},
		{`{"intercept": true, "columns": [{"name": "intercept", "type": "number", "least": 0, "most": 1}]}`,
			`a second feature of the name intercept`},
		{`{"columns": [{"name": "a", "type": "category", "values": ["b=c"]}, {"name": "a=b", "type": "category", "values": ["c"]}]}`, `column "a=b": a second feature of the name a=b=c`},
		{`{"columns": [` + strings.Repeat(`{"name":"a"},`, 1<<16) + `{"name":"a"}]}`, `more than 65536 columns`},
	} {
		_, err := ParseSchema([]byte(c.schema))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || !strings.HasSuffix(c.want, ": ") &&
			err.Error() != c.want {
			t.Errorf("%.200s: got %v, want %s", c.schema, err, c.want)
		}
	}
}

// TestSettings: the rule of the rows is in the settings, and nothing else is.
func TestSettings(t *testing.T) {
	of := func(text string) string { return hex.EncodeToString(parsed(t, text).Settings()) }
	same := of(small)
	for _, c := range [][2]string{
		{`"for tests"`, `"other"`}, {`"note": "x"`, `"note": "y"`}, {`"header": true`, `"header": false`},
		{`"comment": "|"`, `"comment": "#"`},
		{`{"name": "junk", "type": "ignore"},`, ``}, {"\n", " "}, {"-5e-1", "-0.5"},
	} {
		if got := of(strings.ReplaceAll(small, c[0], c[1])); got != same {
			t.Errorf("%s instead of %s: other settings", c[1], c[0])
		}
	}
	seen := map[string]string{same: "the schema itself"}
	for _, c := range [][2]string{
		{`"least": 10`, `"least": 11`}, {`"most": 90`, `"most": 91`}, {`"age"`, `"Age"`},
		{`"Private", "State gov"`, `"State gov", "Private"`},
		{`"intercept": true`, `"intercept": false`}, {`, "missing": "ignore"`, ``}, {`">50K."`, `">50K.."`},
		{`"positive"`, `negative and positive exchanged`}, {`"<=50K"`, `"<50K"`},
		{`"type": "id"`, `"type": "ignore"`}, {`"type": "user"`, `"type": "ignore"`},
	} {
		text := strings.ReplaceAll(small, c[0], c[1])
		if c[0] == `"positive"` {
			text = strings.NewReplacer(`"positive"`, `"negative"`, `"negative"`, `"positive"`).Replace(small)
		}
		got := of(text)
		if before, again := seen[got]; again {
			t.Errorf("%s instead of %s: the settings of %s", c[1], c[0], before)
		}
		seen[got] = c[1]
	}
}

// TestSettingsStay: other settings of the same rule would give every row other coins.
func TestSettingsStay(t *testing.T) {
	const want = "44e25b62a368d9fa17cb2a6d162d1724fa3e32adb7300a8121635e45898e5bad"
	if got := hex.EncodeToString(parsed(t, small).Settings()); got != want {
		t.Errorf("got %s, want %s: if rows become other documents, rule must grow", got, want)
	}
}

// TestAdult: the schema that ships has the features of the paper's experiment, and at most 15 in a row.
func TestAdult(t *testing.T) {
	s, err := OpenSchema(t.Context(), "../../../pipelines/recipes/schemas/adult.json")
	if err != nil {
		t.Fatal(err)
	}
	categories, numbers := 0, 0
	for _, c := range s.Columns {
		switch c.Type {
		case Category:
			categories++
		case Number:
			numbers++
		}
	}
	if len(s.Features()) != 106 || categories != 8 || numbers != 6 || !s.Intercept {
		t.Errorf("%d features, %d categories, %d numbers, intercept %v; want 106, 8, 6, true", len(s.Features()),
			categories, numbers, s.Intercept)
	}
}

// FuzzParseSchema compares with encoding/json, which reads more, and with the rules as plain loops.
func FuzzParseSchema(f *testing.F) {
	adult, err := os.ReadFile("../../../pipelines/recipes/schemas/adult.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		small, string(adult), `{"columns":[{"name":"a","type":"category","values":["x","y"]},{"name":"b","type":"number","least":0,"most":1}]}`,
		`{"intercept":true,"columns":[{"name":"a","type":"label","classes":["x",["y","z"]]}]}`,
		`{"columns":[{"name":"a","type":"number","least":0,"most":0}]}`, `null`, `{"columns":null}`,
		`{"columns":[{"name":"\u0000","type":"number","least":0,"most":1}]}`,
		`{"columns":[{"name":"a","type":"number","least":1,"most":null}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ParseSchema(text)
		if err != nil {
			return
		}
		var plain struct {
			Intercept bool
			Columns   []struct {
				Name, Type  string
				Values      []string
				Least, Most float64
			}
		}
		if err := json.NewDecoder(bytes.NewReader(text)).Decode(&plain); err != nil {
			t.Fatalf("%q: encoding/json says %v", text, err)
		}
		var want []string
		for _, c := range plain.Columns {
			if c.Type == "number" {
				if !(c.Least < c.Most) {
					t.Fatalf("%q: took the range [%v, %v]", text, c.Least, c.Most)
				}
				want = append(want, strings.Join(strings.Fields(c.Name), "_"))
			}
			for _, v := range c.Values {
				want = append(want, strings.Join(strings.Fields(c.Name+"="+v), "_"))
			}
		}
		if plain.Intercept {
			want = append(want, "intercept")
		}
		if !slices.Equal(s.Features(), want) {
			t.Fatalf("%q: got the features %q, want %q", text, s.Features(), want)
		}
		once := make(map[string]bool)
		for _, w := range want {
			if once[w] || w == "" || len(w) > 256 {
				t.Fatalf("%q: took the feature %q, which is empty, long or there twice", text, w)
			}
			once[w] = true
		}
	})
}
