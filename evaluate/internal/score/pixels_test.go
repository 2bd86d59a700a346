package score

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

func names(rows, columns int) (all []string) {
	for i := range rows * columns {
		all = append(all, fmt.Sprintf("row%d_column%d", i/columns, i%columns))
	}
	return all
}

func TestSizeOf(t *testing.T) {
	for _, size := range []Size{{1, 1}, {2, 3}, {28, 28}} {
		if got, err := SizeOf(names(size.Rows, size.Columns)); got != size || err != nil {
			t.Errorf("the size of %v is %v, %v", size, got, err)
		}
	}
	twisted := names(2, 3)
	twisted[1], twisted[3] = twisted[3], twisted[1]
	for what, names := range map[string][]string{
		"none": nil, "a class": {"1"}, "too few": names(2, 3)[1:], "another order": twisted,
		"negative": {"row-1_column0"}, "huge": {"row4611686018427387904_column4611686018427387904"},
		"more":                       {"row0_column0x"},
		"a last name of two columns": {"row0_column0", "row0_column1", "row1_column1"},
	} {
		if got, err := SizeOf(names); err == nil {
			t.Errorf("%s: the size is %v", what, got)
		}
	}
}

// TestPixels by hand: three images have four pixels each. The model has 4, 3 and 1 pixels right. A guess with all
// pixels off has 3, 2 and 2 right, and a guess with pixel 0 on has 4, 3 and 1 right.
func TestPixels(t *testing.T) {
	on := func(pixels ...uint32) []bool { return OnPixels(4, pixels) }
	scored := NewPixels(4, NewBaseline(on()), NewBaseline(on(0)))
	scored.Add(on(0), on(0))
	scored.Add(on(0, 1), on(0))
	scored.Add(on(1, 2), on(0, 1, 3))
	check := func(what string, s PixelShare, mean, least, squares float64) {
		t.Helper()
		if math.Abs(s.Mean-mean) > 1e-15 {
			t.Errorf("%s is %v, want %v", what, s.Mean, mean)
		}
		// t of 2 degrees of freedom at .975, from SciPy 1.17.1; squares is the sum of squared differences from the
		// mean, in pixels.
		width := 4.302652729749462 * math.Sqrt(squares/2/3) / 4
		if math.Abs(*s.Low-max(least, mean-width)) > 1e-9 || math.Abs(*s.High-min(1, mean+width)) > 1e-9 {
			t.Errorf("%s has the interval %v to %v, want %v on each side of %v, from %v to 1", what, *s.Low, *s.High,
				width, mean, least)
		}
	}
	check("right", scored.Right(), 8./12, 0, 14./3) // 4, 3, 1
	right, gain := scored.Of(0)
	check("all off", right, 7./12, 0, 2./3)  // 3, 2, 2
	check("its gain", gain, 1./12, -1, 8./3) // 1, 1, −1
	right, gain = scored.Of(1)
	check("one on", right, 8./12, 0, 14./3) // 4, 3, 1
	check("its gain", gain, 0, -1, 0)

	single := NewPixels(4)
	single.Add(on(0), on(1))
	if s := single.Right(); s.Mean != 0.5 || s.Low != nil || s.High != nil {
		t.Errorf("of a single image: %+v", s)
	}
}

// TestMeanImage: on in more than half; a probability of one half is off.
func TestMeanImage(t *testing.T) {
	m := NewMeanImage(3)
	for _, on := range [][]uint32{{0, 1}, {0, 1}, {0}, {2}} {
		m.Add(on)
	}
	if got := m.On(); !slices.Equal(got, []bool{true, false, false}) || m.Images() != 4 {
		t.Errorf("the mean of %d images is %v", m.Images(), got)
	}
	if got := Above([]float32{0, 0.5, 0.50001, 1}); !slices.Equal(got, []bool{false, false, true, true}) {
		t.Errorf("above one half: %v", got)
	}
}

func TestPaths(t *testing.T) {
	got := Size{2, 3}.Paths([]int{2, 2, 0, -1, 2, 2})
	if want := []Path{{-1, "M0 1h1v1h-1z"}, {2, "M0 0h2v1h-2zM1 1h2v1h-2z"}}; !slices.Equal(got, want) {
		t.Errorf("paths %v, want %v", got, want)
	}
}

// TestPicture: two images of 1 × 2; each pixel of the picture, in its place.
func TestPicture(t *testing.T) {
	p := &Picture{Size{1, 2}, []Image{
		{[]bool{true, false}, []float32{0.75, 0.25}},
		{[]bool{false, false}, []float32{1, 0.5}},
	}}
	gaps := slices.Repeat([]byte{200}, 14)
	want := slices.Concat(gaps, gaps,
		[]byte{200, 200, 0, 255, 200, 200, 63, 191, 200, 200, 0, 255, 200, 200}, gaps, gaps,
		[]byte{200, 200, 255, 255, 200, 200, 0, 127, 200, 200, 0, 255, 200, 200}, gaps, gaps)
	if got := p.raster(); !bytes.Equal(got.Pix, want) || got.Rect.Dx() != 14 || got.Rect.Dy() != 8 {
		t.Errorf("%v: %v, want %v", got.Rect, got.Pix, want)
	}
	drawn, err := p.PNG()
	if err != nil {
		t.Fatal(err)
	}
	image, err := png.Decode(bytes.NewReader(drawn))
	if err != nil || image.Bounds().Dx() != 56 || image.Bounds().Dy() != 32 {
		t.Fatalf("%v: %v", err, image.Bounds())
	}
	for i := range want {
		x, y := i%14, i/14
		for _, at := range [][2]int{{4 * x, 4 * y}, {4*x + 3, 4*y + 3}} {
			if r, _, _, _ := image.At(at[0], at[1]).RGBA(); r>>8 != uint32(want[i]) {
				t.Errorf("at %v the picture has %d, want %d", at, r>>8, want[i])
			}
		}
	}
	svg, err := p.SVG()
	if err != nil {
		t.Fatal(err)
	}
	for decoder := xml.NewDecoder(bytes.NewReader(svg)); ; {
		if _, err := decoder.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, part := range []string{`viewBox="0 0 14 8"`, `fill="#bfbfbf" d="M7 2h1v1h-1z"`,
		`fill="#000000" d="M2 2h1v1h-1zM10 2h1v1h-1zM6 5h1v1h-1zM10 5h1v1h-1z"`} {
		if !strings.Contains(string(svg), part) {
			t.Errorf("no %s in %s", part, svg)
		}
	}
}
