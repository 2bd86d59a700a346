package modeltest

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// valued returns a document with counts as the family reads it. In a family with real numbers a word's value is half
// its count, and negative if the count is even. The document's class is "1" if the first count is odd, else "0".
func valued(f *model.Family, d *wire.Document) *wire.Document {
	if !f.Values {
		return d
	}
	d = proto.CloneOf(d)
	d.Label = "0"
	if len(d.Counts) > 0 && d.Counts[0]%2 == 1 {
		d.Label = "1"
	}
	for _, count := range d.Counts {
		value := float32(count) / 2
		if count%2 == 0 {
			value = -value
		}
		d.Values = binary.LittleEndian.AppendUint32(d.Values, math.Float32bits(value))
	}
	d.Counts = nil
	return d
}

// Row returns a document with these real numbers and this label. Numbers that are 0 are left out.
func Row(label string, x ...float64) *wire.Document {
	d := &wire.Document{Id: "d", Label: label}
	last := 0
	for v, value := range x {
		if float32(value) == 0 {
			continue
		}
		d.WordGaps = append(d.WordGaps, uint32(v-last))
		d.Values = binary.LittleEndian.AppendUint32(d.Values, math.Float32bits(float32(value)))
		last = v
	}
	return d
}
