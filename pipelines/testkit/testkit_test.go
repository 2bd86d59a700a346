package testkit

import (
	"bytes"
	"errors"
	"io"
	"testing"

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

// TestVectorsAreCurrent checks that the files are what generate_test.go makes, but for compressed bytes.
func TestVectorsAreCurrent(t *testing.T) {
	want := vectors(t)
	got := Vectors()
	if len(got) != len(want) {
		t.Fatalf("%d files, %d vectors: run go test ./pipelines/testkit -update", len(got), len(want))
	}
	for i, v := range got {
		compressed := v.Name == "compressed.pp" || v.Name == "bomb.pp"
		if v.Name != want[i].Name || v.Rule != want[i].Rule || !compressed && !bytes.Equal(v.Stream, want[i].Stream) {
			t.Errorf("%s is not current: run go test ./pipelines/testkit -update", v.Name)
		}
	}
}
