package score

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// A Size is the number of rows and columns of an image.
type Size struct{ Rows, Columns int }

// Pixels returns the number of pixels.
func (s Size) Pixels() int { return s.Rows * s.Columns }

// SizeOf returns the size of images, given the names of their pixels row by row. tokenize features --image writes such
// names.
func SizeOf(names []string) (s Size, err error) {
	if len(names) > 0 {
		fmt.Sscanf(names[len(names)-1], "row%d_column%d", &s.Rows, &s.Columns)
		s = Size{s.Rows + 1, s.Columns + 1}
	}
	if s.Rows < 1 || s.Columns < 1 || len(names)%s.Columns != 0 || len(names)/s.Columns != s.Rows {
		return Size{}, errNames
	}
	for i, name := range names {
		if name != fmt.Sprintf("row%d_column%d", i/s.Columns, i%s.Columns) {
			return Size{}, errNames
		}
	}
	return s, nil
}

var errNames = errors.New("the columns are not the pixels of an image, row0_column0 and so on, as tokenize features " +
	"--image names them")

// A PixelShare is a share averaged over images, and its 95 % interval over images.
type PixelShare struct {
	Mean      float64
	Low, High *float64 // nil for a single image
}

// A tally adds up numbers of pixels, one number for each image. A number may be negative.
type tally struct {
	images      int
	sum, square float64 // exact up to 2⁵³
}

func (t *tally) add(pixels int) {
	x := float64(pixels)
	t.images, t.sum, t.square = t.images+1, t.sum+x, t.square+x*x
}

// share returns the mean as a share of pixels. The mean and its interval are in [least, 1].
func (t *tally) share(pixels int, least float64) PixelShare {
	n, of := float64(t.images), float64(pixels)
	mean := t.sum / n
	s := PixelShare{Mean: mean / of}
	if t.images > 1 {
		deviation := math.Sqrt(max(0, t.square-n*mean*mean) / (n - 1))
		low, high := MeanInterval(s.Mean, deviation/of, t.images)
		low, high = max(low, least), min(high, 1)
		s.Low, s.High = &low, &high
	}
	return s
}

// A Baseline predicts one image for all images.
type Baseline struct {
	on           []bool
	right, gains tally
}

// NewBaseline returns the baseline that predicts the image on.
func NewBaseline(on []bool) *Baseline { return &Baseline{on: on} }

// A Pixels measures how well images are reconstructed: it adds up right pixels, which are on or off. Its intervals take
// images as independent, but not the pixels within an image.
type Pixels struct {
	pixels    int
	right     tally
	baselines []*Baseline
}

// NewPixels returns an empty score for images with the given number of pixels, beside baselines.
func NewPixels(pixels int, baselines ...*Baseline) *Pixels {
	return &Pixels{pixels: pixels, baselines: baselines}
}

// Add adds an image: the pixels that are on, and the pixels that the model predicts to be on.
func (s *Pixels) Add(on, predicted []bool) {
	right := agreeing(on, predicted)
	s.right.add(right)
	for _, b := range s.baselines {
		of := agreeing(on, b.on)
		b.right.add(of)
		b.gains.add(right - of)
	}
}

func agreeing(a, b []bool) (n int) {
	for i := range a {
		if a[i] == b[i] {
			n++
		}
	}
	return n
}

// Images returns the number of images.
func (s *Pixels) Images() int { return s.right.images }

// Baselines returns the number of baselines.
func (s *Pixels) Baselines() int { return len(s.baselines) }

// Right returns the share of right pixels. There must be an image.
func (s *Pixels) Right() PixelShare { return s.right.share(s.pixels, 0) }

// Of returns the i-th baseline's share of right pixels, and the model's gain over it. The gain is a difference within
// images.
func (s *Pixels) Of(i int) (right, gain PixelShare) {
	b := s.baselines[i]
	return b.right.share(s.pixels, 0), b.gains.share(s.pixels, -1)
}

// A MeanImage is a mean of images.
type MeanImage struct {
	images int
	on     []int
}

// NewMeanImage returns an empty mean for images with the given number of pixels.
func NewMeanImage(pixels int) *MeanImage { return &MeanImage{on: make([]int, pixels)} }

// Add adds an image, given the pixels that are on.
func (m *MeanImage) Add(on []uint32) {
	m.images++
	for _, pixel := range on {
		m.on[pixel]++
	}
}

// Images returns the number of images.
func (m *MeanImage) Images() int { return m.images }

// On returns the pixels that are on in more than half of the images. No image has more pixels in common with the images
// on average.
func (m *MeanImage) On() []bool {
	on := make([]bool, len(m.on))
	for i, n := range m.on {
		on[i] = 2*n > m.images
	}
	return on
}

// OnPixels returns for each pixel whether it is among the numbers in on.
func OnPixels(pixels int, on []uint32) []bool {
	all := make([]bool, pixels)
	for _, pixel := range on {
		all[pixel] = true
	}
	return all
}

// Above returns for each probability whether it is above ½.
func Above(probabilities []float32) []bool {
	on := make([]bool, len(probabilities))
	for i, p := range probabilities {
		on[i] = p > 0.5
	}
	return on
}

// Outline returns an SVG path's d for the pixels that are on.
func (s Size) Outline(on []bool) string {
	shades := make([]int, len(on))
	for i := range on {
		if on[i] {
			shades[i] = 1
		}
	}
	for _, path := range s.Paths(shades) {
		return path.D
	}
	return ""
}

// A Path is the outline of an image's pixels with one shade. It is an SVG path's d with pixels of size 1 × 1.
type Path struct {
	Shade int
	D     string
}

// Strength returns the shade's magnitude.
func (p Path) Strength() int { return max(p.Shade, -p.Shade) }

// Paths returns a path for each shade except 0, in ascending order. shades has one shade for each pixel, row by row.
func (s Size) Paths(shades []int) (all []Path) {
	of := make(map[int]*strings.Builder)
	for row := range s.Rows {
		for first := 0; first < s.Columns; {
			shade, end := shades[row*s.Columns+first], first+1
			for end < s.Columns && shades[row*s.Columns+end] == shade {
				end++
			}
			if shade != 0 {
				if of[shade] == nil {
					of[shade] = new(strings.Builder)
				}
				fmt.Fprintf(of[shade], "M%d %dh%dv1h%dz", first, row, end-first, first-end)
			}
			first = end
		}
	}
	for shade, d := range of {
		all = append(all, Path{shade, d.String()})
	}
	slices.SortFunc(all, func(a, b Path) int { return a.Shade - b.Shade })
	return all
}
