package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// fakes are small privatizers in floating point, each with a flaw by which it is called, for the scripts of audit.
func fakes() map[string]func() {
	programs := make(map[string]func())
	for _, flaw := range []string{
		"none", "half-noise", "little-less-noise", "seeded", "reuses-noise", "deduplicates", "counts-twice",
		"uncharged", "recharges",
		"other-adjacency", "varying-charge", "mute", "refuses", "one-round", "exact", "off-diagonal-once",
		"counts-over-inputs",
		"noise-over-clip", "assumes-non-negative", "keeps-negative", "half-off-diagonal", "batch-as-unit",
		"ignores-bounds",
		"l2-for-laplace", "clips-records", "combines-unclipped", "bare-cell", "takes-unproved",
		"noise-tells", "charges-less", "halves-draws", "one-clip", "factors-unclipped",
	} {
		programs["fake-"+flaw] = func() {
			if err := (&fake{flaw: flaw}).main(os.Args[1:]); err != nil {
				fmt.Fprintf(os.Stderr, "fake-%s: error: %v\n", flaw, err)
				os.Exit(90)
			}
		}
	}
	return programs
}

type fake struct {
	flaw   string
	grant  *event.Grant
	ledger event.Ledger
	lines  []byte
	header *wire.Header
	cells  []place
}

// A place is a cell of a matrix.
type place struct {
	matrix, row, column int
	bound               float64 // of the matrix's statistic
	twice               bool    // it stands for two
}

// main is called as privatize is: MECHANISM --grant G --ledger L -o OUT IN…, or combine --grant G -o OUT IN.
func (f *fake) main(args []string) error {
	named := make(map[string]string)
	mechanism, args := args[0], args[1:]
	for len(args) > 1 && strings.HasPrefix(args[0], "-") {
		named[args[0]] = args[1]
		args = args[2:]
	}
	if f.flaw == "refuses" {
		return errors.New("no\nat all")
	}
	text, err := os.ReadFile(named["--grant"])
	if err != nil {
		return err
	}
	if f.grant, err = event.ParseGrant(text); err != nil {
		return err
	}
	if mechanism == "combine" { // it leaves all to be done when they are released
		content, err := os.ReadFile(args[0])
		if err != nil {
			return err
		}
		return os.WriteFile(named["-o"], content, 0o600)
	}
	if mechanism != f.grant.Mechanism {
		return errors.New("a grant for another mechanism")
	}
	if err := f.begin(named["--ledger"]); err != nil {
		return err
	}
	out, err := os.Create(named["-o"])
	if err != nil || f.flaw == "mute" {
		return err
	}
	if err := f.release(args, out); err != nil {
		os.Remove(named["-o"])
		return err
	}
	return os.WriteFile(named["--ledger"], f.lines, 0o600)
}

// begin takes the head of the ledger.
func (f *fake) begin(name string) error {
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	before, err := event.ReadLedger(bytes.NewReader(content), name)
	if err != nil {
		return err
	}
	if len(before.Charges()) > 0 && f.flaw != "recharges" {
		return errors.New("released before")
	}
	f.ledger.Lines = before.Lines[:1]
	f.lines = content[:bytes.IndexByte(content, '\n')+1]
	return nil
}

