package score

import (
	"math"
	"math/rand/v2"
	"testing"
)

func count(ids []uint32, documents ...[]uint32) *Coherence {
	c := NewCoherence(ids)
	for _, d := range documents {
		c.Add(d)
	}
	return c
}

// TestThreeDocuments by hand, by Bouma 2009 with p the share of documents (C_NPMI of Röder, Both and Hinneburg, WSDM
// 2015, over whole documents and without their ε, which only softens pairs that never meet).
func TestThreeDocuments(t *testing.T) {
	c := count([]uint32{7, 3, 5, 9, 2}, []uint32{2, 3, 7}, []uint32{2, 3, 5, 7, 8}, []uint32{2, 7, 8, 9})
	if c.Documents() != 3 {
		t.Errorf("%d documents, want 3", c.Documents())
	}
	for _, pair := range []struct {
		v, w uint32
		want float64
	}{
		{7, 3, 0},                           // 7 is everywhere: log((2/3) / (1 · 2/3)) = 0
		{3, 5, math.Log(1.5) / math.Log(3)}, // log((1/3) / (2/3 · 1/3)) / −log(1/3)
		{5, 3, math.Log(1.5) / math.Log(3)}, // the order of the words does not matter
		{3, 9, -1},                          // never together
		{7, 2, 1},                           // together in every document
	} {
		if got := c.NPMI([]uint32{pair.v, pair.w}); math.Abs(got-pair.want) > 1e-12 {
			t.Errorf("NPMI of %d and %d is %v, want %v", pair.v, pair.w, got, pair.want)
		}
	}
	// The mean over the three pairs of a topic.
	if got, want := c.NPMI([]uint32{7, 3, 9}), (0+0-1)/3.; math.Abs(got-want) > 1e-12 {
		t.Errorf("coherence %v, want %v", got, want)
	}
}

// TestIndependence: words that are in documents by coins of their own have a coherence near 0.
func TestIndependence(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ids := []uint32{0, 1, 2, 3}
	c := NewCoherence(ids)
	for range 20_000 {
		var d []uint32
		for _, id := range ids {
			if r.IntN(3) == 0 {
				d = append(d, id)
			}
		}
		c.Add(d)
	}
	if got := c.NPMI(ids); math.Abs(got) > 0.01 {
		t.Errorf("coherence of independent words is %v", got)
	}
}

// FuzzNPMI: a coherence is in [−1, 1], whatever the documents.
func FuzzNPMI(f *testing.F) {
	f.Add([]byte{3, 1, 255, 7})
	f.Add([]byte{0})
	f.Fuzz(func(t *testing.T, documents []byte) {
		if len(documents) == 0 {
			t.Skip()
		}
		ids := []uint32{0, 1, 2, 3, 4, 5, 6, 7}
		c := NewCoherence(ids)
		for _, bits := range documents {
			var d []uint32
			for _, id := range ids {
				if bits>>id&1 == 1 {
					d = append(d, id)
				}
			}
			c.Add(d)
		}
		if got := c.NPMI(ids); !(got >= -1-1e-12 && got <= 1+1e-12) {
			t.Errorf("coherence %v", got)
		}
	})
}
