package report

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"privpipe/evaluate/internal/page"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/model/publictext"
)

// addNames adds the names that a list of topics gave.
func addNames(p *page.Page, file *modelfile.File) error {
	if file.Family != lda.Family {
		return nil
	}
	names, err := lda.NamesOf(file.Set, file.Size)
	if err != nil {
		return exit.Errorf(exit.Malformed, "%s: %w", file.Name, err)
	}
	p.Topics.AddNames(names)
	return nil
}

// addOrigins adds each topic's origin: the share that is the data's own. Models without public text state none.
func addOrigins(p *page.Page, file *modelfile.File) error {
	if file.Family != lda.Family {
		return nil
	}
	origins, err := lda.OriginsOf(file.Set, file.Size)
	if err != nil {
		return exit.Errorf(exit.Malformed, "%s: %w", file.Name, err)
	}
	if origins == nil {
		return nil
	}
	all := make([]page.Origin, len(origins))
	for k, o := range origins {
		all[k] = page.Origin(o)
	}
	p.Topics.AddOrigins(all)
	return nil
}

// addStart adds the topics before the first release, from a file that fits the model.
func (c *Report) addStart(ctx context.Context, p *page.Page, file *modelfile.File, cells []float64) error {
	start, err := modelfile.Read(ctx, c.Start, c.MaxCells)
	if err != nil {
		return err
	}
	if err := refuseOtherStart(start, file); err != nil {
		return err
	}
	topics, err := start.Topics()
	if err != nil {
		return err
	}
	p.Topics.AddStart(file.Words, topics.Cells, cells)
	p.Sources = append(p.Sources, page.Row{Name: "start", Value: described(c.Start)})
	return nil
}

// refuseOtherStart refuses a file that cannot be the model's start. A start names its run only if mstep was told the
// run. Without a name, a start from another run passes if it has the same words, public text and number of topics.
func refuseOtherStart(start, file *modelfile.File) error {
	digest, public := publictext.DigestOf(start.Set)
	of, informed := publictext.DigestOf(file.Set)
	switch {
	case start.Family != file.Family:
		return exit.Errorf(exit.Malformed, "%s is a model of %s, %s of %s", start.Name, start.Family.Name, file.Name,
			file.Family.Name)
	case !bytes.Equal(start.Header.Vocabulary, file.Header.Vocabulary):
		return exit.Errorf(exit.Malformed, "%s and %s are over different vocabularies", start.Name, file.Name)
	case start.Size != file.Size:
		return exit.Errorf(exit.Malformed, "%s has %d topics, %s has %d", start.Name, start.Size.Components, file.Name,
			file.Size.Components)
	case start.Set.Round != 0:
		return exit.Errorf(exit.Malformed, "%s is a model after round %d, not one before the first release", start.Name,
			start.Set.Round).
			WithHint("mstep lda --start-out writes one")
	case start.Header.Run != "" && start.Header.Run != file.Header.Run:
		return exit.Errorf(exit.Malformed, "%s is of run %q, and %s is of run %q", start.Name, start.Header.Run,
			file.Name, file.Header.Run)
	case digest != of || public != informed:
		return exit.Errorf(exit.Malformed, "%s and %s are of different public text", start.Name, file.Name)
	}
	return nil
}

// addKinds adds the kinds of public text that the text reads like. They come from a file of word frequencies, which
// must fit the model.
func (c *Report) addKinds(ctx context.Context, p *page.Page, file *modelfile.File) error {
	frequencies, err := modelfile.Read(ctx, c.Words, c.MaxCells)
	if err != nil {
		return err
	}
	of := func(run page.Run) bool { return run.Name == frequencies.Header.Run }
	switch {
	case frequencies.Family != families.Words:
		return exit.Errorf(exit.Malformed, "%s: a model of %s, must be of words", c.Words, frequencies.Family.Name)
	case !bytes.Equal(frequencies.Header.Vocabulary, file.Header.Vocabulary):
		return exit.Errorf(exit.Malformed, "%s and %s are over different vocabularies", c.Words, c.Model)
	case c.Ledger != "" && !slices.ContainsFunc(p.Runs, of):
		return exit.Errorf(exit.Malformed, "%s is of run %q, which %s does not charge",
			c.Words, frequencies.Header.Run, c.Ledger)
	}
	kinds, err := families.KindsOf(frequencies.Set)
	if err != nil {
		return exit.Errorf(exit.Malformed, "%s: %w", c.Words, err)
	}
	for _, k := range kinds {
		p.Topics.Kinds = append(p.Topics.Kinds, page.Kind(k))
	}
	slices.SortStableFunc(p.Topics.Kinds, func(a, b page.Kind) int { return cmp.Compare(b.Share, a.Share) })
	p.Sources = append(p.Sources, page.Row{Name: "word frequencies", Value: described(c.Words)})
	return nil
}
