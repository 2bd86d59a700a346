package source

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"privpipe/pipelines/npy"
)

// archived is an archive of two vectors, and of names if it has any.
func archived(t testing.TB, names map[string][]string) []byte {
	t.Helper()
	var b bytes.Buffer
	a := npy.NewArchive(&b)
	err := a.Floats("vectors", []float64{3, 4, 0, -1}, 2, 2)
	for name, values := range names {
		if err == nil {
			err = a.Strings(name, values)
		}
	}
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// arrayRows returns the rows of an archive.
func arrayRows(b []byte) (rows []Row, err error) {
	v := &vectors{path: "a.npz", of: "a.npz", first: 1}
	for err = v.members(bytes.NewReader(b), int64(len(b)), 2, new(atomic.Int64)); err == nil; {
		var chunk Chunk
		chunk, err = v.next()
		rows = append(rows, chunk.parsed...)
	}
	if err == io.EOF {
		err = nil
	}
	return rows, err
}

func TestArchive(t *testing.T) {
	rows, err := arrayRows(archived(t, map[string][]string{"ids": {"a", ""}, "labels": {"x", "y"}}))
	if err != nil || len(rows) != 2 {
		t.Fatalf("%d rows, error %v", len(rows), err)
	}
	first, second := rows[0].Fields, rows[1].Fields
	if *first.ID != "a" || first.Label != "x" || first.User != "" || !slices.Equal(first.Numbers, []float64{3, 4}) {
		t.Errorf("the first row is %+v", first)
	}
	if second.ID != nil || second.Label != "y" || !slices.Equal(second.Numbers, []float64{0, -1}) {
		t.Errorf("the second row is %+v", second)
	}
	for _, names := range []map[string][]string{{"ids": {"a"}}, {"ids": {"a", "b"}, "users": {"a", "b", "MARKER"}}} {
		if _, err := arrayRows(archived(t, names)); err == nil || !strings.HasSuffix(err.Error(), errNames.Error()) ||
			strings.Contains(err.Error(), "MARKER") {
			t.Errorf("%v: error %v", names, err)
		}
	}
}

// FuzzArchive: no archive makes the reader panic, and each row has as many numbers as were asked for.
func FuzzArchive(f *testing.F) {
	f.Add(archived(f, map[string][]string{"ids": {"a", ""}}))
	f.Add(archived(f, nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		rows, _ := arrayRows(b)
		for _, row := range rows {
			if len(row.Fields.Numbers) != 2 {
				t.Errorf("a vector of %d numbers", len(row.Fields.Numbers))
			}
		}
	})
}
