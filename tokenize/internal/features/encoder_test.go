package features

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/wire"
)

// printed writes a document as id|user|label and its features by name.
func printed(s *Schema, d *wire.Document) string {
	out := fmt.Sprintf("%s|%s|%s", d.Id, d.User, d.Label)
	id := uint32(0)
	for i, gap := range d.WordGaps {
		id += gap
		value := math.Float32frombits(binary.LittleEndian.Uint32(d.Values[4*i:]))
		out += fmt.Sprintf(" %s=%v", s.Features()[id], value)
	}
	return out
}

// TestRow: cells are age, work, debt, who, house and income.
func TestRow(t *testing.T) {
	s := parsed(t, small)
	e := NewEncoder(s)
	for _, c := range []struct{ cells, want string }{
		{"50,Private,0,a,h,>50K", "a|h|1 age=0.5 work=Private=1 debt=0.5 intercept=1"},
		// each number is its least, and so no feature
		{"10,State gov,-0.5,,,<=50K", "||0 work=State_gov=1 intercept=1"},
		{"1e9,?,0.5,,,>50K.", "||1 age=1 debt=1 intercept=1"},     // clamped
		{"-1e999,elsewhere,+.5,,,>50K", "||1 debt=1 intercept=1"}, // beyond float64
		// a missing category and a missing number
		{"9e999,,?,,,>50K", "||1 age=1 intercept=1"},
		{"+1.8E1,private,NaN,,,>50K", "||1 age=0.1 intercept=1"},                      // values of a category are exact
		{"10.000000000000000000000001,?,na,,,>50K", "||1 intercept=1"},                // rounded to least
		{"1000000000000000000000000000000000,?,null,,,>50K", "||1 age=1 intercept=1"}, // longer than an integer
		{",?,0,,,>50K", `column "age" is missing, must be a number`},
		{"?,?,0,,,>50K", `column "age" is missing, must be a number`},
		{"NaN,?,0,,,>50K", `column "age" is missing, must be a number`},
		{"MARKER,?,0,,,>50K", `column "age" is not a number`},
		{"0x10,?,0,,,>50K", `column "age" is not a number`},
		{"1_0,?,0,,,>50K", `column "age" is not a number`},
		{"inf,?,0,,,>50K", `column "age" is not a number`},
		{"1e,?,0,,,>50K", `column "age" is not a number`},
		{".,?,0,,,>50K", `column "age" is not a number`},
		{"1 0,?,0,,,>50K", `column "age" is not a number`},
		{"50,?,MARKER,,,>50K", `column "debt" is not a number`}, // missing numbers are ignored, not others
		{"50,?,0,,,MARKER", `column "income" has no class of the schema`},
		{"50,?,0,,,", `column "income" is missing, must be a class`},
	} {
		d, err := e.Row(strings.Split(c.cells, ","))
		got := fmt.Sprint(err)
		if err == nil {
			got = printed(s, d)
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.cells, got, c.want)
		}
	}
	// Of age 1e9, -1e999, 9e999 and the long one are outside; of work "elsewhere" and "private".
	if got := fmt.Sprint(e.Seen[:3], e.Outside[:3]); got != "[11 4 6] [4 2 0]" {
		t.Errorf("seen and outside: %s", got)
	}
}

// TestClasses: the first spelling of a class is its label; rows without a class have none if the schema says so.
func TestClasses(t *testing.T) {
	s := parsed(t, `{"intercept": true, "columns": [{"name": "c", "type": "label", "classes": ["a", ["b", "B"]], "missing": "ignore"}]}`)
	e := NewEncoder(s)
	for cell, want := range map[string]string{"a": "a", "b": "b", "B": "b", "": "", "?": ""} {
		if d, err := e.Row([]string{cell}); err != nil || d.Label != want {
			t.Errorf("%q: got %v, %v, want the label %q", cell, d, err, want)
		}
	}
	if _, err := e.Row([]string{"A"}); err == nil {
		t.Error("took a class that is not listed")
	}
}

// TestResponses: a numeric label is clamped to its range, and not scaled. A cell without a number is malformed, and no
// message shows it.
func TestResponses(t *testing.T) {
	s := parsed(t, `{"intercept": true, "columns": [{"name": "r", "type": "label", "least": -2.5, "most": 1e6}]}`)
	e := NewEncoder(s)
	for cell, want := range map[string]string{"7": "7", "-1.50": "-1.5", "-9": "-2.5", "1e999": "1e+06", "0.1": "0.1"} {
		if d, err := e.Row([]string{cell}); err != nil || d.Label != want || len(d.WordGaps) != 1 {
			t.Errorf("%q: got %v, %v, want the label %q", cell, d, err, want)
		}
	}
	if e.Seen[0] != 5 || e.Outside[0] != 2 {
		t.Errorf("of 5 cells with 2 outside, %d were seen and %d outside", e.Seen[0], e.Outside[0])
	}
	for _, cell := range []string{"", "?", "MARKER", "1,5"} {
		if d, err := e.Row([]string{cell}); err == nil || strings.Contains(err.Error(), "MARKER") {
			t.Errorf("%q: got %v, %v", cell, d, err)
		}
	}
	s = parsed(t, `{"intercept": true, "columns": [{"name": "r", "type": "label", "least": 0, "most": 1, "missing": "ignore"}]}`)
	if d, err := NewEncoder(s).Row([]string{"?"}); err != nil || d.Label != "" {
		t.Errorf("a missing response: %v, %v", d, err)
	}
}

