package features

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/npy"
	"privpipe/pipelines/wire"
)

// dense returns a document's numbers, zeros included.
func dense(d *wire.Document, dimension int) []float32 {
	numbers, id := make([]float32, dimension), uint32(0)
	for i, gap := range d.WordGaps {
		id += gap
		numbers[id] = math.Float32frombits(binary.LittleEndian.Uint32(d.Values[4*i:]))
	}
	return numbers
}

// norm is the norm of FLOAT32 numbers.
func norm(d *wire.Document, dimension int) float64 {
	n := 0.0
	for _, v := range dense(d, dimension) {
		n = math.Hypot(n, float64(v))
	}
	return n
}

// arrayFile writes a .npy file of float64 and returns its name.
func arrayFile(t *testing.T, rows, columns int, cells ...float64) string {
	t.Helper()
	var b bytes.Buffer
	if err := npy.Write(&b, rows, columns, cells); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "a.npy")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestVector: 3, 4 and 5 are a Pythagorean triple, and so are their multiples.
func TestVector(t *testing.T) {
	for _, c := range []struct {
		bound       Bound
		array, want string
	}{
		{0, "[3,-4]", "[0.6 -0.8]"},
		{0, "[ 3e0 ,\t-4 ]", "[0.6 -0.8]"},
		{0, "[0,-2]", "[0 -1]"},
		{0, "[0,0]", "[0 0]"},
		{0, "[-0.0,0]", "[0 0]"},
		{0, "[3e38,-4e-300]", "[1 0]"}, // the second number is less than any FLOAT32
		{0, "[3e-300,-4e-300]", "[0.6 -0.8]"},
		{0, "[5e-324,0]", "[1 0]"},
		{10, "[3,-4]", "[0.3 -0.4]"},
		{5, "[3,-4]", "[0.6 -0.8]"},
		{0.5, "[3,-4]", "[0.6 -0.8]"},
		{10, "[0,0]", "[0 0]"},
		{0, "[3]", "is not an array of 2 numbers"},
		{0, "[3,4,5]", "is not an array of 2 numbers"},
		{0, "[]", "is not an array of 2 numbers"},
		{0, "", "is not an array of 2 numbers"},
		{0, "3,4", "is not an array of 2 numbers"},
		{0, "[3 4]", "is not an array of 2 numbers"},
		{0, "[[3],[4]]", "has an array whose number 1 is not a number"},
		{0, "[3,null]", "has an array whose number 2 is not a number"},
		{0, "[3,]", "has an array whose number 2 is not a number"},
		{0, "[3,NaN]", "has an array whose number 2 is not a number"},
		{0, "[3,-Infinity]", "has an array whose number 2 is not a number"},
		{0, "[3,0x4]", "has an array whose number 2 is not a number"},
		{0, `[3,"MARKER"]`, "has an array whose number 2 is not a number"},
		{0, "[3,1e39]", "has a number that is not finite, or beyond the range of a FLOAT32"},
		{0, "[3,-1e999]", "has a number that is not finite, or beyond the range of a FLOAT32"},
	} {
		d := new(wire.Document)
		got := ""
		if err := NewVectorEncoder(NewVectorRule(2, c.bound)).Parse(d, c.array); err != nil {
			got = err.Error()
		} else {
			got = fmt.Sprint(dense(d, 2))
		}
		if got != c.want {
			t.Errorf("%s with norm %v: %s, want %s", c.array, c.bound, got, c.want)
		}
	}
	e := NewVectorEncoder(NewVectorRule(2, 0))
	for _, x := range [][]float64{{math.NaN(), 1}, {1, math.Inf(-1)}, {1}, {1, 2, 3}, nil} {
		if err := e.Document(new(wire.Document), x); err == nil {
			t.Errorf("%v is a document", x)
		}
	}
}

// TestVectorNorm: no document has a norm over 1 + 10⁻⁶, and with --norm unit none has another norm.
func TestVectorNorm(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		dimension := 1 + random.IntN(400)
		x := make([]float64, dimension)
		scale := math.Pow(10, 76*random.Float64()-40)
		for i := range x {
			x[i] = scale * random.NormFloat64() * math.Pow(random.Float64(), 8)
		}
		for _, bound := range []Bound{0, Bound(scale), Bound(4 * scale * math.Sqrt(float64(dimension)))} {
			if bound != 0 && float32(bound) == 0 {
				continue
			}
			d := new(wire.Document)
			if err := NewVectorEncoder(NewVectorRule(dimension, bound)).Document(d, x); err != nil {
				t.Fatal(err)
			}
			if n := norm(d, dimension); n > 1+1e-6 || bound == 0 && n < 1-1e-6 {
				t.Fatalf("norm %v of %v with norm %v", n, x, bound)
			}
		}
	}
}

