package main

import (
	"bytes"

	"privpipe/evaluate/internal/page"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/model/publictext"
)

// addOrigins says how much of each topic is the data's own, if the model says so.
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
func (c *reportCommand) addStart(p *page.Page, file *modelfile.File, cells []float64) error {
	start, err := modelfile.Read(c.Start, c.MaxCells)
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

// refuseOtherStart refuses a file that cannot be the start of the model. A start names its run only if mstep was told one. Without it, a start of
// another run over the same words, public text and number of topics passes.
func refuseOtherStart(start, file *modelfile.File) error {
	digest, public := publictext.DigestOf(start.Set)
	of, informed := publictext.DigestOf(file.Set)
	switch {
	case start.Family != file.Family:
		return exit.Errorf(exit.Malformed, "%s is a model of %s, %s of %s", start.Name, start.Family.Name, file.Name, file.Family.Name)
	case !bytes.Equal(start.Header.Vocabulary, file.Header.Vocabulary):
		return exit.Errorf(exit.Malformed, "%s and %s are over different vocabularies", start.Name, file.Name)
	case start.Size != file.Size:
		return exit.Errorf(exit.Malformed, "%s has %d topics, %s has %d", start.Name, start.Size.Components, file.Name, file.Size.Components)
	case start.Set.Round != 0:
		return exit.Errorf(exit.Malformed, "%s is a model after round %d, not one before the first release", start.Name, start.Set.Round).
			WithHint("mstep lda --start-out writes one")
	case start.Header.Run != "" && start.Header.Run != file.Header.Run:
		return exit.Errorf(exit.Malformed, "%s is of run %q, and %s is of run %q", start.Name, start.Header.Run, file.Name, file.Header.Run)
	case digest != of || public != informed:
		return exit.Errorf(exit.Malformed, "%s and %s are of different public text", start.Name, file.Name)
	}
	return nil
}
