package testkit

import (
	"encoding/binary"

	"privpipe/pipelines/wire"
)

// third returns a header of contributions as version 3 has it, in INT16.
func third(h *wire.Header) *wire.Header {
	h.Version = 3
	for _, m := range h.Matrices {
		m.Element = wire.Element_INT16
	}
	return h
}

// short is a part of some rows of column 5, with numbers times 2^exponent.
func short(exponent int32, numbers []int16, rows ...uint32) *wire.Part {
	p := &wire.Part{RowGaps: rows, ColumnGaps: []uint32{5}, Exponent: exponent}
	for _, n := range numbers {
		p.Values = binary.LittleEndian.AppendUint16(p.Values, uint16(n))
	}
	return p
}

// vectors3 have the features of version 3, in streams of version 3 and in ones of version 2.
func vectors3() []Vector {
	answered := func(h *wire.Header, parts ...*wire.Part) []byte {
		return newBuilder(h).add(open(1), contribution(1, false, parts...), closing(1, "a")).whole()
	}
	one := []int16{1}
	factored := func(p *wire.Part) *wire.Part { p.Factored = true; return p }
	return []Vector{
		{Name: "version-3.pp", Records: 2, Stream: newBuilder(with(documents(),
			func(h *wire.Header) { h.Version = 3 })).add(a, b).whole()},
		{Name: "short.pp", Records: 3, Stream: answered(third(contributions()),
			short(-15, []int16{1 << 14}, 0), short(112, []int16{-1 << 15}, 1))},
		{Name: "short-least.pp", Records: 3, Stream: answered(third(contributions()),
			short(0, []int16{7}, 0), short(-149, []int16{1<<15 - 1}, 1))},
		{Name: "short-symmetric.pp", Records: 3, Stream: answered(third(symmetric(contributions())),
			&wire.Part{RowGaps: []uint32{0}, ColumnGaps: []uint32{0}, Values: []byte{1, 0}, Exponent: -3})},

		{Name: "2-short.pp", Rule: "INT16 in version 2", Section: "2",
			Stream: newBuilder(second(third(contributions()))).whole()},
		{Name: "short-releases.pp", Rule: "releases in INT16", Section: "2.1",
			Stream: newBuilder(third(releases())).whole()},
		{Name: "short-parameters.pp", Rule: "parameters in INT16", Section: "2.1",
			Stream: newBuilder(third(parameters())).whole()},
		{Name: "short-state.pp", Rule: "state in INT16", Section: "2.1",
			Stream: newBuilder(third(kept(contributions()))).whole()},
		{Name: "short-size.pp", Rule: "not one number of 2 bytes for each cell", Section: "3.3",
			Stream: answered(third(contributions()), part([]float32{1}, 0))},
		{Name: "short-factored.pp", Rule: "factored part of INT16", Section: "3.3",
			Stream: answered(third(contributions()), factored(short(0, []int16{1, 2}, 0)))},
		{Name: "short-large.pp", Rule: "exponent above its range", Section: "3.3",
			Stream: answered(third(contributions()), short(113, one, 0))},
		{Name: "short-small.pp", Rule: "exponent below its range", Section: "3.3",
			Stream: answered(third(contributions()), short(-150, one, 0))},
		{Name: "exponent-of-float.pp", Rule: "exponent of a part of FLOAT32", Section: "3.3",
			Stream: answered(second(contributions()),
				func(p *wire.Part) *wire.Part { p.Exponent = 1; return p }(part([]float32{1}, 0)))},
	}
}
