// Package view shows the records of a stream as JSON, one object for each record, for people and for tests. The shapes may
// change; programs should read the format of SPEC.md.
package view

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"privpipe/pipelines/wire"
)

// A Viewer shows the records of a stream.
type Viewer struct {
	header *wire.Header
	hidden bool
}

// New returns the Viewer of a stream with header h. In a private stream it shows only the kind and the round of each record,
// unless private is set.
func New(h *wire.Header, private bool) Viewer {
	return Viewer{h, h.Side != wire.Side_PUBLIC && !private}
}

// Header returns the line of the header, which holds public quantities only.
func (v Viewer) Header() ([]byte, error) {
	h := v.header
	view := header{
		Version: h.Version, Kind: h.Kind.String(), Side: h.Side.String(), Run: h.Run, Model: h.Model,
		Vocabulary: hex.EncodeToString(h.Vocabulary), VocabularySize: h.VocabularySize,
		Settings: hex.EncodeToString(h.Settings), Values: h.Values,
	}
	if h.Unit != wire.Unit_UNIT_UNSPECIFIED {
		view.Unit = h.Unit.String()
	}
	for _, m := range h.Matrices {
		view.Matrices = append(view.Matrices, matrix{m.Name, m.Rows, m.Columns, m.Element.String(), m.Symmetric})
	}
	return object("header", view)
}

// Record returns the line of a record after the header.
func (v Viewer) Record(r *wire.Record) ([]byte, error) {
	name, body := v.body(r)
	if v.hidden && r.GetRoundOpen() == nil { // a scheme is public
		body = redacted{Round: r.Round, Redacted: true}
	}
	return object(name, body)
}

// End returns the line of the end record, with the writer's tallies.
func (v Viewer) End(records uint64, tallies map[string]uint64) ([]byte, error) {
	if v.hidden {
		return object("end", redacted{Redacted: true})
	}
	return object("end", end{records, tallies})
}

func object(name string, body any) ([]byte, error) { return json.Marshal(map[string]any{name: body}) }

func (v Viewer) body(r *wire.Record) (name string, body any) {
	switch b := r.Body.(type) {
	case *wire.Record_Document:
		d := b.Document
		words := make(map[string]any, len(d.WordGaps))
		for i, id := range wire.AppendIDs(nil, d.WordGaps) {
			if key := strconv.Itoa(int(id)); v.header.Values {
				words[key] = math.Float32frombits(binary.LittleEndian.Uint32(d.Values[4*i:]))
			} else {
				words[key] = d.Counts[i]
			}
		}
		return "document", document{r.Round, d.Id, d.User, d.Label, words}
	case *wire.Record_RoundOpen:
		return "round_open", roundOpen{r.Round, schemeOf(b.RoundOpen.Scheme), b.RoundOpen.Draws, b.RoundOpen.Coupled}
	case *wire.Record_RoundClose:
		c := b.RoundClose
		return "round_close", roundClose{r.Round, c.Units, c.Records, strconv.FormatUint(c.UnitDigest, 16)}
	case *wire.Record_Contribution:
		return "contribution", v.contribution(r.Round, b.Contribution)
	case *wire.Record_Release:
		m := b.Release
		return "release", release{r.Round, m.Mechanism, m.Grant, m.Grid, m.Clip, m.Scale, schemeOf(m.Scheme), m.Bounds}
	case *wire.Record_Members:
		return "members", members{r.Round, keysOf(b.Members.Keys)}
	case *wire.Record_Sum:
		s := b.Sum
		return "sum", sum{r.Round, s.Grant, s.Grid, s.Clip, s.Bounds, hex.EncodeToString(s.Settings)}
	case *wire.Record_Terms:
		return "terms", terms{b.Terms.Id, b.Terms.User, b.Terms.Words}
	case *wire.Record_Parameters:
		scalars := make(map[string]float64)
		for _, s := range b.Parameters.Scalars {
			scalars[s.Name] = s.Value
		}
		return "parameters", parameters{r.Round, scalars}
	case *wire.Record_Block:
		m := v.header.Matrices[b.Block.Matrix]
		return "block", block{r.Round, m.Name, b.Block.Offset, numbers(m.Element, b.Block.Values)}
	case *wire.Record_Words:
		return "words", words{b.Words.First, b.Words.Words}
	case *wire.Record_Score:
		s := b.Score
		return "score", score{
			r.Round, s.Id, s.Tokens, s.Bound, s.Unigram, s.CompletionTokens, s.Completion, s.CompletionUnigram, s.PlugIn,
		}
	case *wire.Record_Prediction:
		p := b.Prediction
		return "prediction", prediction{
			r.Round, p.Id, p.Label, numbers(wire.Element_FLOAT32, p.Probabilities), wire.AppendIDs(nil, p.TruthGaps),
		}
	}
	return "unknown", nil
}

func (v Viewer) contribution(round uint32, c *wire.Contribution) contribution {
	view := contribution{Round: round, Unit: c.Unit, Record: c.Record, More: c.More}
	for _, p := range c.Parts {
		view.Parts = append(view.Parts, part{
			v.header.Matrices[p.Matrix].Name, wire.AppendIDs(nil, p.RowGaps), wire.AppendIDs(nil, p.ColumnGaps),
			numbers(wire.Element_FLOAT32, p.Values), p.Factored,
		})
	}
	return view
}

func schemeOf(s *wire.Scheme) scheme {
	return scheme{s.GetMethod().String(), s.GetRate(), s.GetSize(), s.GetPopulation(), s.GetRounds(), s.GetSecret(), s.GetCoins()}
}

func keysOf(b []byte) []string {
	var keys []string
	for key := range slices.Chunk(b, wire.KeySize) {
		keys = append(keys, hex.EncodeToString(key))
	}
	return keys
}

// numbers decodes little-endian cells. Cells of an unknown element type are returned as base64.
func numbers(e wire.Element, b []byte) any {
	switch e {
	case wire.Element_FLOAT32:
		values := make([]float32, len(b)/4)
		for i := range values {
			values[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
		return values
	case wire.Element_FLOAT64:
		values := make([]float64, len(b)/8)
		for i := range values {
			values[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
		return values
	case wire.Element_INT64:
		values := make([]int64, len(b)/8)
		for i := range values {
			values[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
		}
		return values
	}
	return base64.StdEncoding.EncodeToString(b)
}
