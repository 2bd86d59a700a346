package wire

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
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
		"newer than 3":         func(h *Header) { h.Version = 4 },
		"must be 1 to 3":       func(h *Header) { h.Version = 0 },
		"kind of stream":       func(h *Header) { h.Kind = 99 },
		"side of the wall":     func(h *Header) { h.Side = 0 },
		"unknown privacy unit": func(h *Header) { h.Unit = 3 },
		"name the privacy":     func(h *Header) { h.Unit = 0 },
		"run or model name":    func(h *Header) { h.Model = long },
		"vocabulary hash":      func(h *Header) { h.Vocabulary = make([]byte, 31) },
		"vocabulary of":        func(h *Header) { h.VocabularySize = MaxVocabulary + 1 },
		"occurs twice":         func(h *Header) { h.Matrices = append(h.Matrices, h.Matrices[0]) },
		"matrix name":          func(h *Header) { h.Matrices[0].Name = "" },
		"cells":                func(h *Header) { h.Matrices[0].Rows = 1 << 30 },
		"0 cells, must":        func(h *Header) { h.Matrices[0].Columns = 0 },
		"unknown element":      func(h *Header) { h.Matrices[0].Element = 9 },
		"must have elements":   func(h *Header) { h.Matrices[0].Element = Element_INT64 },
		"has no matrices":      func(h *Header) { h.Kind = Kind_ROUNDS },
		"TERMS has no":         func(h *Header) { h.Kind = Kind_TERMS },
		"has no vocabulary":    func(h *Header) { h.Kind, h.Matrices = Kind_TERMS, nil },
		"is not square":        func(h *Header) { h.Matrices[0].Symmetric = true },
		"cannot be symmetric": func(h *Header) {
			h.Kind, h.Matrices[0] = Kind_PARAMETERS,
				&Matrix{Name: "m", Rows: 2, Columns: 2, Element: Element_FLOAT32, Symmetric: true}
		},
		"SUMS must have elements": func(h *Header) { h.Kind = Kind_SUMS },
		"INT16 came with wire version 3": func(h *Header) {
			h.Version, h.Matrices[0].Element = 2, Element_INT16
		},
		"STATE must have elements": func(h *Header) {
			h.Version, h.Kind, h.Matrices[0].Element = Newest, Kind_STATE, Element_INT16
		},
		"PARAMETERS must have elements": func(h *Header) {
			h.Version, h.Kind, h.Matrices[0].Element = Newest, Kind_PARAMETERS, Element_INT16
		},
		"SUMS must name": func(h *Header) {
			h.Kind, h.Unit, h.Matrices[0].Element = Kind_SUMS, 0, Element_INT64
		},
		"CHECKPOINT cannot be": func(h *Header) {
			h.Kind, h.Matrices[0] = Kind_CHECKPOINT,
				&Matrix{Name: "m", Rows: 2, Columns: 2, Element: Element_FLOAT32, Symmetric: true}
		},
		"matrices exceed": func(h *Header) {
			for len(h.Matrices) <= MaxMatrices {
				h.Matrices = append(h.Matrices,
					&Matrix{Name: strings.Repeat("m", len(h.Matrices)+1), Rows: 1, Columns: 1,
						Element: Element_FLOAT32})
			}
		},
	} {
		h := validHeader()
		breakIt(h)
		expect(t, CheckHeader(h), strings.TrimPrefix(rule, "0 "))
	}
}

