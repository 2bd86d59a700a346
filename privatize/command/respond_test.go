package command

import (
	"fmt"
	"testing"

	"privpipe/pipelines/wire"
)

// TestReportFits: the longest report of the largest vocabulary is a record of the wire. With 64 words more, the longest
// report is no record of the wire.
func TestReportFits(t *testing.T) {
	encode := func(words int, step uint32) error {
		d := &wire.Document{Id: fmt.Sprint(uint64(1<<64-1)) + "-0123456789abcdef"}
		for w := uint32(0); w < uint32(words); w += step {
			d.WordGaps = append(d.WordGaps, min(w, step))
			d.Counts = append(d.Counts, 1)
		}
		_, err := wire.Append(nil, &wire.Record{Body: &wire.Record_Document{Document: d}})
		return err
	}
	for _, step := range []uint32{1, 2, 127, 128, 129} {
		if err := encode(mostWords, step); err != nil {
			t.Errorf("every word of %d, of which each %d. is reported: %v", mostWords, step, err)
		}
	}
	if encode(mostWords+64, 1) == nil {
		t.Error("the bound on the vocabulary could be larger")
	}
}
