package wire

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"privpipe/pipelines/event"
)

// CheckHeader returns an error for the first rule in SPEC.md that h breaks.
func CheckHeader(h *Header) error {
	switch {
	case h == nil:
		return errors.New("stream does not begin with a header")
	case h.Version > Newest:
		return fmt.Errorf("wire version %d is newer than %d, the newest this program reads", h.Version, Newest)
	case h.Version < Oldest:
		return fmt.Errorf("wire version %d, must be %d to %d", h.Version, Oldest, Newest)
	case h.Kind <= Kind_KIND_UNSPECIFIED || h.Kind > Kind_STATE:
		return fmt.Errorf("unknown kind of stream %d", h.Kind)
	case h.Side != Side_PRIVATE && h.Side != Side_PUBLIC:
		return fmt.Errorf("unknown side of the wall %d", h.Side)
	case h.Unit < 0 || h.Unit > Unit_USER:
		return fmt.Errorf("unknown privacy unit %d", h.Unit)
	case len(h.Run) > MaxName || len(h.Model) > MaxName:
		return fmt.Errorf("run or model name longer than %d bytes", MaxName)
	case len(h.Vocabulary) != 0 && len(h.Vocabulary) != 32:
		return fmt.Errorf("vocabulary hash of %d bytes, must be 32", len(h.Vocabulary))
	case h.VocabularySize > MaxVocabulary:
		return fmt.Errorf("vocabulary of %d words exceeds %d", h.VocabularySize, MaxVocabulary)
	case len(h.Settings) != 0 && len(h.Settings) != sha256.Size:
		return fmt.Errorf("hash of settings of %d bytes, must be %d", len(h.Settings), sha256.Size)
	case len(h.Settings) != 0 && !h.Kind.settled():
		return fmt.Errorf("a stream of %s has no settings", h.Kind)
	case h.Values && h.Kind != Kind_DOCUMENTS && h.Kind != Kind_ROUNDS:
		return fmt.Errorf("a stream of %s has no documents, and so none with values", h.Kind)
	case len(h.Matrices) > MaxMatrices:
		return fmt.Errorf("%d matrices exceed %d", len(h.Matrices), MaxMatrices)
	}
	names := make(map[string]bool)
	for _, m := range h.Matrices {
		if err := checkMatrix(m, names); err != nil {
			return err
		}
	}
	if err := checkKind(h); err != nil {
		return err
	}
	feature, since := h.newer()
	return checkVersion(h, feature, since)
}

// settled says whether headers of kind k may have settings.
func (k Kind) settled() bool {
	switch k {
	case Kind_DOCUMENTS, Kind_CONTRIBUTIONS, Kind_SUMS, Kind_STATE, Kind_SCORES, Kind_PREDICTIONS:
		return true
	}
	return false
}

// elements are the allowed elements of matrices in a stream of kind k; nil if it has no matrices.
func (k Kind) elements() []Element {
	switch k {
	case Kind_CONTRIBUTIONS:
		return []Element{Element_FLOAT32, Element_INT16}
	case Kind_STATE:
		return []Element{Element_FLOAT32}
	case Kind_RELEASES, Kind_SUMS:
		return []Element{Element_INT64}
	case Kind_PARAMETERS, Kind_CHECKPOINT:
		return []Element{Element_FLOAT32, Element_FLOAT64, Element_INT64}
	}
	return nil
}

// checkKind checks the rules for headers with the kind of h.
func checkKind(h *Header) error {
	elements := h.Kind.elements()
	if elements == nil && len(h.Matrices) > 0 {
		return fmt.Errorf("a stream of %s has no matrices", h.Kind)
	}
	for _, m := range h.Matrices {
		if m.Symmetric && (h.Kind == Kind_PARAMETERS || h.Kind == Kind_CHECKPOINT) {
			return fmt.Errorf("matrix %q of a stream of %s cannot be symmetric", m.Name, h.Kind)
		}
		if !slices.Contains(elements, m.Element) {
			return fmt.Errorf("matrix %q of a stream of %s must have elements %v", m.Name, h.Kind, elements)
		}
	}
	if h.Kind == Kind_TERMS && (len(h.Vocabulary) > 0 || h.VocabularySize > 0) {
		return fmt.Errorf("a stream of %s has no vocabulary", h.Kind)
	}
	switch h.Kind {
	case Kind_ROUNDS, Kind_CONTRIBUTIONS, Kind_RELEASES, Kind_SUMS, Kind_STATE:
		if h.Unit == Unit_UNIT_UNSPECIFIED {
			return fmt.Errorf("a stream of %s must name the privacy unit", h.Kind)
		}
	}
	return nil
}

