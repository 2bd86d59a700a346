package features

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/npy"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
)

// MaxDimension is the largest dimension of vectors. It keeps a document within a record.
const MaxDimension = mostColumns

// A VectorRule turns a vector into a document: its features are the numbers of the vector, less a centre, projected,
// and scaled to a norm of at most 1.
//
// A document is a function of its own vector and of the rule alone, so neighbouring data sets of vectors are
// neighbouring data sets of documents, in the same relation (claim.md of package name). This needs a public rule, and
// vectors from a public model that is fixed. If the model, the centre or the projection learned from the private
// texts, each vector is a function of all of them.
type VectorRule struct {
	dimension int
	bound     Bound
	centre    []float64 // dimension numbers, or nil
	matrix    []float64 // rows × dimension, or nil
	rows      int
	meaning   []byte // of centre and matrix, for the settings
}

// A Bound is the largest norm that a vector keeps. 0 scales each vector to norm 1.
type Bound float64

// UnmarshalText implements encoding.TextUnmarshaler: unit, or a number.
func (b *Bound) UnmarshalText(text []byte) error {
	*b = 0
	if string(text) == "unit" {
		return nil
	}
	x, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(x > 0 && x <= math.MaxFloat32) {
		return fmt.Errorf("%q must be unit, or a positive number in the range of a FLOAT32", text)
	}
	*b = Bound(x)
	return nil
}

func (b Bound) String() string {
	if b == 0 {
		return "unit"
	}
	return strconv.FormatFloat(float64(b), 'g', -1, 64)
}

// NewVectorRule returns the rule for vectors of a dimension, in [1, MaxDimension], without centre and projection.
func NewVectorRule(dimension int, bound Bound) *VectorRule {
	return &VectorRule{dimension: dimension, bound: bound, rows: dimension}
}

// Dimension is how many features a document may have.
func (v *VectorRule) Dimension() int { return v.rows }

// mostCells bounds the memory of a projection to 512 MiB.
const mostCells = 1 << 26

// Project makes the rule multiply vectors by a random matrix with this number of rows, 1 to the dimension. Each cell is
// 1/√rows or −1/√rows. So lengths and distances are kept in expectation, and nearly kept with high probability
// (Achlioptas, "Database-friendly random projections", JCSS 66, 2003, Theorem 1.1, with signs of equal probability).
//
// The sign of a cell is a bit of SHA-256, which any program can work out: 0 is +. The bits of row i, from 1, are those
// of the hashes of "privpipe projection 1\nSEED\ni\nk" for k = 0, 1, 2 and so on, the numbers in decimal, and the most
// significant bit of each byte first.
func (v *VectorRule) Project(rows int, seed uint64) error {
	if rows < 1 || rows > v.dimension || rows*v.dimension > mostCells {
		return fmt.Errorf("--project must be from 1 to the --dimension, with at most 2^26 cells, is %d", rows)
	}
	v.rows, v.matrix = rows, make([]float64, 0, rows*v.dimension)
	cell := 1 / math.Sqrt(float64(rows))
	for i := range rows {
		var bits [sha256.Size]byte
		for j := range v.dimension {
			at := j % (8 * len(bits))
			if at == 0 {
				bits = sha256.Sum256(fmt.Appendf(nil, "privpipe projection 1\n%d\n%d\n%d", seed, i+1, j/(8*len(bits))))
			}
			sign := float64(1)
			if bits[at/8]>>(7-at%8)&1 != 0 {
				sign = -1
			}
			v.matrix = append(v.matrix, sign*cell)
		}
	}
	v.meaning = fmt.Appendf(v.meaning, "signs %d %d\n", rows, seed)
	return nil
}

// OpenProjection makes the rule multiply vectors by the public matrix in a .npy file, with a column for each number of
// a vector.
func (v *VectorRule) OpenProjection(ctx context.Context, name string) error {
	m, err := v.open(ctx, name, func(a *npy.Array) error {
		if a.Flat || a.Width != v.dimension || a.Rows < 1 || a.Rows > v.dimension || a.Rows*a.Width > mostCells {
			return fmt.Errorf("must have %d columns, the --dimension, and from 1 to as many rows", v.dimension)
		}
		return nil
	})
	if err != nil {
		return err
	}
	v.matrix, v.rows = m, len(m)/v.dimension
	v.meaning = fmt.Appendf(v.meaning, "projection %s\n", digest(m))
	return nil
}

// OpenCentre makes the rule subtract the public vector in a .npy file, before it projects.
func (v *VectorRule) OpenCentre(ctx context.Context, name string) error {
	m, err := v.open(ctx, name, func(a *npy.Array) error {
		if a.Rows != 1 && a.Width != 1 || a.Rows*a.Width != v.dimension {
			return fmt.Errorf("must have %d numbers, the --dimension", v.dimension)
		}
		return nil
	})
	if err != nil {
		return err
	}
	v.centre = m
	v.meaning = fmt.Appendf(v.meaning, "centre %s\n", digest(m))
	return nil
}