// TestProjection compares with bits and numbers that Python's hashlib and NumPy worked out from the definition: the
// signs of 16 cells of row 1 and of 12 cells of row 2, from the 251st on, which are in two hashes. The last is the
// projection of 1, 2, 3 and so on.
func TestProjection(t *testing.T) {
	rule := NewVectorRule(300, 0)
	if err := rule.Project(2, 7); err != nil {
		t.Fatal(err)
	}
	signs := ""
	for _, cell := range append(slices.Clone(rule.matrix[:16]), rule.matrix[300+250:300+262]...) {
		if math.Abs(math.Abs(cell)-math.Sqrt(0.5)) > 1e-15 {
			t.Errorf("a cell is %v", cell)
		}
		signs += map[bool]string{true: "+", false: "-"}[cell > 0]
	}
	if want := "-+-+--++---+---+" + "-+----+----+"; signs != want {
		t.Errorf("signs %s, want %s", signs, want)
	}
	x := make([]float64, 300)
	for i := range x {
		x[i] = float64(i + 1)
	}
	d := new(wire.Document)
	if err := NewVectorEncoder(rule).Document(d, x); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(dense(d, 2)), "[-0.750204 0.6612064]"; got != want {
		t.Errorf("projected to %s, want %s", got, want)
	}
	for _, rows := range []int{-1, 0, 301} {
		if NewVectorRule(300, 0).Project(rows, 1) == nil {
			t.Errorf("%d rows of 300 columns", rows)
		}
	}
	if NewVectorRule(MaxDimension, 0).Project(MaxDimension, 1) == nil {
		t.Error("a projection of 32 GiB")
	}
}

// TestProjectionOfFile: a centre is subtracted first, then a public matrix multiplies. By hand: (4, 6, 9) − (1, 2, 3) =
// (3, 4, 6), and the matrix takes 4 and −3.
func TestProjectionOfFile(t *testing.T) {
	rule := NewVectorRule(3, 0)
	if err := rule.OpenCentre(t.Context(), arrayFile(t, 1, 3, 1, 2, 3)); err != nil {
		t.Fatal(err)
	}
	if err := rule.OpenProjection(t.Context(), arrayFile(t, 2, 3, 0, 1, 0, -1, 0, 0)); err != nil {
		t.Fatal(err)
	}
	d := new(wire.Document)
	if err := NewVectorEncoder(rule).Document(d, []float64{4, 6, 9}); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(dense(d, 2)); got != "[0.8 -0.6]" || rule.Dimension() != 2 {
		t.Errorf("%s of dimension %d, want [0.8 -0.6]", got, rule.Dimension())
	}
	for _, c := range []struct {
		file string
		open func(*VectorRule, string) error
		rule string
	}{
		{arrayFile(t, 2, 2, 1, 2, 3, 4), (*VectorRule).projection, "must have 3 columns"},
		{arrayFile(t, 4, 3, make([]float64, 12)...), (*VectorRule).projection, "must have 3 columns"},
		{arrayFile(t, 0, 3), (*VectorRule).projection, "must have 3 columns"},
		{arrayFile(t, 1, 3, 1, math.NaN(), 3), (*VectorRule).projection, "not finite"},
		{arrayFile(t, 1, 3, 1, 1e39, 3), (*VectorRule).projection, "FLOAT32"},
		{arrayFile(t, 2, 3, 1, 2, 3, 4, 5, 6), (*VectorRule).mean, "must have 3 numbers"},
		{arrayFile(t, 1, 2, 1, 2), (*VectorRule).mean, "must have 3 numbers"},
		{arrayFile(t, 3, 1, 1, 2, math.Inf(1)), (*VectorRule).mean, "not finite"},
	} {
		if err := c.open(NewVectorRule(3, 0), c.file); err == nil || !strings.Contains(err.Error(), c.rule) {
			t.Errorf("got %v, want an error about %q", err, c.rule)
		}
	}
}