func checkMatrix(m *Matrix, names map[string]bool) error {
	switch {
	case m.Name == "" || len(m.Name) > MaxName:
		return fmt.Errorf("matrix name must have 1 to %d bytes", MaxName)
	case names[m.Name]:
		return fmt.Errorf("matrix %q occurs twice in the header", m.Name)
	case m.Rows == 0 || m.Columns == 0 || uint64(m.Rows)*uint64(m.Columns) > MaxCells:
		return fmt.Errorf("matrix %q of %d × %d cells, must have 1 to %d", m.Name, m.Rows, m.Columns, MaxCells)
	case m.Symmetric && m.Rows != m.Columns:
		return fmt.Errorf("symmetric matrix %q of %d × %d cells is not square", m.Name, m.Rows, m.Columns)
	case m.Element.Size() == 0:
		return fmt.Errorf("matrix %q has an unknown element %d", m.Name, m.Element)
	}
	names[m.Name] = true
	return nil
}

// Check returns an error for the first rule in SPEC.md that r breaks, as a record in a stream with header h. Package
// stream checks the order of records. No error quotes an id or a word, or reveals the size of a private record.
func Check(h *Header, r *Record) error {
	if err := checkVersion(h, r.newer(), 2); err != nil {
		return err
	}
	switch body := r.GetBody().(type) {
	case *Record_Document:
		return checkDocument(h, body.Document)
	case *Record_RoundOpen:
		return checkRoundOpen(h, body.RoundOpen)
	case *Record_Contribution:
		return checkContribution(h, body.Contribution)
	case *Record_Release:
		return checkRelease(h, body.Release)
	case *Record_Parameters:
		return checkParameters(body.Parameters)
	case *Record_Block:
		return checkBlock(h, body.Block)
	case *Record_Words:
		return checkWords(h, body.Words)
	case *Record_Score:
		return checkScore(body.Score)
	case *Record_Members:
		return checkMembers(body.Members)
	case *Record_Sum:
		return checkSum(h, body.Sum)
	case *Record_Terms:
		return checkTerms(body.Terms)
	case *Record_Prediction:
		return checkPrediction(h, body.Prediction)
	case nil:
		return errors.New("record without a body")
	}
	return nil // no rule is about a Header, an End or a RoundClose without its stream
}

// finite says whether each little-endian FLOAT32 or FLOAT64 in values is finite. NaN and infinities have all exponent
// bits set (IEEE 754), so one more in the exponent carries into the sign bit, which is cleared before. finite looks at
// two FLOAT32 at a time, and writes out four of these times: that takes half of the time.
func finite(values []byte, e Element) bool {
	exponents, one, signs := uint64(0x7f80_0000_7f80_0000), uint64(0x0080_0000_0080_0000), uint64(0x8000_0000_8000_0000)
	if e == Element_FLOAT64 {
		exponents, one, signs = 0x7ff<<52, 1<<52, 1<<63
	}
	carried := uint64(0)
	for ; len(values) >= 32; values = values[32:] { // faster than an index
		eight := (*[32]byte)(values)
		carried |= (binary.LittleEndian.Uint64(eight[0:8])&exponents + one) |
			(binary.LittleEndian.Uint64(eight[8:16])&exponents + one) |
			(binary.LittleEndian.Uint64(eight[16:24])&exponents + one) |
			(binary.LittleEndian.Uint64(eight[24:32])&exponents + one)
	}
	for ; len(values) >= 8; values = values[8:] {
		carried |= binary.LittleEndian.Uint64(values)&exponents + one
	}
	if len(values) >= 4 {
		carried |= uint64(binary.LittleEndian.Uint32(values))&exponents + one
	}
	return carried&signs == 0
}

func checkName(what, s string, least int) error {
	if len(s) < least || len(s) > MaxName {
		return fmt.Errorf("%s must have %d to %d bytes", what, least, MaxName)
	}
	return nil
}

// checkGaps checks a strictly ascending list of numbers below limit, given as the first number and then differences.
func checkGaps(what string, gaps []uint32, limit uint32) error {
	last := uint64(0)
	for i, g := range gaps {
		if i > 0 && g == 0 {
			return fmt.Errorf("%s occurs twice", what)
		}
		last += uint64(g)
		if last >= uint64(limit) {
			return fmt.Errorf("%s is not below %d", what, limit)
		}
	}
	return nil
}

func checkRoundOpen(h *Header, r *RoundOpen) error {
	if _, err := r.GetScheme().Event(); err != nil {
		return err
	}
	if h.Kind == Kind_ROUNDS && (r.Draws != 0 || r.Coupled) {
		return errors.New("draws and coupled belong to rounds of contributions")
	}
	return event.CheckDraws(r.Draws)
}

func checkContribution(h *Header, c *Contribution) error {
	if len(c.Unit) == 0 || len(c.Unit) > MaxUnit {
		return fmt.Errorf("unit must have 1 to %d bytes", MaxUnit)
	}
	if err := checkName("record", c.Record, 0); err != nil {
		return err
	}
	for _, p := range c.Parts {
		if err := checkPart(h, p); err != nil {
			return err
		}
	}
	return nil
}