// open reads an array of numbers after check has accepted its shape.
func (v *VectorRule) open(ctx context.Context, name string, check func(*npy.Array) error) (cells []float64, err error) {
	in, err := endpoint.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	fail := func(err error) error { return exit.Errorf(exit.Malformed, "%s: %w", in.Name, err) }
	array, err := npy.NewArray(in)
	if err == nil {
		err = check(array)
	}
	for err == nil {
		cells, err = array.Floats(cells)
	}
	if err != io.EOF {
		return nil, fail(err)
	}
	for _, x := range cells {
		if !inRange(x) {
			return nil, fail(errRange)
		}
	}
	return cells, nil
}

// digest is SHA-256 of numbers as FLOAT64, in hexadecimal.
func digest(cells []float64) string {
	b := make([]byte, 0, 8*len(cells))
	for _, x := range cells {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// vectorVersion is the version of the rule. It must grow whenever a vector becomes another document.
const vectorVersion = "privpipe vectors 1\n"

// Settings identifies the rule in a stream's header.
func (v *VectorRule) Settings() []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s%d\n%v\n%s", vectorVersion, v.dimension, v.bound, v.meaning))
	return sum[:]
}

// VectorFeatures returns the vocabulary of documents of this dimension: x1, x2 and so on.
func VectorFeatures(dimension int) (words vocabulary.Words) {
	for i := range dimension {
		words = append(words, "x"+strconv.Itoa(i+1))
	}
	return words
}

// A VectorEncoder turns vectors into documents. One goroutine may use it at a time.
type VectorEncoder struct {
	*VectorRule
	numbers, projected []float64
}

// NewVectorEncoder returns an encoder.
func NewVectorEncoder(v *VectorRule) *VectorEncoder {
	return &VectorEncoder{VectorRule: v, numbers: make([]float64, v.dimension), projected: make([]float64, v.rows)}
}

var errRange = errors.New("has a number that is not finite, or beyond the range of a FLOAT32")

// inRange says whether no later sum of squares can overflow: with 2^16 numbers of at most 2^128, a projection by such
// numbers is below 2^272.
func inRange(x float64) bool { return math.Abs(x) <= math.MaxFloat32 } // false for NaN

// Parse adds the vector in a JSON array to d. Errors quote nothing from it.
func (e *VectorEncoder) Parse(d *wire.Document, array string) error {
	err := eachNumber(array, e.dimension, "the --dimension", func(i int, number string) error {
		x, ok := parseDecimal(number)
		if !ok {
			return errNumber
		}
		e.numbers[i] = x
		return nil
	})
	if err != nil {
		return err
	}
	return e.Document(d, e.numbers)
}

// Document adds a vector to d.
func (e *VectorEncoder) Document(d *wire.Document, vector []float64) error {
	if len(vector) != e.dimension {
		return exit.Errorf(exit.Malformed, "does not have %d numbers, the --dimension", e.dimension).
			WithHint("--dimension is how many numbers the model makes of each text; " +
				"--on-error skip skips vectors of another length")
	}
	for i, x := range vector {
		if !inRange(x) {
			return errRange
		}
		e.numbers[i] = x
	}
	for i, c := range e.centre {
		e.numbers[i] -= c
	}
	x := e.numbers
	if e.matrix != nil {
		x = e.projected
		for i := range x {
			x[i] = dot(e.matrix[i*e.dimension:(i+1)*e.dimension], e.numbers)
		}
	}
	e.scale(x)
	d.WordGaps, d.Values = make([]uint32, 0, len(x)), make([]byte, 0, 4*len(x))
	last := 0
	for i, x := range x {
		if v := float32(x); v != 0 {
			d.WordGaps = append(d.WordGaps, uint32(i-last))
			d.Values = binary.LittleEndian.AppendUint32(d.Values, math.Float32bits(v))
			last = i
		}
	}
	return nil
}

// scale scales x to norm 1, or with a bound R by min(1, R/|x|)/R, which is |x|/R up to R and 1 above. 0 stays 0.
//
// The norm of the FLOAT32 numbers is at most 1 + 10⁻⁶. Rounding moves a normal number by at most 2⁻²⁴ of it, about
// 6·10⁻⁸, and a smaller one by 2⁻¹⁵⁰ (IEEE 754-2019, section 4.3). The sum of up to 2¹⁶ squares in FLOAT64 is off by at
// most a share of 2¹⁶·2⁻⁵³ (Higham, Accuracy and Stability of Numerical Algorithms, second edition, section 3.1).
func (e *VectorEncoder) scale(x []float64) {
	most := 0.0
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	if most == 0 {
		return
	}
	square := 0.0 // of x/most, whose norm is in [1, √2¹⁶], so that no square of a small vector vanishes
	for _, v := range x {
		square += float64((v / most) * (v / most))
	}
	norm := math.Sqrt(square)
	if bound := float64(e.bound); bound > 0 && most*norm <= bound {
		for i := range x {
			x[i] /= bound
		}
		return
	}
	for i := range x {
		x[i] = x[i] / most / norm
	}
}

// dot returns the inner product of two vectors of equal length. Each product is rounded, and the sums have one order.
// So all machines find the same bits, and names by content depend on them.
func dot(a, b []float64) float64 {
	var s [4]float64
	i := 0
	for ; i+len(s) <= len(a); i += len(s) {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		s[0] += float64(x[0] * y[0])
		s[1] += float64(x[1] * y[1])
		s[2] += float64(x[2] * y[2])
		s[3] += float64(x[3] * y[3])
	}
	for ; i < len(a); i++ {
		s[0] += float64(a[i] * b[i])
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}
