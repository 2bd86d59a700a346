package stream

import (
	"testing"

	"privpipe/pipelines/wire"
)

// TestFind: Find returns the mark that the writer gave to the frame. The test has streams of all kinds, cut into frames
// at different places. A mark for the end alone has no round.
func TestFind(t *testing.T) {
	kinds := make(map[wire.Kind]int)
	for _, v := range vectors(t) {
		records, r, err := decode(v)
		if err != nil {
			continue // one that readers refuse
		}
		h, _ := r.Header()
		compressor, err := NewCompressor(None)
		if err != nil {
			t.Fatal(err)
		}
		for _, every := range []int{1, 3} {
			out := new(collector)
			w, err := NewWriter(out, h, compressor)
			if err != nil {
				t.Fatal(err)
			}
			for i, record := range records {
				if err := w.Write(record); err != nil {
					t.Fatal(err)
				}
				if i%every == 0 {
					w.Flush()
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			for i, f := range out.frames {
				if f.Ends {
					f.Mark = Mark{Ends: true}
				}
				found, err := Find(f.Data)
				if err != nil || found.Mark != f.Mark || found.Header.GetKind() != h.Kind {
					t.Errorf("%s, frame %d: %+v, want %+v, %v", h.Kind, i, found.Mark, f.Mark, err)
				}
				if i > 0 { // of several frames the last says it
					both := append(append([]byte(nil), out.frames[i-1].Data...), f.Data...)
					if found, err := Find(both); err != nil || found.Mark != f.Mark {
						t.Errorf("%s, frames up to %d: %+v, want %+v, %v", h.Kind, i, found.Mark, f.Mark, err)
					}
				}
				kinds[h.Kind]++
			}
		}
	}
	for kind := range wire.Kind_name {
		// a checkpoint never is in a topic
		if k := wire.Kind(kind); k != wire.Kind_KIND_UNSPECIFIED && k != wire.Kind_CHECKPOINT && kinds[k] < 2 {
			t.Errorf("no frames of %s", k)
		}
	}
	if _, err := Find(nil); err == nil {
		t.Error("no frame says something")
	}
}
