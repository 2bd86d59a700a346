package chart

import (
	"bytes"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// SVG returns the figure as an SVG document.
func (f *Figure) SVG() ([]byte, error) {
	b, err := f.render(func(width, height vg.Length) vg.CanvasWriterTo { return vgsvg.New(width, height) })
	// The layout was made with Liberation Sans. If it is not installed, Arial and Helvetica have letters of the same
	// width.
	const family = "font-family:Liberation Sans"
	return bytes.ReplaceAll(b, []byte(family+";"), []byte(family+",Arial,Helvetica,sans-serif;")), err
}

// PNG returns the figure as a PNG image. It has about twice the size that the figure is meant to be seen at.
func (f *Figure) PNG() ([]byte, error) {
	return f.render(func(width, height vg.Length) vg.CanvasWriterTo {
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(150))}
	})
}

func (f *Figure) render(canvas func(width, height vg.Length) vg.CanvasWriterTo) ([]byte, error) {
	heading := vg.Length(titleSize + lineHeight*len(f.Lines) + 16)
	width, height := panelWidth*vg.Length(len(f.Panels))+2*margin, panelHeight+heading+2*margin
	on := canvas(width, height)
	c := draw.New(on)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	inner := draw.Crop(c, margin, -margin, margin, -margin)
	f.head(inner)
	if err := f.body(draw.Crop(inner, 0, 0, 0, -heading)); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	_, err := on.WriteTo(&b)
	return b.Bytes(), err
}

// head writes the title and the lines below it.
func (f *Figure) head(c draw.Canvas) {
	y := c.Max.Y - titleSize
	c.FillText(style(titleSize, black), vg.Point{X: c.Min.X, Y: y}, f.Title)
	y -= 5
	for _, line := range f.Lines {
		y -= lineHeight
		c.FillText(style(textSize, gray), vg.Point{X: c.Min.X, Y: y}, line)
	}
}

// body draws the panels, with their axes in line.
func (f *Figure) body(c draw.Canvas) error {
	row := make([]*plot.Plot, len(f.Panels))
	for i := range f.Panels {
		p, err := f.Panels[i].plot()
		if err != nil {
			return err
		}
		row[i] = p
	}
	tiles := draw.Tiles{Rows: 1, Cols: len(row), PadX: 2 * margin}
	for i, tile := range plot.Align([][]*plot.Plot{row}, tiles, c)[0] {
		row[i].Draw(tile)
		f.Panels[i].nameBands(row[i], row[i].DataCanvas(tile))
		f.Panels[i].nameCurves(row[i], row[i].DataCanvas(tile))
	}
	return nil
}

func (panel *Panel) plot() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.Title.Padding = panel.Title, namesHeight
	setText(&p.Title.TextStyle, textSize+1)
	for _, a := range []struct {
		of   Axis
		axis *plot.Axis
	}{{panel.X, &p.X}, {panel.Y, &p.Y}} {
		a.axis.Padding = 0
		a.axis.Label.Text, a.axis.Label.Padding = a.of.Label, 4
		a.axis.Color, a.axis.Tick.Color = gray, gray
		setText(&a.axis.Label.TextStyle, textSize)
		setText(&a.axis.Tick.Label, textSize-1)
		a.axis.Tick.Marker = a.of.ticks()
	}
	for i, b := range panel.Bands {
		if i%2 == 1 {
			p.Add(panel.shade(b.From, b.To, bandGray))
		}
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = gridGray, gridGray
	grid.Horizontal.Width, grid.Vertical.Width = 0.5, 0.5
	p.Add(grid)
	p.Legend.Top, p.Legend.Left, p.Legend.XOffs, p.Legend.YOffs, p.Legend.Padding = true, true, 5, -4, 3
	p.Legend.YPosition = draw.PosCenter
	setText(&p.Legend.TextStyle, textSize)
	for _, curve := range panel.Curves {
		drawn, err := panel.plotter(&curve)
		if err != nil {
			return nil, err
		}
		p.Add(drawn)
		if curve.Name != "" && !panel.Direct {
			p.Legend.Add(curve.Name, drawn)
		}
	}
	// plot.Add widens the axes to hold the curves. The panel's own axes count.
	p.X.Min, p.X.Max = panel.X.scaled(panel.X.Min), panel.X.scaled(panel.X.Max)
	if panel.Direct {
		p.X.Max = p.X.Min + (p.X.Max-p.X.Min)/(1-namesWidth)
	}
	p.Y.Min, p.Y.Max = panel.Y.scaled(panel.Y.Min), panel.top()
	return p, nil
}
