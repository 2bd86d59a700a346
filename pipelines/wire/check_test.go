package wire

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
)

func validHeader() *Header {
	return &Header{
		Version: 1, Kind: Kind_CONTRIBUTIONS, Side: Side_PRIVATE, Unit: Unit_DOCUMENT, VocabularySize: 4,
		Matrices: []*Matrix{{Name: "m", Rows: 2, Columns: 4, Element: Element_FLOAT32}},
	}
}

func TestCheckHeader(t *testing.T) {
	if err := CheckHeader(validHeader()); err != nil {
		t.Fatal(err)
	}
	if err := CheckHeader(nil); err == nil {
		t.Error("no header is accepted")
	}
	long := strings.Repeat("x", MaxName+1)
	for rule, breakIt := range map[string]func(*Header){
		"newer than 1":         func(h *Header) { h.Version = 2 },
		"must be 1":            func(h *Header) { h.Version = 0 },
		"kind of stream":       func(h *Header) { h.Kind = 99 },
		"side of the wall":     func(h *Header) { h.Side = 0 },
		"unknown privacy unit": func(h *Header) { h.Unit = 3 },
		"name the privacy":     func(h *Header) { h.Unit = 0 },
		"run or model name":    func(h *Header) { h.Model = long },
		"vocabulary hash":      func(h *Header) { h.Vocabulary = make([]byte, 31) },
		"vocabulary of":        func(h *Header) { h.VocabularySize = MaxVocabulary + 1 },
		"stands twice":         func(h *Header) { h.Matrices = append(h.Matrices, h.Matrices[0]) },
		"matrix name":          func(h *Header) { h.Matrices[0].Name = "" },
		"cells":                func(h *Header) { h.Matrices[0].Rows = 1 << 30 },
		"0 cells, must":        func(h *Header) { h.Matrices[0].Columns = 0 },
		"unknown element":      func(h *Header) { h.Matrices[0].Element = 9 },
		"must have elements":   func(h *Header) { h.Matrices[0].Element = Element_INT64 },
		"has no matrices":      func(h *Header) { h.Kind = Kind_ROUNDS },
		"matrices exceed": func(h *Header) {
			for len(h.Matrices) <= MaxMatrices {
				h.Matrices = append(h.Matrices, &Matrix{Name: strings.Repeat("m", len(h.Matrices)+1), Rows: 1, Columns: 1, Element: Element_FLOAT32})
			}
		},
	} {
		h := validHeader()
		breakIt(h)
		expect(t, CheckHeader(h), strings.TrimPrefix(rule, "0 "))
	}
}

// expect checks that err names the rule.
func expect(t *testing.T, err error, rule string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), rule) {
		t.Errorf("got error %v, want one about %q", err, rule)
	}
}

