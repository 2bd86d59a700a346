package features

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
)

var two = ImageSize{2, 3}

// idx is an IDX file.
func idx(data []byte, sizes ...uint32) []byte {
	b := []byte{0, 0, 8, byte(len(sizes))}
	for _, s := range sizes {
		b = binary.BigEndian.AppendUint32(b, s)
	}
	return append(b, data...)
}

// all returns the images that next returns.
func all(next func() (Image, error)) (images []Image, err error) {
	for {
		image, err := next()
		if err == io.EOF {
			return images, nil
		}
		if err != nil {
			return images, err
		}
		images = append(images, image)
	}
}

func TestSize(t *testing.T) {
	for text, want := range map[string]string{
		"28x28": "28x28", "2x3": "2x3", "512x512": "512x512", "513x512": "", "0x3": "", "3": "", "3x": "", "x3": "",
		"3x-1": "", "3x3x3": "", "2147483647x2147483647": "", "3X3": "",
	} {
		var s ImageSize
		switch err := s.UnmarshalText([]byte(text)); {
		case (err == nil) != (want != ""):
			t.Errorf("%s: %v", text, err)
		case err == nil && s.String() != want:
			t.Errorf("%s: got %v", text, s)
		}
	}
	if got, want := fmt.Sprint(two.Vocabulary()),
		"[row0_column0 row0_column1 row0_column2 row1_column0 row1_column1 row1_column2]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestIDX(t *testing.T) {
	x, err := NewIDX(bytes.NewReader(idx([]byte("abcdefghijkl"), 2, 2, 3)), "x", two,
		bytes.NewReader(idx([]byte{7, 255}, 2)), "l")
	if err != nil {
		t.Fatal(err)
	}
	got, err := all(x.Next)
	if want := `[{abcdef 7} {ghijkl 255}]`; err != nil || fmt.Sprintf("%s", got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if x, err = NewIDX(bytes.NewReader(idx(nil, 0, 2, 3)), "x", two, nil, ""); err == nil {
		got, err = all(x.Next)
	}
	if err != nil || len(got) != 0 {
		t.Errorf("of no images: %v, %v", got, err)
	}
}

// TestIDXRefuses: each fault names file and byte.
func TestIDXRefuses(t *testing.T) {
	good, labels := idx([]byte("abcdefghijkl"), 2, 2, 3), idx([]byte{7, 8}, 2)
	changed := func(b []byte, at int, to byte) []byte {
		b = bytes.Clone(b)
		b[at] = to
		return b
	}
	for _, c := range []struct {
		images, labels []byte
		want           string
	}{
		{nil, nil, "x: byte 1: the file ends before its magic number"},
		{good[:3], nil, "x: byte 4: the file ends before its magic number"},
		{good[:4], nil, "x: byte 5: the file ends before the sizes of its dimensions"},
		{good[:15], nil, "x: byte 16: the file ends before the sizes of its dimensions"},
		{good[:16], nil, "x: byte 17: the file ends before the images that its header announces"},
		{good[:len(good)-1], nil, "x: byte 28: the file ends before the images that its header announces"},
		{append(bytes.Clone(good), 0), nil, "x: byte 29: more bytes than the header announces images"},
		{changed(good, 0, 1), nil, "x: byte 1: not an IDX file: its magic number must begin with two bytes of 0"},
		{changed(good, 1, 1), nil, "x: byte 1: not an IDX file: its magic number must begin with two bytes of 0"},
		{changed(good, 2, 0xd), nil, "x: byte 3: an IDX file of type 0x0d, must be 0x08, unsigned bytes"},
		{labels, nil, "x: byte 4: an IDX file of 1 dimensions, must be 3: images, rows and columns"},
		{idx(nil, 2, 3, 2), nil, "x: byte 9: images of 3x2 pixels, must be of 2x3"},
		{good, good, "l: byte 4: an IDX file of 3 dimensions, must be 1: labels"},
		{good, idx([]byte{7}, 1), "l: byte 5: not as many labels as x has images"},
		{good, idx([]byte{7, 8, 9}, 3), "l: byte 5: not as many labels as x has images"},
		{idx(nil, 2, 2, 4), nil, "x: byte 9: images of 2x4 pixels, must be of 2x3"},
		{good, labels[:9], "l: byte 10: the file ends before the labels that its header announces"},
		{good, append(bytes.Clone(labels), 9), "l: byte 11: more bytes than the header announces labels"},
	} {
		var in io.Reader
		if c.labels != nil {
			in = bytes.NewReader(c.labels)
		}
		x, err := NewIDX(bytes.NewReader(c.images), "x", two, in, "l")
		if err == nil {
			_, err = all(x.Next)
		}
		if fmt.Sprint(err) != c.want || exit.Code(err) != exit.Malformed {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// FuzzIDX: what is read is the file, cut by the sizes that it states, or the file is refused.
func FuzzIDX(f *testing.F) {
	f.Add(idx([]byte("abcdefghijkl"), 2, 2, 3), idx([]byte{1, 2}, 2))
	f.Add(idx(nil, math.MaxUint32, 2, 3), idx(nil, math.MaxUint32))
	f.Fuzz(func(t *testing.T, images, labels []byte) {
		x, err := NewIDX(bytes.NewReader(images), "x", two, bytes.NewReader(labels), "l")
		var got []Image
		if err == nil {
			got, err = all(x.Next)
		}
		n := uint32(len(labels) - 8)
		valid := len(labels) >= 8 && bytes.Equal(labels[:8], idx(nil, n)) && len(images) >= 16 &&
			bytes.Equal(images[:16], idx(nil, n, 2, 3)) && len(images) == 16+6*int(n)
		if valid != (err == nil) {
			t.Fatalf("%q, %q: %v", images, labels, err)
		}
		for i, image := range got {
			if !bytes.Equal(image.Pixels, images[16+6*i:22+6*i]) || image.Label != fmt.Sprint(labels[8+i]) {
				t.Errorf("image %d: %v", i, image)
			}
		}
	})
}

// on are the pixels of a document.
func on(d *wire.Document) (ids []int) {
	id := 0
	for i, gap := range d.WordGaps {
		if id += int(gap); d.Counts[i] != 1 {
			return nil
		}
		ids = append(ids, id)
	}
	return ids
}

func TestBinarise(t *testing.T) {
	image := Image{Pixels: []byte{127, 128, 0, 255, 1, 200}, Label: "seven"}
	for threshold, want := range map[byte][]int{128: {1, 3, 5}, 1: {0, 1, 3, 4, 5}, 255: {3}, 201: {3}} {
		if d := Binarise(two, threshold).Document(image); !slices.Equal(on(d), want) || d.Label != "seven" ||
			d.Id != "" {
			t.Errorf("%d: got %v, want %v", threshold, d, want)
		}
	}
}

// TestBernoulli: a pixel of intensity i is on in i/255 of images, whatever the others are; 0 never and 255 always. The
// images differ in two pixels that count up, since equal images have equal coins.
func TestBernoulli(t *testing.T) {
	const n = 1 << 16
	intensities := []byte{0, 255, 1, 254, 64, 200}
	size := ImageSize{1, len(intensities) + 2}
	var counts [6]float64
	both := 0.0 // the last two
	for i := range n {
		ids := on(Bernoulli(size, 1).Document(Image{Pixels: append(slices.Clone(intensities), byte(i), byte(i>>8))}))
		for at := range counts {
			if slices.Contains(ids, at) {
				counts[at]++
			}
		}
		if slices.Contains(ids, 4) && slices.Contains(ids, 5) {
			both++
		}
	}
	check := func(what string, got, p float64) {
		if math.Abs(got-n*p) > 4*math.Sqrt(n*p*(1-p)) {
			t.Errorf("%s: on in %v of images, want %v", what, got/n, p)
		}
	}
	for at, i := range intensities {
		check(fmt.Sprint("intensity ", i), counts[at], float64(i)/255)
	}
	check("64 and 200", both, 64.*200/255/255)
}

// TestCoins: they follow from the seed and the pixels, and stay for ever.
func TestCoins(t *testing.T) {
	grey := func(level byte) []byte { return bytes.Repeat([]byte{level}, 400) }
	size := ImageSize{20, 20}
	of := func(seed uint64, image Image) []int { return on(Bernoulli(size, seed).Document(image)) }
	first := of(1, Image{Pixels: grey(100)})
	if !slices.Equal(first, of(1, Image{Pixels: grey(100), Label: "x"})) {
		t.Error("the label has changed the coins")
	}
	if slices.Equal(first, of(2, Image{Pixels: grey(100)})) {
		t.Error("another seed has the same coins")
	}
	// With the same coins, pixels that are on at 100 would all be on at 101.
	other := of(1, Image{Pixels: grey(101)})
	kept := 0
	for _, id := range first {
		if slices.Contains(other, id) {
			kept++
		}
	}
	if kept > len(first)*3/4 {
		t.Errorf("%d of %d pixels are on in another image, too", kept, len(first))
	}
	if want := []int{0, 3, 4, 5, 7, 9, 11, 14}; !slices.Equal(first[:8], want) {
		t.Errorf("the first pixels are %v, want %v: if images become other documents, version must grow", first[:8],
			want)
	}
}

func TestImageSettings(t *testing.T) {
	seen := make(map[string]ImageRule)
	for _, r := range []ImageRule{
		Binarise(two, 128), Binarise(two, 1), Binarise(ImageSize{3, 2}, 128), Bernoulli(two, 1), Bernoulli(two, 128),
		Bernoulli(ImageSize{3, 2}, 1),
	} {
		key := string(r.Settings())
		if before, again := seen[key]; again || len(key) != 32 {
			t.Errorf("%v has the settings of %v", r, before)
		}
		seen[key] = r
	}
}

// write writes an image below a folder.
func write(t *testing.T, root, path string, of image.Image) {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, of); err != nil {
		t.Fatal(err)
	}
	writeBytes(t, root, path, b.Bytes())
}

func writeBytes(t *testing.T, root, path string, b []byte) {
	t.Helper()
	path = filepath.Join(root, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func grey(pixels string) image.Image {
	return &image.Gray{Pix: []byte(pixels), Stride: 3, Rect: image.Rect(0, 0, 3, 2)}
}

func TestFolder(t *testing.T) {
	root := t.TempDir()
	write(t, root, "7/b.png", grey("abcdef"))
	write(t, root, "7/a.PNG", grey("ghijkl"))
	write(t, root, "deep/er/x.png", grey("mnopqr"))
	write(t, root, "z.png", grey("stuvwx"))
	writeBytes(t, root, "7/README.txt", []byte("no image"))
	writeBytes(t, root, "7/.hidden.png", []byte("no image"))
	writeBytes(t, root, ".git/x.png", []byte("no image"))
	colours := image.NewNRGBA(image.Rect(0, 0, 3, 2))
	for i, c := range []color.NRGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 255, 255},
		{255, 255, 255, 0}, {255, 255, 255, 128}} {
		colours.Set(i%3, i/3, c)
	}
	write(t, root, "8/colours.png", colours)
	f, err := NewImageFolder(root, two)
	if err != nil {
		t.Fatal(err)
	}
	got, err := all(f.Next)
	// 0.299, 0.587 and 0.114 of 255; transparent is black.
	want := []Image{
		{[]byte("ghijkl"), "7"}, {[]byte("abcdef"), "7"}, {[]byte{76, 150, 29, 255, 0, 128}, "8"},
		{[]byte("mnopqr"), "deep/er"}, {[]byte("stuvwx"), ""},
	}
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestFolderRefuses(t *testing.T) {
	var good bytes.Buffer
	if err := png.Encode(&good, grey("abcdef")); err != nil {
		t.Fatal(err)
	}
	torn := bytes.Clone(good.Bytes())
	torn[len(torn)-20]++
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"empty.png": {nil, "no PNG image, or a damaged one: the file is truncated"},
		"text.png": {[]byte("MARKER MARKER MARKER"),
			"no PNG image, or a damaged one: png: invalid format: not a PNG file"},
		"truncated.png": {good.Bytes()[:good.Len()-14], "a damaged PNG image: the file is truncated"},
		"torn.png":      {torn, "a damaged PNG image: png: invalid format: zlib: invalid checksum"},
		"large.png":     {make([]byte, 16<<20+1), "larger than 16 MiB"},
	} {
		root := t.TempDir()
		writeBytes(t, root, name, c.content)
		f, err := NewImageFolder(root, two)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Next()
		if want := filepath.Join(root, name) + ": " + c.want; fmt.Sprint(err) != want ||
			exit.Code(err) != exit.Malformed {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for _, corner := range map[string]image.Point{"3x3": {3, 3}, "2x2": {2, 2}, "2x4": {4, 2}} {
		root := t.TempDir()
		write(t, root, "x.png", image.NewGray(image.Rectangle{Max: corner}))
		f, err := NewImageFolder(root, two)
		if err == nil {
			_, err = f.Next()
		}
		if want := "x.png: the image must be of 2x3 pixels"; err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	var missing *exit.Error
	if _, err := NewImageFolder(t.TempDir(), two); !errors.As(err, &missing) || missing.Code != exit.Missing {
		t.Errorf("of an empty folder: %v", err)
	}
}
