package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/endpoint/plain"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/metrics"
	"privpipe/pipelines/progress"
	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/features"
	"privpipe/tokenize/internal/name"
	"privpipe/tokenize/streams"
)

// Images makes documents of images.
type Images struct {
	Image     features.ImageSize `default:"28x28" placeholder:"ROWSxCOLUMNS" help:"Size of every image in pixels (default ${default}). Images of another size are malformed."`
	Binarise  *int               `placeholder:"INTENSITY" help:"A pixel is on from this intensity on, of 255 (default 128)."`
	Bernoulli bool               `help:"A pixel is on with probability intensity/255 instead."`
	Seed      *uint64            `zero:"" placeholder:"N" help:"Public seed of the coins of --bernoulli (default 1)."`
	Labels    []string           `sep:"none" placeholder:"FILE" help:"Read the labels of an IDX file from the IDX file FILE. Repeat it for each input, in their order."`
	output
	naming
	Inputs []string `arg:"" optional:"" help:"IDX files, as MNIST has, and folders of PNG files, whose subfolders are labels; standard input (IDX) by default."`
}

// Help is what --help adds for this command.
func (*Images) Help() string {
	return "A pixel is a word of the vocabulary that tokenize features --image writes; a pixel that is on has count " +
		"1. The coins of " +
		"--bernoulli follow from the seed and the intensities of the image alone, so images with equal pixels have " +
		"equal coins. The number " +
		"of the image would be a position, which changes if an earlier image is removed. A colour counts as its " +
		"luminance. An image is named by a hash of its document, whatever its file is called. Equal documents have " +
		"suffixes: -2, -3 and so on. " +
		"Names take 60 bytes of memory an image."
}

// Validate is kong's hook.
func (i *Images) Validate() error {
	switch {
	case i.Bernoulli && i.Binarise != nil:
		return errors.New("--binarise and --bernoulli exclude each other")
	case i.Seed != nil && !i.Bernoulli:
		return errors.New("--seed needs --bernoulli")
	case i.Binarise != nil && (*i.Binarise < 1 || *i.Binarise > 255):
		return fmt.Errorf("--binarise must be in [1, 255], is %d", *i.Binarise)
	case len(i.Labels) > 0 && len(i.Labels) != len(i.inputs()):
		return fmt.Errorf("%d --labels for %d inputs: each input needs its own", len(i.Labels), len(i.inputs()))
	}
	return i.naming.Validate()
}

func (i *Images) inputs() []string {
	if len(i.Inputs) == 0 {
		return []string{endpoint.Stdio}
	}
	return i.Inputs
}

// rule returns the rule that the flags state.
func (i *Images) rule() features.ImageRule {
	switch {
	case i.Bernoulli && i.Seed == nil:
		return features.Bernoulli(i.Image, 1)
	case i.Bernoulli:
		return features.Bernoulli(i.Image, *i.Seed)
	case i.Binarise == nil:
		return features.Binarise(i.Image, 128)
	}
	return features.Binarise(i.Image, byte(*i.Binarise))
}

// Run is kong's hook.
func (i *Images) Run(r *filter.Run) error {
	all := append(i.inputs(), i.Labels...)
	if err := i.checkTopics(all...); err != nil {
		return err
	}
	if err := endpoint.Once(r, all); err != nil {
		return err
	}
	if err := r.Check(all...); err != nil || r.DryRun() {
		return err
	}
	rule := i.rule()
	out, err := i.create(r, i.Image.Vocabulary(), rule.Settings())
	if err != nil {
		return err
	}
	defer out.Abort()
	c := &imageConversion{run: r, out: out, rule: rule, namer: name.NewNamer(i.Prefix), meter: newMeter()}
	r.Show(i.Output, c.meter.Line)
	for n, input := range i.inputs() {
		if err := i.read(r, c, n, input); err != nil {
			return err
		}
	}
	if c.documents == 0 {
		return streams.ErrEmpty("an image", i.inputs()...)
	}
	return counted{documents: c.documents, empty: c.empty}.commit(r, out)
}

// read converts the images of the n-th input.
func (i *Images) read(ctx context.Context, c *imageConversion, n int, input string) error {
	if info, err := os.Stat(input); err == nil && info.IsDir() {
		if len(i.Labels) > 0 {
			return exit.Errorf(exit.Usage, "%s is a folder, whose subfolders are labels: leave out --labels", input)
		}
		folder, err := features.NewImageFolder(input, i.Image)
		if err != nil {
			return err
		}
		return c.convert(folder.Next)
	}
	in, err := plain.OpenCounting(ctx, input, &c.meter.Done)
	if err != nil {
		return err
	}
	defer in.Close()
	var labels io.Reader
	labelsName := ""
	if len(i.Labels) > 0 {
		opened, err := plain.Open(ctx, i.Labels[n])
		if err != nil {
			return err
		}
		defer opened.Close()
		labels, labelsName = opened, opened.Name
	}
	idx, err := features.NewIDX(in, in.Name, i.Image, labels, labelsName)
	if err != nil {
		return err
	}
	return c.convert(idx.Next)
}

// An imageConversion turns images into documents, and writes them.
type imageConversion struct {
	run    *filter.Run
	out    *endpoint.StreamWriter
	rule   features.ImageRule
	namer  *name.Namer
	hasher name.Hasher
	meter  *progress.Meter

	documents, empty uint64
}

// convert writes a document for each image that next returns.
func (c *imageConversion) convert(next func() (features.Image, error)) error {
	for c.run.Err() == nil {
		image, err := next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		d := c.rule.Document(image)
		d.Id = c.namer.Name(c.hasher.Document(d))
		if err := checkNames(d); err != nil {
			return exit.Errorf(exit.Malformed, "%w", err)
		}
		if c.documents++; len(d.Counts) == 0 {
			c.empty++
		}
		metrics.Documents(1)
		c.meter.Documents.Add(1)
		if err := c.out.Write(&wire.Record{Body: &wire.Record_Document{Document: d}}); err != nil {
			return err
		}
	}
	return c.run.Err()
}