func (v *VectorRule) projection(name string) error {
	return v.OpenProjection(context.Background(), name)
}
func (v *VectorRule) mean(name string) error { return v.OpenCentre(context.Background(), name) }

// TestVectorSettings: each part of the rule is in the settings. Names by content and coins depend on them, so a version
// never has others.
func TestVectorSettings(t *testing.T) {
	want := sha256.Sum256([]byte("privpipe vectors 1\n384\nunit\n"))
	if got := NewVectorRule(384, 0).Settings(); !bytes.Equal(got, want[:]) {
		t.Errorf("settings %x, want %x", got, want)
	}
	settings := make(map[string]string)
	for name, make := range map[string]func() (*VectorRule, error){
		"none":      func() (*VectorRule, error) { return NewVectorRule(2, 0), nil },
		"dimension": func() (*VectorRule, error) { return NewVectorRule(3, 0), nil },
		"norm":      func() (*VectorRule, error) { return NewVectorRule(2, 1), nil },
		"random":    func() (*VectorRule, error) { v := NewVectorRule(2, 0); return v, v.Project(1, 1) },
		"rows":      func() (*VectorRule, error) { v := NewVectorRule(2, 0); return v, v.Project(2, 1) },
		"seed":      func() (*VectorRule, error) { v := NewVectorRule(2, 0); return v, v.Project(1, 2) },
		"matrix": func() (*VectorRule, error) {
			v := NewVectorRule(2, 0)
			return v, v.projection(arrayFile(t, 1, 2, 1, 0))
		},
		"other matrix": func() (*VectorRule, error) {
			v := NewVectorRule(2, 0)
			return v, v.projection(arrayFile(t, 1, 2, 0, 1))
		},
		"centre": func() (*VectorRule, error) { v := NewVectorRule(2, 0); return v, v.mean(arrayFile(t, 1, 2, 1, 0)) },
		"other centre": func() (*VectorRule, error) {
			v := NewVectorRule(2, 0)
			return v, v.mean(arrayFile(t, 1, 2, 0, 1))
		},
	} {
		rule, err := make()
		if err != nil {
			t.Fatal(err)
		}
		s := string(rule.Settings())
		if other, again := settings[s]; again {
			t.Errorf("%s and %s have the same settings", name, other)
		}
		settings[s] = name
	}
}

// FuzzVector: any text is an error, or a document that the wire format allows with a norm of at most 1.
func FuzzVector(f *testing.F) {
	f.Add("[3,-4,0]", 0.0)
	f.Add("[1e-300,0,-1e-38]", 2.0)
	f.Add(`[null,"x",{}]`, 1e-30)
	header := &wire.Header{Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PRIVATE, Values: true,
		Vocabulary: VectorFeatures(3).Hash(), VocabularySize: 3}
	f.Fuzz(func(t *testing.T, array string, bound float64) {
		if !(bound >= 0 && bound <= math.MaxFloat32) {
			return
		}
		d := &wire.Document{Id: "a"}
		if err := NewVectorEncoder(NewVectorRule(3, Bound(bound))).Parse(d, array); err != nil {
			return
		}
		if err := wire.Check(header, &wire.Record{Body: &wire.Record_Document{Document: d}}); err != nil {
			t.Errorf("%q: %v", array, err)
		}
		if n := norm(d, 3); n > 1+1e-6 {
			t.Errorf("%q with norm %v has norm %v", array, bound, n)
		}
	})
}

// BenchmarkVector parses and projects a vector of an embedding's usual dimension.
func BenchmarkVector(b *testing.B) {
	numbers := make([]string, 384)
	for i := range numbers {
		numbers[i] = fmt.Sprint(math.Sin(float64(i)))
	}
	array, rule := "["+strings.Join(numbers, ", ")+"]", NewVectorRule(384, 0)
	if err := rule.Project(64, 1); err != nil {
		b.Fatal(err)
	}
	e := NewVectorEncoder(rule)
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			if err := e.Parse(new(wire.Document), array); err != nil {
				b.Fatal(err)
			}
		}
	})
	x := slices.Clone(e.numbers)
	b.Run("project", func(b *testing.B) {
		for b.Loop() {
			if err := e.Document(new(wire.Document), x); err != nil {
				b.Fatal(err)
			}
		}
	})
}
