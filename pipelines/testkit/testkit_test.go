package testkit

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"privpipe/pipelines/wire/stream"
)

// TestVectors reads every vector: valid ones whole, the others not at all.
func TestVectors(t *testing.T) {
	for _, v := range Vectors() {
		t.Run(v.Name, func(t *testing.T) {
			r, err := stream.NewReader(bytes.NewReader(v.Stream), v.Name)
			if err != nil {
				t.Fatal(err)
			}
			records := 0
			for err == nil {
				if _, err = r.Next(); err == nil {
					records++
				}
			}
			var format *stream.FormatError
			switch {
			case v.Rule == "" && (err != io.EOF || records != v.Records):
				t.Errorf("a valid stream: %d records of %d, error %v", records, v.Records, err)
			case v.Rule != "" && !errors.As(err, &format):
				t.Errorf("%s: error %v after %d records, must be a *FormatError", v.Rule, err, records)
			}
		})
	}
}

// TestVectorsAreCurrent checks that the files are what generate_test.go makes, except for compressed bytes.
func TestVectorsAreCurrent(t *testing.T) {
	want := vectors(t)
	got := Vectors()
	if len(got) != len(want) {
		t.Fatalf("%d files, %d vectors: run go test ./pipelines/testkit -update", len(got), len(want))
	}
	for i, v := range got {
		compressed := slices.Contains(compressedElsewhere, v.Name)
		if v.Name != want[i].Name || v.Rule != want[i].Rule || !compressed && !bytes.Equal(v.Stream, want[i].Stream) {
			t.Errorf("%s is not current: run go test ./pipelines/testkit -update", v.Name)
		}
	}
}

// TestFramesWithoutSize checks that there are vectors of frames that do not say how large their content is, one with
// the largest window that a reader must accept.
func TestFramesWithoutSize(t *testing.T) {
	want := map[string]uint64{"piped.pp": 2 << 20, "window.pp": 8 << 20, "large-window.pp": 9 << 20}
	for _, v := range Vectors() {
		window, listed := want[v.Name]
		if !listed {
			continue
		}
		delete(want, v.Name)
		var h zstd.Header
		if err := h.Decode(v.Stream); err != nil || h.HasFCS || h.SingleSegment || !h.HasCheckSum ||
			h.WindowSize != window {
			t.Errorf("%s: %+v, %v", v.Name, h, err)
		}
	}
	if len(want) > 0 {
		t.Errorf("no vectors %v", want)
	}
}