// TestArrays: each number of an array is a feature, in order, and an array has as many as the schema says.
func TestArrays(t *testing.T) {
	schema := `{"intercept": true, "columns": [{"name": "a b", "type": "numbers", "length": 3, "least": 0, "most": 2}, {"name": "age", "type": "number", "least": 0, "most": 100}]}`
	ignoring := strings.Replace(schema, `"most": 2`, `"most": 2, "missing": "ignore"`, 1)
	for _, c := range []struct{ schema, array, want string }{
		{schema, "[0.5,1,2]", "|| a_b_0=0.25 a_b_1=0.5 a_b_2=1 age=0.5 intercept=1"},
		{schema, "[ 1e-0 ,\t0 , 9 ]", "|| a_b_0=0.5 a_b_2=1 age=0.5 intercept=1"},
		{ignoring, "[null,1,NaN]", "|| a_b_1=0.5 age=0.5 intercept=1"},
		{ignoring, "", "|| age=0.5 intercept=1"},
		{schema, "", `column "a b" is not an array of 3 numbers`},
		{schema, "[0.5,1]", `column "a b" is not an array of 3 numbers`},
		{ignoring, "[0.5,1,1,1]", `column "a b" is not an array of 3 numbers`},
		{schema, "0.5,1,2", `column "a b" is not an array of 3 numbers`},
		{schema, "[0.5,1,2", `column "a b" is not an array of 3 numbers`},
		{schema, "MARKER", `column "a b" is not an array of 3 numbers`},
		{schema, "[]", `column "a b" is not an array of 3 numbers`},
		{schema, "[0.5,null,2]", `column "a b" has an array whose number 2 is missing, must be a number`},
		{schema, "[0.5,1,]", `column "a b" has an array whose number 3 is missing, must be a number`},
		{ignoring, `["MARKER",1,1]`, `column "a b" has an array whose number 1 is not a number`},
		{schema, `[1,[2],3]`, `column "a b" has an array whose number 2 is not a number`},
	} {
		s := parsed(t, c.schema)
		e := NewEncoder(s)
		d, err := e.Row([]string{c.array, "50"})
		got := fmt.Sprint(err)
		if err == nil {
			got = printed(s, d)
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.array, got, c.want)
		}
		if c.array == "[ 1e-0 ,\t0 , 9 ]" && fmt.Sprint(e.Seen, e.Outside) != "[3 1] [1 0]" {
			t.Errorf("seen and outside: %v %v", e.Seen, e.Outside)
		}
	}
}

// FuzzArray: what encoding/json reads as three numbers is an array of those, and no fault quotes the cell.
func FuzzArray(f *testing.F) {
	for _, cell := range []string{"[0.5,0.25,1]", "[ 1e-3 ,\n0,-0]", "[1,2]", "[[1],2,3]", `["1",2,3]`, "[,,]",
		"[1,2,3", "null"} {
		f.Add(cell)
	}
	s := parsed(f, `{"columns": [{"name": "a", "type": "numbers", "length": 3, "least": -1, "most": 1}]}`)
	f.Fuzz(func(t *testing.T, cell string) {
		var numbers []*float64
		read := json.Unmarshal([]byte(cell), &numbers) == nil && len(numbers) == 3 && !slices.Contains(numbers, nil)
		d, err := NewEncoder(s).Row([]string{strings.TrimSpace(cell)})
		switch {
		case read && err != nil:
			t.Fatalf("%q: %v", cell, err)
		case err != nil && len(cell) > 12 && strings.Contains(err.Error(), cell):
			t.Fatalf("%q is in the error %v", cell, err)
		case read:
			want := ""
			for i, x := range numbers {
				if value := float32((min(max(*x, -1), 1) + 1) / 2); value != 0 {
					want += fmt.Sprintf(" a_%d=%v", i, value)
				}
			}
			if got := printed(s, d); got != "||"+want {
				t.Fatalf("%q: got %s, want %s", cell, got, want)
			}
		}
	})
}