// TestSymmetricHeader: three kinds may have symmetric matrices, of as many cells as the triangle.
func TestSymmetricHeader(t *testing.T) {
	for kind, element := range map[Kind]Element{
		Kind_CONTRIBUTIONS: Element_FLOAT32, Kind_STATE: Element_FLOAT32, Kind_RELEASES: Element_INT64,
		Kind_SUMS: Element_INT64,
	} {
		h := validHeader()
		h.Version, h.Kind, h.Matrices[0] = Version, kind,
			&Matrix{Name: "m", Rows: 4, Columns: 4, Element: element, Symmetric: true}
		if err := CheckHeader(h); err != nil {
			t.Errorf("%v: %v", kind, err)
		}
		if got := h.Matrices[0].Cells(); got != 10 {
			t.Errorf("triangle of a 4 × 4 matrix has %d cells", got)
		}
	}
	whole := &Matrix{Rows: 1 << 15, Columns: 1 << 15, Symmetric: true}
	if got, want := whole.Cells(), 1<<14*(1<<15+1); got != want {
		t.Errorf("triangle of a large matrix has %d cells, want %d", got, want)
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
		r := &Release{Mechanism: "gaussian", Grant: "g", Grid: 0.5, Clip: 2, Scale: 3,
			Scheme: &Scheme{Method: Scheme_ALL, Rate: 1, Rounds: 1}}
		change(r)
		return &Record{Round: 1, Body: &Record_Release{Release: r}}
	}
	sum := func(change func(*Sum)) *Record {
		s := &Sum{Grant: "g", Grid: 0.5, Clip: 2, Settings: make([]byte, 32)}
		change(s)
		return &Record{Round: 1, Body: &Record_Sum{Sum: s}}
	}
	members := func(keys []byte) *Record {
		return &Record{Round: 1, Body: &Record_Members{Members: &Members{Keys: keys}}}
	}
	key := func(first byte) []byte { return append([]byte{first}, make([]byte, KeySize-1)...) }
	terms := func(t *Terms) *Record { return &Record{Body: &Record_Terms{Terms: t}} }
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
		{"word id occurs twice", document(&Document{Id: "a", WordGaps: []uint32{1, 0}, Counts: []uint32{1, 1}})},
		{"word id is not below 4", document(&Document{Id: "a", WordGaps: []uint32{4}, Counts: []uint32{1}})},
		{"word id is not below 4",
			document(&Document{Id: "a", WordGaps: []uint32{1, math.MaxUint32}, Counts: []uint32{1, 1}})},
		{"count 0", document(&Document{Id: "a", WordGaps: []uint32{0}, Counts: []uint32{0}})},
		{"more than 16777216 words",
			document(&Document{Id: "a", WordGaps: []uint32{0, 1}, Counts: []uint32{1, MaxTokens}})},

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
		{"column is not below 4",
			contribution(&Part{RowGaps: []uint32{0}, ColumnGaps: []uint32{9}, Values: floats(1)})},
		{"one value for each", contribution(&Part{RowGaps: []uint32{0}, Values: floats(1)})},
		{"NaN or infinite", contribution(&Part{RowGaps: []uint32{0}, ColumnGaps: []uint32{0}, Values: floats(nan)})},
		{"NaN or infinite", contribution(&Part{RowGaps: []uint32{0}, ColumnGaps: []uint32{0}, Values: floats(inf)})},
		{"unit must have", &Record{Round: 1, Body: &Record_Contribution{Contribution: &Contribution{}}}},

		{"", release(func(*Release) {})},
		{"", release(func(r *Release) { r.Mechanism = "laplace" })},
		{"", release(func(r *Release) { r.Mechanism, r.Grant, r.Clip, r.Scale = "none", "", 0, 0 })},
		{"", release(func(r *Release) { r.Bounds = []float64{0.25} })},
		{"unknown mechanism", release(func(r *Release) { r.Mechanism = "" })},
		{"unknown mechanism", release(func(r *Release) { r.Mechanism = "select" })},
		{"by gaussian must have", release(func(r *Release) { r.Clip = 0 })},
		{"by gaussian must have", release(func(r *Release) { r.Scale = 0 })},
		{"by laplace must have", release(func(r *Release) { r.Mechanism, r.Grant = "laplace", "" })},
		{"by none has", release(func(r *Release) { r.Mechanism, r.Grant, r.Clip = "none", "", 0 })},
		{"by none has", release(func(r *Release) { r.Mechanism, r.Grant, r.Scale = "none", "", 0 })},
		{"by none has", release(func(r *Release) { r.Mechanism, r.Clip, r.Scale = "none", 0, 0 })},
		{"2 bounds for 1 matrices", release(func(r *Release) { r.Bounds = []float64{1, 1} })},
		{"bound of a matrix", release(func(r *Release) { r.Bounds = []float64{0} })},
		{"bound of a matrix", release(func(r *Release) { r.Bounds = []float64{-1} })},
		{"bound of a matrix", release(func(r *Release) { r.Bounds = []float64{math.NaN()} })},
		{"bound of a matrix", release(func(r *Release) { r.Bounds = []float64{math.Inf(1)} })},
		{"bound of a matrix", release(func(r *Release) { r.Grid, r.Bounds = 4, []float64{math.MaxFloat64} })},
		// times ½: 0
		{"bound of a matrix", release(func(r *Release) { r.Bounds = []float64{math.SmallestNonzeroFloat64} })},
		{"grid", release(func(r *Release) { r.Grid = math.NaN() })},
		{"grid", release(func(r *Release) { r.Grid = math.Inf(1) })},
		{"scheme", release(func(r *Release) { r.Scheme = nil })},

		{"", sum(func(*Sum) {})},
		{"", sum(func(s *Sum) { s.Grant, s.Clip = "", 0 })},
		{"", sum(func(s *Sum) { s.Bounds = []float64{2} })},
		{"a clip without a grant", sum(func(s *Sum) { s.Grant = "" })},
		{"a clip without a grant", sum(func(s *Sum) { s.Clip = 0 })},
		{"grant must have", sum(func(s *Sum) { s.Grant = strings.Repeat("g", MaxName+1) })},
		{"grid", sum(func(s *Sum) { s.Grid = 0 })},
		{"3 bounds for 1", sum(func(s *Sum) { s.Bounds = []float64{1, 1, 1} })},
		{"bound of a matrix", sum(func(s *Sum) { s.Bounds = []float64{0} })},
		{"settings of a sum must have 32 bytes, have 0", sum(func(s *Sum) { s.Settings = nil })},
		{"settings of a sum must have 32 bytes, have 31", sum(func(s *Sum) { s.Settings = make([]byte, 31) })},
		{"settings of a sum must have 32 bytes, have 33", sum(func(s *Sum) { s.Settings = make([]byte, 33) })},

		{"", members(key(0))},
		{"", members(slices.Concat(key(0), key(1), key(255)))},
		{"", members(slices.Concat(make([]byte, 15), []byte{1}, make([]byte, 15), []byte{2}))},
		{"positive number of keys", members(nil)},
		{"positive number of keys", members(make([]byte, 17))},
		{"strictly ascending", members(slices.Concat(key(1), key(1)))},
		{"strictly ascending", members(slices.Concat(key(1), key(2), key(0)))},

		{"", terms(&Terms{Id: "a"})},
		{"", terms(&Terms{Id: "a", User: "u", Words: []string{"x", "y", "#y", "ä", strings.Repeat("w", MaxWord)}})},
		{"document id", terms(&Terms{Words: []string{"x"}})},
		{"user", terms(&Terms{Id: "a", User: strings.Repeat("u", MaxName+1)})},
		{"word must have", terms(&Terms{Id: "a", Words: []string{""}})},
		{"word must have", terms(&Terms{Id: "a", Words: []string{strings.Repeat("w", MaxWord+1)}})},
		{"word must have", terms(&Terms{Id: "a", Words: []string{"\xff"}})},
		{"white space", terms(&Terms{Id: "a", Words: []string{"a b"}})},
		{"white space", terms(&Terms{Id: "a", Words: []string{"a\n"}})},
		{"white space", terms(&Terms{Id: "a", Words: []string{"\u3000"}})},
		{"mark of a comment", terms(&Terms{Id: "a", Words: []string{"#"}})},
		{"a word occurs twice", terms(&Terms{Id: "a", Words: []string{"x", "y", "x"}})},

		{"", block(&Block{Values: floats(1, 2)})},
		{"block of matrix 1", block(&Block{Matrix: 1, Values: floats(1)})},
		{"positive multiple of 4", block(&Block{Values: []byte{1}})},
		{"positive multiple of 4", block(&Block{})},
		{"goes beyond its 8 cells", block(&Block{Offset: 8, Values: floats(1)})},
		{"goes beyond its 8 cells", block(&Block{Offset: math.MaxUint64, Values: floats(1)})},
		{"NaN or infinite", block(&Block{Values: floats(nan)})},

		{"", &Record{Body: &Record_Parameters{Parameters: &Parameters{Scalars: []*Scalar{{Name: "a", Value: 1}}}}}},
		{"must be finite", &Record{Body: &Record_Parameters{Parameters: &Parameters{Scalars: []*Scalar{{Name: "a",
			Value: math.NaN()}}}}}},
		{"occurs twice", &Record{Body: &Record_Parameters{Parameters: &Parameters{Scalars: []*Scalar{{Name: "a"},
			{Name: "a"}}}}}},
		{"", &Record{Body: &Record_Words{Words: &Words{First: 2, Words: []string{"a", "b"}}}}},
		{"beyond the vocabulary", &Record{Body: &Record_Words{Words: &Words{First: 3, Words: []string{"a", "b"}}}}},
		{"word must have", &Record{Body: &Record_Words{Words: &Words{Words: []string{""}}}}},
		{"white space", &Record{Body: &Record_Words{Words: &Words{Words: []string{"a\nb"}}}}},
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

// TestSymmetricParts: a contribution to a symmetric matrix has cells on and above the diagonal only.
func TestSymmetricParts(t *testing.T) {
	h := validHeader()
	h.Matrices = []*Matrix{
		{Name: "m", Rows: 4, Columns: 4, Element: Element_FLOAT32, Symmetric: true},
		{Name: "one", Rows: 1, Columns: 1, Element: Element_FLOAT32, Symmetric: true},
	}
	for _, c := range []struct {
		valid         bool
		matrix, cells int
		rows, columns []uint32 // as gaps
	}{
		{true, 0, 4, []uint32{0}, []uint32{0, 1, 1, 1}},
		{true, 0, 1, []uint32{3}, []uint32{3}},
		{true, 0, 4, []uint32{0, 2}, []uint32{2, 1}}, // rows 0 and 2, columns 2 and 3: (2, 2) is on the diagonal
		{true, 1, 1, []uint32{0}, []uint32{0}},
		{false, 0, 4, []uint32{0, 3}, []uint32{2, 1}}, // (3, 2)
		{false, 0, 1, []uint32{1}, []uint32{0}},
		{false, 0, 4, []uint32{0}, nil}, // all columns, though of row 0: named in full
		{false, 0, 4, nil, []uint32{3}},
		{false, 0, 16, nil, nil},
		{false, 1, 1, nil, nil},
	} {
		p := &Part{Matrix: uint32(c.matrix), RowGaps: c.rows, ColumnGaps: c.columns, Values: make([]byte, 4*c.cells)}
		err := Check(h, &Record{Round: 1,
			Body: &Record_Contribution{Contribution: &Contribution{Unit: "u", Parts: []*Part{p}}}})
		switch {
		case c.valid && err != nil:
			t.Errorf("%v is refused: %v", p, err)
		case !c.valid:
			expect(t, err, "below the diagonal")
		}
	}
	b := &Record{Round: 1, Body: &Record_Block{Block: &Block{Offset: 9, Values: floats(1)}}}
	if err := Check(h, b); err != nil {
		t.Error(err)
	}
	b.GetBlock().Offset = 10
	expect(t, Check(h, b), "beyond its 10 cells")
}

// TestErrorsQuoteNothing checks that a message about a bad document holds none of it.
func TestErrorsQuoteNothing(t *testing.T) {
	const secret = "patient-4711"
	for _, r := range []*Record{
		document(&Document{Id: secret, User: strings.Repeat(secret, 100)}),
		document(&Document{Id: strings.Repeat(secret, 100)}),
		document(&Document{Id: secret, WordGaps: []uint32{4711}, Counts: []uint32{1}}),
		{Round: 1, Body: &Record_Contribution{Contribution: &Contribution{Unit: strings.Repeat(secret, 100)}}},
		{Body: &Record_Terms{Terms: &Terms{Id: secret, Words: []string{secret, secret}}}},
		{Body: &Record_Terms{Terms: &Terms{Id: secret, Words: []string{secret + " " + secret}}}},
		{Round: 1, Body: &Record_Members{Members: &Members{Keys: []byte(secret + secret)}}},
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
		{Method: Scheme_ALLOCATE, Rate: 0.1, Rounds: 80, Epochs: 8, Secret: true, Coins: "abc"},
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

// largestTerms is as many distinct words as one record holds.
func largestTerms(tb testing.TB) *Record {
	terms, size := &Terms{Id: "a"}, 0
	for ; size < MaxRecord-40; size += 7 { // field, length and five bytes
		terms.Words = append(terms.Words, fmt.Sprintf("%05x", len(terms.Words)))
	}
	r := &Record{Body: &Record_Terms{Terms: terms}}
	if _, err := Append(nil, r); err != nil {
		tb.Fatal(err)
	}
	return r
}

func TestLargestTerms(t *testing.T) {
	r := largestTerms(t)
	if err := Check(validHeader(), r); err != nil {
		t.Error(err)
	}
	terms := r.GetTerms()
	for range 10 {
		terms.Words = append(terms.Words, fmt.Sprintf("%05x", len(terms.Words)))
	}
	if _, err := Append(nil, r); err != ErrTooLarge {
		t.Errorf("terms beyond a record: %v", err)
	}
}

// BenchmarkTerms compares the check of terms with the decoding that comes before it, for records of different sizes.
func BenchmarkTerms(b *testing.B) {
	large := largestTerms(b)
	for _, n := range []int{10, 100, 1000, len(large.GetTerms().Words)} {
		r := &Record{Body: &Record_Terms{Terms: &Terms{Id: "a", Words: large.GetTerms().Words[:n]}}}
		encoded, err := Append(nil, r)
		if err != nil {
			b.Fatal(err)
		}
		_, prefix := binary.Uvarint(encoded)
		perWord := func(b *testing.B) { b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/word") }
		b.Run(fmt.Sprintf("check/%d", n), func(b *testing.B) {
			for b.Loop() {
				if err := Check(validHeader(), r); err != nil {
					b.Fatal(err)
				}
			}
			perWord(b)
		})
		b.Run(fmt.Sprintf("decode/%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := Decode(encoded[prefix:]); err != nil {
					b.Fatal(err)
				}
			}
			perWord(b)
		})
	}
}