// open opens the inputs and takes their shape.
func (f *fake) open(names []string) ([]*stream.Reader, error) {
	var all []*stream.Reader
	for _, name := range names {
		in, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		r, err := stream.NewReader(in, name)
		if err != nil {
			return nil, err
		}
		if f.header, err = r.Header(); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	for i, m := range f.header.Matrices {
		bound := 1.0
		for _, s := range f.grant.Statistics {
			if s.Name == m.Name && f.flaw != "ignores-bounds" {
				bound = s.Bound
			}
		}
		for row := range int(m.Rows) {
			for column := range int(m.Columns) {
				if !m.Symmetric || column >= row {
					f.cells = append(f.cells, place{i, row, column, bound, m.Symmetric && column > row})
				}
			}
		}
	}
	return all, nil
}

func (f *fake) release(names []string, out io.Writer) error {
	inputs, err := f.open(names)
	if err != nil {
		return err
	}
	h := &wire.Header{Version: wire.Version, Kind: wire.Kind_RELEASES, Side: wire.Side_PUBLIC, Unit: f.header.Unit}
	for _, m := range f.header.Matrices {
		h.Matrices = append(h.Matrices, &wire.Matrix{
			Name: m.Name, Rows: m.Rows, Columns: m.Columns, Symmetric: m.Symmetric, Element: wire.Element_INT64,
		})
	}
	w, err := stream.NewWriter(out, h, must(stream.NewCompressor(stream.Fast)))
	if err != nil {
		return err
	}
	for {
		r := &fakeRound{fake: f, units: make(map[string]*member)}
		for i, in := range inputs {
			if err := r.read(in, i, strings.HasSuffix(names[i], ".sums")); err == io.EOF {
				return w.Close()
			} else if err != nil {
				return err
			}
		}
		if f.flaw == "one-round" && r.number > 1 {
			continue
		}
		sum, err := r.sum()
		if err != nil {
			return err
		}
		if err := f.send(w, r.number, sum, len(r.units)); err != nil {
			return err
		}
	}
}

// A fakeRound is an open round.
type fakeRound struct {
	*fake
	number uint32
	units  map[string]*member

	factored bool // some contribution was
}

// A member is a unit: what it contributes, in clips, of each record.
type member struct {
	input   int
	part    bool
	records map[string][]float64
}

// read takes a round of an input.
func (r *fakeRound) read(in *stream.Reader, input int, part bool) error {
	for {
		record, err := in.Next()
		if err != nil {
			return err
		}
		r.number = record.Round
		if record.GetRoundClose() != nil {
			return nil
		}
		c := record.GetContribution()
		if c == nil {
			continue
		}
		name := c.Unit
		if known := r.units[name]; known != nil && known.input != input && r.flaw == "counts-over-inputs" {
			name += " again"
		}
		m := r.units[name]
		if m == nil {
			m = &member{input: input, part: part, records: make(map[string][]float64)}
			r.units[name] = m
		}
		key := c.Record
		if m.records[key] != nil {
			if r.flaw != "deduplicates" && r.flaw != "counts-twice" || m.input != input {
				return errors.New("a unit contributes twice")
			}
			if r.flaw == "counts-twice" {
				r.units[fmt.Sprint(name, len(r.units))] = &member{records: map[string][]float64{"": r.vector(c)}}
			}
			continue
		}
		m.records[key] = r.vector(c)
	}
}

// vector returns a contribution, in clips.
func (r *fakeRound) vector(c *wire.Contribution) []float64 {
	v := make([]float64, len(r.cells))
	for _, p := range c.Parts {
		rows, columns := wire.AppendIDs(nil, p.RowGaps), wire.AppendIDs(nil, p.ColumnGaps)
		for i := range len(rows) * len(columns) {
			at := slices.IndexFunc(r.cells, func(c place) bool {
				return c.matrix == int(p.Matrix) && c.row == int(rows[i/len(columns)]) &&
					c.column == int(columns[i%len(columns)])
			})
			if at < 0 {
				continue // below the diagonal of a symmetric matrix
			}
			number := func(i int) float64 {
				return float64(math.Float32frombits(binary.LittleEndian.Uint32(p.Values[4*i:])))
			}
			value := 0.0
			if p.Factored {
				r.factored = true
				value = number(i/len(columns)) * number(len(rows)+i%len(columns))
			} else {
				value = number(i)
			}
			v[at] = value / r.grant.Clip / r.cells[at].bound
		}
	}
	return v
}

// sum bounds the units and sums them up.
func (r *fakeRound) sum() ([]float64, error) {
	sum := make([]float64, len(r.cells))
	for _, m := range r.units {
		total := make([]float64, len(r.cells))
		for _, v := range m.records {
			if r.flaw == "clips-records" {
				r.bring(v)
			}
			add(total, v)
		}
		if r.grant.NonNegative && r.flaw != "keeps-negative" {
			for i, v := range total {
				total[i] = max(0, v)
			}
		}
		switch {
		case r.grant.Clipping == event.ClipProved:
			if r.grant.Unit != event.Word && r.norm(total) > 1+1e-9 && r.flaw != "takes-unproved" {
				return nil, errors.New("a unit exceeds a bound that is taken for proved")
			}
		case r.grant.Clipping == event.ClipBatch, r.flaw == "clips-records", m.part && r.flaw == "combines-unclipped",
			r.factored && r.flaw == "factors-unclipped":
		default:
			r.bring(total)
		}
		add(sum, total)
	}
	if r.grant.Clipping == event.ClipBatch {
		r.bring(sum)
	}
	return sum, nil
}

func add(sum, v []float64) {
	for i, x := range v {
		sum[i] += x
	}
}

func (f *fake) norm(v []float64) float64 {
	l1 := f.grant.Bounding() == event.ClipUnitL1 && f.flaw != "l2-for-laplace"
	sum := 0.0
	for i, x := range v {
		x = math.Abs(x)
		if !l1 {
			x *= x
		}
		if f.cells[i].twice && f.flaw != "off-diagonal-once" && f.grant.Mechanism != event.Laplace {
			x *= 2
		}
		sum += x
	}
	if l1 {
		return sum
	}
	return math.Sqrt(sum)
}

func (f *fake) bring(v []float64) {
	if norm := f.norm(v); norm > 1 {
		for i := range v {
			v[i] /= norm
		}
	}
}

// noise draws one number of scale 1.
func (f *fake) noise(random *rand.Rand) float64 {
	if f.grant.Mechanism == event.Laplace {
		return random.ExpFloat64() * float64(1-2*random.IntN(2))
	}
	return random.NormFloat64()
}

func (f *fake) send(w *stream.Writer, round uint32, sum []float64, units int) error {
	bound, scale := f.grant.Steps()
	random := rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	switch f.flaw {
	case "seeded":
		random = rand.New(rand.NewPCG(1, uint64(round)))
	case "reuses-noise":
		random = rand.New(rand.NewPCG(uint64(os.Getpid()), 0))
	}
	if f.flaw == "charges-less" {
		scale -= scale / 100
	}
	cells := make([]int64, len(sum))
	for i, v := range sum {
		noise := f.noise(random) * float64(scale)
		if f.cells[i].twice && f.grant.Mechanism == event.Gaussian {
			noise /= math.Sqrt2
			if f.flaw == "half-off-diagonal" {
				noise /= 2
			}
		}
		switch {
		case f.flaw == "half-noise":
			noise /= 2
		case f.flaw == "little-less-noise":
			noise *= 0.98
		case f.flaw == "noise-tells" && units > 1:
			noise *= 1.5
		case f.flaw == "noise-over-clip":
			noise /= f.grant.Clip
		case f.flaw == "exact", f.flaw == "bare-cell" && i == len(sum)-1:
			noise = 0
		}
		cells[i] = int64(math.Round(v*float64(bound) + noise))
	}
	wireScheme := must(wire.SchemeOf(f.grant.Scheme))
	head := &wire.Release{
		Mechanism: f.grant.Mechanism, Grant: f.grant.ID, Grid: f.grant.Clip / float64(bound), Clip: bound, Scale: scale,
		Scheme: wireScheme,
	}
	var matrices []stream.Rows
	var released []byte
	for i := range f.header.Matrices {
		var of []int64
		for c, at := range f.cells {
			if at.matrix == i {
				of = append(of, cells[c])
			}
		}
		matrices, released = append(matrices, stream.RowsOf(of)), stream.AppendCells(released, of)
	}
	if err := w.WriteSet(&wire.Record{Round: round, Body: &wire.Record_Release{Release: head}},
		matrices...); err != nil {
		return err
	}
	charge := f.grant.Charge(int(round), f.grant.Scheme)
	digest := sha256.Sum256(released)
	charge.Scale, charge.Run, charge.Release = scale, "audit", hex.EncodeToString(digest[:])
	switch f.flaw {
	case "uncharged":
		charge.Release = charge.Settings
	case "other-adjacency":
		charge.Adjacency = event.ReplaceOne
	case "varying-charge":
		charge.Sensitivity += uint64(units)
	case "exact":
		charge.Mechanism, charge.Scale, charge.Sensitivity, charge.Clipping = event.None, 0, 0, ""
	case "assumes-non-negative":
		if f.grant.Adjacency == event.ReplaceOne {
			charge.Sensitivity = uint64(math.Ceil(math.Sqrt2 * float64(bound)))
		}
	case "halves-draws":
		charge.Draws /= 2
	case "one-clip":
		charge.Sensitivity = bound
	case "batch-as-unit":
		charge.Sensitivity = bound
	}
	line := f.ledger.Next(time.Now())
	line.Type, line.Charge = event.TypeCharge, charge
	f.lines = append(f.lines, must(line.Encode(f.ledger.LastHash()))...)
	f.ledger.Lines = append(f.ledger.Lines, line)
	return nil
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
