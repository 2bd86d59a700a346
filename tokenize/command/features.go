package command

import (
	"bytes"
	"errors"
	"fmt"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/features"
)

// Features writes the vocabulary of rows, of vectors or of images.
type Features struct {
	Schema    string              `placeholder:"FILE" help:"The features of rows with this schema, in the order of the columns; a category has one for each value."`
	Dimension int                 `placeholder:"NUMBER" help:"The features x1, x2 and so on of vectors with this many numbers, after --project or --projection."`
	Image     *features.ImageSize `placeholder:"ROWSxCOLUMNS" help:"The pixels of images of this size, row by row."`
	Output    string              `short:"o" placeholder:"FILE" help:"Write the features to FILE; standard output by default."`
}

// Help is what --help adds for this command.
func (*Features) Help() string {
	return "The list is the vocabulary of the streams that tokenize rows, tokenize vectors and tokenize images " +
		"write. It follows from the schema, the dimension or the size alone, so it is public."
}

// Validate is kong's hook.
func (f *Features) Validate() error {
	given := 0
	for _, is := range []bool{f.Schema != "", f.Dimension != 0, f.Image != nil} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return errors.New("needs one of --schema, --dimension and --image")
	case f.Dimension < 0 || f.Dimension > features.MaxDimension:
		return fmt.Errorf("--dimension must be from 1 to %d, is %d", features.MaxDimension, f.Dimension)
	}
	return nil
}

// Run is kong's hook.
func (f *Features) Run(r *filter.Run) error {
	words, err := f.words(r)
	if err != nil || r.DryRun() {
		return err
	}
	var b bytes.Buffer
	if err := words.Write(&b); err != nil {
		return err
	}
	return endpoint.WriteFile(r, f.Output, wire.Side_PUBLIC, b.Bytes())
}

func (f *Features) words(r *filter.Run) (vocabulary.Words, error) {
	switch {
	case f.Image != nil:
		return f.Image.Vocabulary(), nil
	case f.Dimension > 0:
		return features.VectorFeatures(f.Dimension), nil
	}
	if err := r.Check(f.Schema); err != nil {
		return nil, err
	}
	s, err := features.OpenSchema(r, f.Schema)
	if err != nil {
		return nil, err
	}
	return s.Features(), nil
}