// TestHeadless: without a header, cells of ignored columns come, too, and leave nothing.
func TestHeadless(t *testing.T) {
	s := parsed(t, strings.Replace(small, `"header": true`, `"header": false`, 1))
	d, err := NewEncoder(s).Row(strings.Split("50,Private,0,a,h,MARKER,>50K", ","))
	if want := "a|h|1 age=0.5 work=Private=1 debt=0.5 intercept=1"; err != nil || printed(s, d) != want {
		t.Errorf("got %v, %v, want %s", d, err, want)
	}
}

var decimal = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

// twin is (x − least)/(most − least) of a cell, clamped, in exact arithmetic; ok says whether the cell is a number.
func twin(cell string, least, most float64) (value float64, ok bool) {
	if !decimal.MatchString(cell) {
		return 0, false
	}
	x, _, err := new(big.Float).SetPrec(2000).Parse(cell, 10)
	if err != nil {
		return 0, false
	}
	low, high := new(big.Float).SetPrec(2000).SetFloat64(least), new(big.Float).SetPrec(2000).SetFloat64(most)
	switch {
	case x.Cmp(low) <= 0:
		return 0, true
	case x.Cmp(high) >= 0:
		return 1, true
	}
	value, _ = x.Quo(x.Sub(x, low), high.Sub(high, low)).Float64()
	return value, true
}

// FuzzRow compares rows with a number, a category and a label with a twin in plain words. The number differs from the
// twin's by rounding only. The rounding of the cell is relative to the cell's size. The rounding of the difference and
// the quotient is relative to the value's size.
func FuzzRow(f *testing.F) {
	for _, c := range []string{"5", "-0", "", "?", "1e5", "1e-400", "0x1p3", "1_0", "Infinity", "nan", ".5.", "+5",
		"5.", "--5", "5e+", "1e99999999999", "٣"} {
		f.Add(c, "x", "a", 0.0, 10.0)
		f.Add(c, "?", "b", -1e300, 1e-300)
	}
	f.Fuzz(func(t *testing.T, number, category, label string, least, most float64) {
		if !(least < most) || math.IsInf(most-least, 0) || len(number) > 200 {
			t.Skip()
		}
		if at := strings.IndexAny(number, "eE"); at >= 0 && len(number)-at > 6 {
			t.Skip("big.Float has smaller exponents")
		}
		s := parsed(t, fmt.Sprintf(`{"columns": [{"name": "n", "type": "number", "least": %v, "most": %v},
			{"name": "c", "type": "category", "values": ["x", "y"]}, {"name": "l", "type": "label", "classes": ["a", ["b", "B"]]}]}`, least, most))
		d, err := NewEncoder(s).Row([]string{number, category, label})
		value, ok := twin(number, least, most)
		name, listed := map[string]string{"a": "a", "b": "b", "B": "b"}[label]
		if (err == nil) != (ok && listed) {
			t.Fatalf("%q, %q: got %v, want a fault: %v", number, label, err, !ok || !listed)
		}
		if err != nil {
			return
		}
		features := make(map[int]float32)
		id := 0
		for i, gap := range d.WordGaps {
			if id += int(gap); i > 0 && gap == 0 {
				t.Fatal("a feature twice")
			}
			features[id] = math.Float32frombits(binary.LittleEndian.Uint32(d.Values[4*i:]))
		}
		got := float64(features[0])
		rounding := 4e-16 * (math.Abs(least) + math.Abs(most)) / (most - least)
		if math.Abs(got-value) > value*1e-7+rounding+1e-45 {
			t.Errorf("%q in [%v, %v]: got %v, want %v", number, least, most, got, value)
		}
		if zero, there := features[0]; there && zero == 0 {
			t.Error("a feature of value 0")
		}
		delete(features, 0)
		want := map[string]map[int]float32{"x": {1: 1}, "y": {2: 1}}[category]
		if fmt.Sprint(features) != fmt.Sprint(want) && len(features)+len(want) > 0 {
			t.Errorf("%q: got %v, want %v", category, features, want)
		}
		if d.Label != name {
			t.Errorf("%q: got the label %q, want %q", label, d.Label, name)
		}
		d.Id = "x"
		h := &wire.Header{Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PRIVATE, Values: true,
			VocabularySize: 3}
		if err := wire.Check(h, &wire.Record{Body: &wire.Record_Document{Document: d}}); err != nil {
			t.Error(err)
		}
	})
}

// BenchmarkRow is a row of Adult.
func BenchmarkRow(b *testing.B) {
	s, err := OpenSchema(b.Context(), "../../../pipelines/recipes/schemas/adult.json")
	if err != nil {
		b.Fatal(err)
	}
	const row = "39,State-gov,77516,Bachelors,13,Never-married,Adm-clerical,Not-in-family,White,Male,2174,0,40,United-States,<=50K"
	e, cells := NewEncoder(s), strings.Split(row, ",")
	b.SetBytes(int64(len(row) + len(cells)))
	for b.Loop() {
		if _, err := e.Row(cells); err != nil {
			b.Fatal(err)
		}
	}
}
