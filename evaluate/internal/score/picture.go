package score

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
)

// An Image is an image and its reconstruction.
type Image struct {
	On            []bool
	Probabilities []float32 // that a pixel is on
}

// A Picture shows images one below the other. Each image has three columns: the image, the probabilities of its pixels,
// and its pixels with a probability above ½. Black is on.
type Picture struct {
	Size   Size
	Images []Image
}

// The gap between images, in pixels, and its shade.
const gap, gapShade = 2, 200

const columns = 3

// raster returns the picture with one pixel for each image pixel.
func (p *Picture) raster() *image.Gray {
	g := image.NewGray(image.Rect(0, 0, gap+columns*(p.Size.Columns+gap), gap+len(p.Images)*(p.Size.Rows+gap)))
	for i := range g.Pix {
		g.Pix[i] = gapShade
	}
	for n, of := range p.Images {
		predicted := Above(of.Probabilities)
		for i := range of.On {
			shades := [columns]uint8{ink(of.On[i]), uint8(255 * (1 - of.Probabilities[i])), ink(predicted[i])}
			for column, shade := range shades {
				x := gap + column*(p.Size.Columns+gap) + i%p.Size.Columns
				g.SetGray(x, gap+n*(p.Size.Rows+gap)+i/p.Size.Columns, color.Gray{Y: shade})
			}
		}
	}
	return g
}

func ink(on bool) uint8 {
	if on {
		return 0
	}
	return 255
}

// PNG returns the picture with 4 × 4 pixels for each image pixel.
func (p *Picture) PNG() ([]byte, error) {
	const scale = 4
	small := p.raster()
	size := small.Bounds().Size()
	large := image.NewGray(image.Rect(0, 0, scale*size.X, scale*size.Y))
	for y := range scale * size.Y {
		for x := range scale * size.X {
			large.SetGray(x, y, small.GrayAt(x/scale, y/scale))
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, large)
	return b.Bytes(), err
}

// SVG returns the picture with 4 × 4 units for each image pixel.
func (p *Picture) SVG() ([]byte, error) {
	const scale = 4
	g := p.raster()
	size := g.Bounds().Size()
	shades := make([]int, len(g.Pix))
	for i, shade := range g.Pix {
		shades[i] = 255 - int(shade) // white is the ground
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" shape-rendering="crispEdges">`+"\n",
		scale*size.X, scale*size.Y, size.X, size.Y)
	fmt.Fprintf(&b, "<title>%d images: each image, the probabilities of its pixels, and the pixels above one "+
		"half</title>\n", len(p.Images))
	fmt.Fprintf(&b, `<path fill="#fff" d="M0 0h%dv%dh-%dz"/>`+"\n", size.X, size.Y, size.X)
	for _, path := range (Size{Rows: size.Y, Columns: size.X}).Paths(shades) {
		shade := 255 - path.Shade
		fmt.Fprintf(&b, `<path fill="#%02x%02x%02x" d="%s"/>`+"\n", shade, shade, shade, path.D)
	}
	fmt.Fprint(&b, "</svg>\n")
	return b.Bytes(), nil
}
