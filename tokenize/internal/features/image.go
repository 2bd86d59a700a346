package features

import (
	"fmt"
	"strconv"
	"strings"

	"privpipe/pipelines/vocabulary"
)

// mostPixels keeps an image within a record, which holds two bytes for each pixel.
const mostPixels = 1 << 18

// An ImageSize is an image's number of rows and columns.
type ImageSize struct{ Rows, Columns int }

// UnmarshalText implements encoding.TextUnmarshaler: 28x28, rows first.
func (s *ImageSize) UnmarshalText(text []byte) error {
	rows, columns, _ := strings.Cut(string(text), "x")
	r, err1 := strconv.ParseUint(rows, 10, 31)
	c, err2 := strconv.ParseUint(columns, 10, 31)
	if err1 != nil || err2 != nil || r < 1 || c < 1 || r*c > mostPixels {
		return fmt.Errorf("%q is not a size of images: must be ROWSxCOLUMNS, of 1 to %d pixels", text, mostPixels)
	}
	*s = ImageSize{int(r), int(c)}
	return nil
}

func (s ImageSize) String() string { return fmt.Sprintf("%dx%d", s.Rows, s.Columns) }

// Vocabulary returns the names of the pixels, row by row.
func (s ImageSize) Vocabulary() vocabulary.Words {
	var words vocabulary.Words
	for row := range s.Rows {
		for column := range s.Columns {
			words = append(words, fmt.Sprintf("row%d_column%d", row, column))
		}
	}
	return words
}

// An Image has the intensities of its pixels, row by row, from 0 (off) to 255 (on). Label is the name of its class,
// which may be empty.
type Image struct {
	Pixels []byte
	Label  string
}
