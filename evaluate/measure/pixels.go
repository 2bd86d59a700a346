package measure

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"privpipe/evaluate/internal/result"
	"privpipe/evaluate/internal/score"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// Pixels measures the reconstruction of images.
type Pixels struct {
	Mean    string `placeholder:"FILE" help:"Measure the mean of these images, too, as a prediction for every image. Give the training images: FILE is DOCUMENTS of tokenize images, over the same pixels."`
	Picture string `output:"" placeholder:"FILE" help:"Draw the first images beside their reconstructions into FILE.svg or FILE.png. It shows content."`
	Images  int    `default:"10" placeholder:"N" help:"Draw N images (default ${default})."`
	//lint:ignore SA5008 kong reads every set
	ofStream `set:"form=a table" set:"stream=predictions of pixels"`
}

// maxDrawn bounds the images in a picture.
const maxDrawn = 1000

// Help is kong's hook.
func (Pixels) Help() string {
	return "A pixel is predicted to be on where its probability is above one half. The result is the share of pixels " +
		"that are predicted right. " +
		"Beside it stands that of an image whose pixels are all off and, with --mean, that of the pixels that are on " +
		"in more than half of the " +
		"images of FILE. The mean of the scored images would know them, so it is no baseline: take the training " +
		"images.\n\n" +
		"Intervals have 95 % confidence, over independent images (Student's t). The gain is the mean difference " +
		"within images.\n\n" +
		"The picture has a row for each image: the image, the probabilities of its pixels, and the pixels above one " +
		"half. Black is on."
}

// Validate is kong's hook.
func (c *Pixels) Validate() error {
	ending := filepath.Ext(c.Picture)
	switch {
	case c.Picture != "" && ending != ".svg" && ending != ".png":
		return fmt.Errorf("--picture must end in .svg or .png, is %s", c.Picture)
	case c.Images < 1 || c.Images > maxDrawn:
		return fmt.Errorf("--images must be in [1, %d], is %d", maxDrawn, c.Images)
	}
	return nil
}

// Run is kong's hook.
func (c *Pixels) Run(r *filter.Run) error {
	if err := endpoint.Once(r, []string{c.Input, c.Mean}); err != nil {
		return err
	}
	in, err := OpenPredictions(r, c.Input, endpoint.Wanted{})
	if err != nil {
		return err
	}
	defer in.Close()
	baselines := []*score.Baseline{score.NewBaseline(make([]bool, in.Header.VocabularySize))}
	side := in.Header.Side
	if c.Mean != "" {
		mean, of, err := readMean(r, c.Mean, in)
		if err != nil {
			return err
		}
		baselines = append(baselines, score.NewBaseline(mean.On()))
		if of == wire.Side_PRIVATE {
			side = of
		}
	}
	warn(r, side, "images", "a measure")
	if c.Picture != "" && in.Header.Side == wire.Side_PRIVATE {
		r.Log.Warn("the picture shows the content of private images")
	}
	r.Show(c.Output, in.meter.Line)
	drawn := 0
	if c.Picture != "" {
		drawn = c.Images
	}
	scored, picture, err := in.Pixels(baselines, drawn)
	if err != nil || r.DryRun() {
		return err
	}
	if c.Picture != "" {
		if err := c.draw(r, in.Header.Side, picture); err != nil {
			return err
		}
	}
	return c.Print(r, side, pixelResult(scored))
}

