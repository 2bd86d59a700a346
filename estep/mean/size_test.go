package mean

import (
	"encoding/binary"
	"math"
	"testing"

	"privpipe/pipelines/model/families"
	"privpipe/pipelines/wire"
)

// TestSize: half of each feature, so that the longest document has norm 1 and nothing is clipped.
func TestSize(t *testing.T) {
	for _, c := range []struct {
		ids   []uint32 // gaps
		x     []float32
		want  []float32
		norm2 float64
	}{
		{[]uint32{0, 2, 1}, []float32{1, 1, 1}, []float32{.5, .5, .5}, .75},
		{[]uint32{0, 1}, []float32{1, 1}, []float32{.5, .5}, .5},
		{[]uint32{0, 1, 1, 1}, []float32{1, 1, 1, 1}, []float32{.5, .5, .5, .5}, 1},
	} {
		d := &wire.Document{Id: "d", WordGaps: c.ids}
		for _, x := range c.x {
			d.Values = binary.LittleEndian.AppendUint32(d.Values, math.Float32bits(x))
		}
		parts, err := NewSize().NewWorker().Contribute(d, nil)
		if err != nil || len(parts) != 1 {
			t.Fatalf("%v: %d parts, %v", c.x, len(parts), err)
		}
		square := 0.0
		for i, want := range c.want {
			got := math.Float32frombits(binary.LittleEndian.Uint32(parts[0].Values[4*i:]))
			if square += float64(got) * float64(got); got != want {
				t.Errorf("%v: cell %d is %v, want %v", c.x, i, got, want)
			}
		}
		if square != c.norm2 {
			t.Errorf("%v: squared norm %v, want %v", c.x, square, c.norm2)
		}
	}
	if parts, err := NewSize().NewWorker().Contribute(new(wire.Document), nil); len(parts) != 0 || err != nil {
		t.Errorf("of no features: %v, %v", parts, err)
	}
	if n := len(families.Size.Features); n != 4 {
		t.Errorf("%d features: half of them in [0, 1] has norm at most 1 only of four", n)
	}
}
