package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// tables are the files of rows and images for the scripts.
func tables(t *testing.T) map[string][]byte {
	t.Helper()
	first, second := []byte{127, 128, 0, 255, 1, 200}, []byte{0, 0, 0, 0, 0, 127}
	images := idx(append(first[:6:6], second...), 2, 2, 3)
	noise := make([]byte, 8*784)
	for i := range noise {
		noise[i] = byte(i * i >> 3)
	}
	var zipped bytes.Buffer
	g := gzip.NewWriter(&zipped)
	g.Write(images)
	g.Close()
	numbers := "house,name,income,age,debt,work\n"
	for i := range 300 {
		numbers += fmt.Sprintf(",%d,>50K,%d,0,Private\n", i, i%90)
	}
	return map[string][]byte{
		"consecutive.data": []byte(numbers),
		"people.parquet":   people(t),
		"table.data":       []byte("age,work\n" + strings.Repeat("25,Private\n7,?\n0,State gov\n", 100_000)),
		"long-id.data": []byte("house,name,income,age,debt,work\n," + strings.Repeat("MARKER", 200) +
			",>50K,1,0,?\n"),
		"images.idx":     images,
		"labels.idx":     idx([]byte{7, 0}, 2),
		"images2.idx":    idx(first, 1, 2, 3),
		"labels2.idx":    idx([]byte{7}, 1),
		"labels3.idx":    idx([]byte{7, 0, 1}, 3),
		"no-images.idx":  idx(nil, 0, 2, 3),
		"cut.idx":        images[:len(images)-1],
		"cut.idx.gz":     zipped.Bytes()[:zipped.Len()-9],
		"noise.idx":      idx(noise, 8, 28, 28),
		"noise-less.idx": idx(noise[784:], 7, 28, 28),
		"x.png":          picture(t, first), "y.png": picture(t, second),
	}
}

// idx is an IDX file of unsigned bytes.
func idx(data []byte, sizes ...uint32) []byte {
	b := []byte{0, 0, 8, byte(len(sizes))}
	for _, s := range sizes {
		b = binary.BigEndian.AppendUint32(b, s)
	}
	return append(b, data...)
}

// picture is a PNG file of 2 rows and 3 columns.
func picture(t *testing.T, pixels []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, &image.Gray{Pix: pixels, Stride: 3, Rect: image.Rect(0, 0, 3, 2)}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// people are the rows of people.csv in rows.txtar.
func people(t *testing.T) []byte {
	t.Helper()
	type row struct {
		House  *string  `parquet:"house"`
		Name   string   `parquet:"name"`
		Income string   `parquet:"income,dict"`
		Age    int32    `parquet:"age"`
		Debt   *float64 `parquet:"debt"`
		Work   *string  `parquet:"work,dict"`
		More   bool     `parquet:"more"`
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, []row{
		{new("h1"), "ann", ">50K", 25, new(0.), new("Private"), true},
		{new("h1"), "bob", "<=50K.", 250, new(1e-3), new("State gov"), true},
		{nil, "cid", "<=50K", 0, new(-1.), nil, true}, {nil, "dot", ">50K.", -3, nil, new("Never"), true},
	}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