// Pixels scores the predictions beside baselines. It keeps the first images for the picture, at most drawn.
func (in *Predictions) Pixels(baselines []*score.Baseline, drawn int) (*score.Pixels, *score.Picture, error) {
	n := int(in.Header.VocabularySize)
	scored, picture := score.NewPixels(n, baselines...), new(score.Picture)
	var ids []uint32
	err := in.all(func(p *wire.Prediction) (err error) {
		if scored.Images() == 0 {
			if picture.Size, err = score.SizeOf(in.Columns); err != nil {
				return exit.Errorf(exit.Malformed, "%s: %w", in.Name(), err)
			}
		}
		ids = wire.AppendIDs(ids[:0], p.TruthGaps)
		on, of := score.OnPixels(n, ids), probabilitiesOf(p)
		scored.Add(on, score.Above(of))
		if len(picture.Images) < drawn {
			picture.Images = append(picture.Images, score.Image{On: on, Probabilities: of})
		}
		return nil
	})
	if err == nil && scored.Images() == 0 {
		err = exit.Errorf(exit.Malformed, "%s: no predictions", in.Name())
	}
	return scored, picture, err
}

// readMean reads the images in a stream, which must have the same pixels as the predictions. It returns their mean and
// the stream's side.
func readMean(ctx context.Context, name string, of *Predictions) (*score.MeanImage, wire.Side, error) {
	in, err := Open(ctx, name, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}})
	if err != nil {
		return nil, 0, err
	}
	defer in.Close()
	h := in.Header
	if h.VocabularySize != of.Header.VocabularySize || !slices.Equal(h.Vocabulary, of.Header.Vocabulary) {
		return nil, 0, exit.Errorf(exit.Malformed, "%s and %s are not over the same pixels", name, of.Name())
	}
	mean := score.NewMeanImage(int(h.VocabularySize))
	var ids []uint32
	for {
		record, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, 0, err
		}
		ids = wire.AppendIDs(ids[:0], record.GetDocument().WordGaps)
		mean.Add(ids)
	}
	if mean.Images() == 0 {
		return nil, 0, exit.Errorf(exit.Malformed, "%s: no images", name)
	}
	return mean, h.Side, nil
}

// draw writes the picture.
func (c *Pixels) draw(ctx context.Context, side wire.Side, picture *score.Picture) error {
	draw := picture.SVG
	if filepath.Ext(c.Picture) == ".png" {
		draw = picture.PNG
	}
	drawn, err := draw()
	if err != nil {
		return err
	}
	return endpoint.WriteFile(ctx, c.Picture, side, drawn)
}

type pixelShare struct {
	Right float64    `json:"right"`
	Low   *float64   `json:"right_low,omitempty"` // missing for a single image
	High  *float64   `json:"right_high,omitempty"`
	Gain  *pixelGain `json:"gain,omitempty"` // the model's, over a baseline
}

type pixelGain struct {
	Mean float64  `json:"mean"`
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
}

// pixelResult returns the model's share of right pixels, beside the baselines', as a result.
func pixelResult(scored *score.Pixels) *result.Result {
	model := scored.Right()
	of := map[string]any{"images": scored.Images(), "model": pixelShare{model.Mean, model.Low, model.High, nil}}
	baselines := []struct{ key, name string }{{"all_off", "all pixels off"}, {"mean_image", "mean image"}}
	baselines = baselines[:scored.Baselines()]
	for i, b := range baselines {
		right, gain := scored.Of(i)
		of[b.key] = pixelShare{right.Mean, right.Low, right.High, &pixelGain{gain.Mean, gain.Low, gain.High}}
	}
	return &result.Result{JSON: of, Text: func(w io.Writer) {
		fmt.Fprintf(w, "right pixels\tshare\t95 %% interval\tgain of the model\t95 %% interval\timages\n")
		fmt.Fprintf(w, "model\t%.4f\t%s\t-\t-\t%d\n", model.Mean, ends(model), scored.Images())
		for i, b := range baselines {
			right, gain := scored.Of(i)
			fmt.Fprintf(w, "%s\t%.4f\t%s\t%+.4f\t%s\t%d\n", b.name, right.Mean, ends(right), gain.Mean,
				ends(gain), scored.Images())
		}
	}}
}

func ends(s score.PixelShare) string {
	if s.Low == nil {
		return "-"
	}
	return fmt.Sprintf("%.4f to %.4f", *s.Low, *s.High)
}