func floats(v ...float32) []byte {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func TestCheckRecords(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	scheme := func(change func(*Scheme)) *Record {
		s := &Scheme{Method: Scheme_POISSON, Rate: 0.5, Rounds: 3}
		change(s)
		return &Record{Round: 1, Body: &Record_RoundOpen{RoundOpen: &RoundOpen{Scheme: s}}}
	}
	contribution := func(parts ...*Part) *Record {
		return &Record{Round: 1, Body: &Record_Contribution{Contribution: &Contribution{Unit: "u", Parts: parts}}}
	}
	release := func(change func(*Release)) *Record {
		r := &Release{Mechanism: "gaussian", Grid: 0.5, Scheme: &Scheme{Method: Scheme_ALL, Rate: 1, Rounds: 1}}
		change(r)
		return &Record{Round: 1, Body: &Record_Release{Release: r}}
	}
	block := func(b *Block) *Record { return &Record{Round: 1, Body: &Record_Block{Block: b}} }
	for _, c := range []struct {
		rule string // "" for a valid record
		r    *Record
	}{
		{"", document(&Document{Id: "a"})},
		{"", document(&Document{Id: "a", WordGaps: []uint32{0, 3}, Counts: []uint32{1, MaxTokens - 1}})},
		{"document id", document(&Document{})},
		{"user", document(&Document{Id: "a", User: strings.Repeat("u", MaxName+1)})},
		{"label", document(&Document{Id: "a", Label: strings.Repeat("u", MaxName+1)})},
		{"not as many counts as word ids", document(&Document{Id: "a", WordGaps: []uint32{0, 1}, Counts: []uint32{1}})},
		{"word id stands twice", document(&Document{Id: "a", WordGaps: []uint32{1, 0}, Counts: []uint32{1, 1}})},
		{"word id is not below 4", document(&Document{Id: "a", WordGaps: []uint32{4}, Counts: []uint32{1}})},
		{"word id is not below 4", document(&Document{Id: "a", WordGaps: []uint32{1, math.MaxUint32}, Counts: []uint32{1, 1}})},
		{"count 0", document(&Document{Id: "a", WordGaps: []uint32{0}, Counts: []uint32{0}})},
		{"more than 16777216 words", document(&Document{Id: "a", WordGaps: []uint32{0, 1}, Counts: []uint32{1, MaxTokens}})},

		{"", scheme(func(*Scheme) {})},
		{"scheme is missing", &Record{Round: 1, Body: &Record_RoundOpen{RoundOpen: &RoundOpen{}}}},
		{"sampling rate", scheme(func(s *Scheme) { s.Rate = math.NaN() })},
		{"sampling rate", scheme(func(s *Scheme) { s.Rate = 0 })},
		{"sampling rate", scheme(func(s *Scheme) { s.Rate = 1.5 })},
		{"number of rounds", scheme(func(s *Scheme) { s.Rounds = 0 })},
		{"unknown sampling method", scheme(func(s *Scheme) { s.Method = 9 })},
		{"rate must be 1", scheme(func(s *Scheme) { s.Method = Scheme_ALL })},
		{"fixed-size sampling only", scheme(func(s *Scheme) { s.Size = 1 })},
		{"not size over population", scheme(func(s *Scheme) { s.Method, s.Size, s.Population = Scheme_FIXED, 1, 3 })},
		{"size of a round", scheme(func(s *Scheme) { s.Method, s.Size, s.Population = Scheme_FIXED, 4, 3 })},
		{"one over the number", scheme(func(s *Scheme) { s.Method = Scheme_EPOCH })},
		{"throws none", scheme(func(s *Scheme) { s.Method, s.Rate, s.Coins = Scheme_ALL, 1, "x" })},

		{"", contribution()},
		{"", contribution(&Part{RowGaps: []uint32{1}, ColumnGaps: []uint32{0, 2}, Values: floats(1, 2)})},
		{"", contribution(&Part{Values: floats(0, 1, 2, 3, 4, 5, 6, 7)})},
		{"matrix 1", contribution(&Part{Matrix: 1, Values: floats(1)})},
		{"row is not below 2", contribution(&Part{RowGaps: []uint32{2}, ColumnGaps: []uint32{0}, Values: floats(1)})},
		{"column is not below 4", contribution(&Part{RowGaps: []uint32{0}, ColumnGaps: []uint32{9}, Values: floats(1)})},
		{"one value of 4 bytes", contribution(&Part{RowGaps: []uint32{0}, Values: floats(1)})},
		{"NaN or infinite", contribution(&Part{RowGaps: []uint32{0}, ColumnGaps: []uint32{0}, Values: floats(nan)})},
		{"NaN or infinite", contribution(&Part{RowGaps: []uint32{0}, ColumnGaps: []uint32{0}, Values: floats(inf)})},
		{"unit must have", &Record{Round: 1, Body: &Record_Contribution{Contribution: &Contribution{}}}},

		{"", release(func(*Release) {})},
		{"mechanism", release(func(r *Release) { r.Mechanism = "" })},
		{"grid", release(func(r *Release) { r.Grid = math.NaN() })},
		{"grid", release(func(r *Release) { r.Grid = math.Inf(1) })},
		{"scheme", release(func(r *Release) { r.Scheme = nil })},

		{"", block(&Block{Values: floats(1, 2)})},
		{"block of matrix 1", block(&Block{Matrix: 1, Values: floats(1)})},
		{"positive multiple of 4", block(&Block{Values: []byte{1}})},
		{"positive multiple of 4", block(&Block{})},
		{"goes beyond its 8 cells", block(&Block{Offset: 8, Values: floats(1)})},
		{"goes beyond its 8 cells", block(&Block{Offset: math.MaxUint64, Values: floats(1)})},
		{"NaN or infinite", block(&Block{Values: floats(nan)})},

		{"", &Record{Body: &Record_Parameters{Parameters: &Parameters{Scalars: []*Scalar{{Name: "a", Value: 1}}}}}},
		{"must be finite", &Record{Body: &Record_Parameters{Parameters: &Parameters{Scalars: []*Scalar{{Name: "a", Value: math.NaN()}}}}}},
		{"stands twice", &Record{Body: &Record_Parameters{Parameters: &Parameters{Scalars: []*Scalar{{Name: "a"}, {Name: "a"}}}}}},
		{"", &Record{Body: &Record_Words{Words: &Words{First: 2, Words: []string{"a", "b"}}}}},
		{"beyond the vocabulary", &Record{Body: &Record_Words{Words: &Words{First: 3, Words: []string{"a", "b"}}}}},
		{"word must have", &Record{Body: &Record_Words{Words: &Words{Words: []string{""}}}}},
		{"", &Record{Body: &Record_Score{Score: &Score{Bound: -1}}}},
		{"must be finite", &Record{Body: &Record_Score{Score: &Score{Bound: math.Inf(-1)}}}},
		{"more tokens", &Record{Body: &Record_Score{Score: &Score{CompletionTokens: 1}}}},
		{"without a body", &Record{Round: 1}},
	} {
		err := Check(validHeader(), c.r)
		if c.rule == "" {
			if err != nil {
				t.Errorf("%v is refused: %v", c.r, err)
			}
			continue
		}
		expect(t, err, c.rule)
	}
}

// TestErrorsQuoteNothing checks that a message about a bad document holds none of it.
func TestErrorsQuoteNothing(t *testing.T) {
	const secret = "patient-4711"
	for _, r := range []*Record{
		document(&Document{Id: secret, User: strings.Repeat(secret, 100)}),
		document(&Document{Id: strings.Repeat(secret, 100)}),
		document(&Document{Id: secret, WordGaps: []uint32{4711}, Counts: []uint32{1}}),
		{Round: 1, Body: &Record_Contribution{Contribution: &Contribution{Unit: strings.Repeat(secret, 100)}}},
	} {
		err := Check(validHeader(), r)
		if err == nil || strings.Contains(err.Error(), "4711") {
			t.Errorf("got %v", err)
		}
	}
}

func TestSchemeConversionKeepsEverything(t *testing.T) {
	for _, s := range []*Scheme{
		{Method: Scheme_ALL, Rate: 1, Rounds: 1},
		{Method: Scheme_POISSON, Rate: 0.05, Rounds: 40, Secret: true, Coins: "abc"},
		{Method: Scheme_FIXED, Rate: 20.0 / 400, Size: 20, Population: 400, Rounds: 20, Secret: true},
		{Method: Scheme_ALLOCATE, Rate: 0.1, Rounds: 10, Secret: true, Coins: "abc"},
		{Method: Scheme_EPOCH, Rate: 0.1, Rounds: 10},
	} {
		e, err := s.Event()
		if err != nil {
			t.Fatal(err)
		}
		back, err := SchemeOf(e)
		if err != nil || !proto.Equal(back, s) {
			t.Errorf("%v came back as %v, %v", s, back, err)
		}
	}
}