func checkPart(h *Header, p *Part) error {
	if int(p.Matrix) >= len(h.Matrices) {
		return fmt.Errorf("part of matrix %d, but the header has %d", p.Matrix, len(h.Matrices))
	}
	m := h.Matrices[p.Matrix]
	if err := checkGaps("row", p.RowGaps, m.Rows); err != nil {
		return err
	}
	if err := checkGaps("column", p.ColumnGaps, m.Columns); err != nil {
		return err
	}
	rows, columns := p.Extent(m)
	values := rows * columns
	switch {
	case p.Factored:
		values = rows + columns
		if m.Symmetric && !slices.Equal(p.RowGaps, p.ColumnGaps) {
			return errors.New("factored part of a symmetric matrix has other rows than columns")
		}
	case m.Symmetric && !p.above():
		return errors.New("part of a symmetric matrix has a cell below the diagonal, or does not name its rows and " +
			"columns")
	}
	if len(p.Values) != values*m.Element.Size() {
		return errors.New("part of a matrix has not one value for each of its cells, or of its rows and columns if " +
			"it is factored")
	}
	switch {
	case m.Element == Element_INT16 && (p.Factored || p.Exponent < MinExponent || p.Exponent > MaxExponent):
		return fmt.Errorf("part of INT16 is factored, or its exponent not within %d to %d", MinExponent, MaxExponent)
	case m.Element != Element_INT16 && p.Exponent != 0:
		return errors.New("part of FLOAT32 has an exponent")
	case m.Element != Element_INT16 && !finite(p.Values, m.Element):
		return errors.New("contribution has a value that is NaN or infinite")
	}
	return nil
}

// above says whether p names its rows and columns and has no cell below the diagonal: the last row is not greater than
// the first column.
func (p *Part) above() bool {
	if len(p.RowGaps) == 0 || len(p.ColumnGaps) == 0 {
		return false // all rows, or all columns
	}
	last := uint32(0)
	for _, gap := range p.RowGaps {
		last += gap
	}
	return last <= p.ColumnGaps[0]
}

// Extent returns the number of rows and columns that p, a part of m, covers. Empty gaps mean all.
func (p *Part) Extent(m *Matrix) (rows, columns int) {
	rows, columns = len(p.RowGaps), len(p.ColumnGaps)
	if rows == 0 {
		rows = int(m.Rows)
	}
	if columns == 0 {
		columns = int(m.Columns)
	}
	return rows, columns
}

func checkRelease(h *Header, r *Release) error {
	switch r.Mechanism {
	case event.Gaussian, event.Laplace:
		if r.Clip == 0 || r.Scale == 0 || r.Grant == "" {
			return fmt.Errorf("release by %s must have a clip, a scale and a grant", r.Mechanism)
		}
	case event.None:
		if r.Clip != 0 || r.Scale != 0 || r.Grant != "" {
			return fmt.Errorf("release by %s has a clip, a scale or a grant", r.Mechanism)
		}
	default:
		return errors.New("release by an unknown mechanism")
	}
	if err := checkSteps(h, r.Grant, r.Grid, r.Bounds); err != nil {
		return err
	}
	_, err := r.Scheme.Event()
	return err
}

// checkSteps checks the grant, the grid and the bounds in a release or a sum.
func checkSteps(h *Header, grant string, grid float64, bounds []float64) error {
	if err := checkName("grant", grant, 0); err != nil {
		return err
	}
	if !(grid > 0 && grid <= math.MaxFloat64) {
		return fmt.Errorf("grid must be positive and finite, is %v", grid)
	}
	if len(bounds) != 0 && len(bounds) != len(h.Matrices) {
		return fmt.Errorf("%d bounds for %d matrices", len(bounds), len(h.Matrices))
	}
	for _, b := range bounds {
		if step := grid * b; !(b > 0 && step > 0 && step <= math.MaxFloat64) {
			return fmt.Errorf("bound of a matrix, and grid times it, must be positive and finite; bound is %v", b)
		}
	}
	return nil
}

func checkBlock(h *Header, b *Block) error {
	if int(b.Matrix) >= len(h.Matrices) {
		return fmt.Errorf("block of matrix %d, but the header has %d", b.Matrix, len(h.Matrices))
	}
	m := h.Matrices[b.Matrix]
	size := m.Element.Size()
	cells := uint64(len(b.Values) / size)
	if cells == 0 || len(b.Values)%size != 0 {
		return fmt.Errorf("block of %q has %d bytes, must be a positive multiple of %d", m.Name, len(b.Values), size)
	}
	if b.Offset > uint64(m.Cells()) || cells > uint64(m.Cells())-b.Offset {
		return fmt.Errorf("block of %q goes beyond its %d cells", m.Name, m.Cells())
	}
	return checkFinite(m, b.Values)
}

func checkFinite(m *Matrix, values []byte) error {
	if m.Element != Element_INT64 && !finite(values, m.Element) {
		return fmt.Errorf("block of %q has a value that is NaN or infinite", m.Name)
	}
	return nil
}
