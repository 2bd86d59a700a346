package mean

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
)

// ChooseCommand is mstep choose.
type ChooseCommand struct {
	Number     int    `default:"12000" placeholder:"V" help:"Choose V words (default ${default})."`
	Keep       string `placeholder:"FILE" help:"Choose the words of FILE, a PUBLIC list with a word a line, whatever their frequency."`
	Vocabulary string `required:"" output:"" placeholder:"FILE" help:"Write the chosen words to FILE, the most frequent first: a vocabulary for tokenize cut and for the stages after it."`
	Output     string `short:"o" placeholder:"FILE" help:"Write the model over the chosen words to FILE; standard output by default."`
	Input      string `arg:"" help:"Model file of mstep words, over a dictionary."`
	filter.Cells
	filter.Compress
}

// Help is the text that --help adds for this command.
func (*ChooseCommand) Help() string {
	return "All of it is post-processing of a release, so it costs no ε. The sampling, the noise and the rounds of " +
		"what is released next must not " +
		"follow from the release; its vocabulary may (account/ACCOUNTING.md)."
}

// Validate is kong's hook.
func (c *ChooseCommand) Validate() error {
	if c.Number < 1 || c.Number > wire.MaxVocabulary {
		return fmt.Errorf("--number must be from 1 to %d, is %d", wire.MaxVocabulary, c.Number)
	}
	return nil
}

// Run is kong's hook.
func (c *ChooseCommand) Run(r *filter.Run) error {
	if err := cmp.Or(endpoint.Distinct(r, c.Output, c.Input, c.Vocabulary), r.Check(c.Input, c.Keep)); err != nil {
		return err
	}
	file, err := modelfile.Read(r, c.Input, c.MaxCells)
	if err != nil {
		return err
	}
	if file.Family != families.Words {
		return exit.Errorf(exit.Malformed, "%s: a model of %s, must be of words", c.Input, file.Family.Name)
	}
	frequencies, err := families.Probabilities.Of(file.Set, file.Size)
	if err != nil {
		return exit.Errorf(exit.Malformed, "%s: %w", c.Input, err)
	}
	rounds, err := families.Rounds.Of(file.Set)
	if err != nil {
		return exit.Errorf(exit.Malformed, "%s: %w", c.Input, err)
	}
	kinds, err := families.KindsOf(file.Set)
	if err != nil {
		return exit.Errorf(exit.Malformed, "%s: %w", c.Input, err)
	}
	exact, err := model.ExactOf(file.Set)
	if err != nil {
		return exit.Errorf(exit.Malformed, "%s: %w", c.Input, err)
	}
	keep, err := c.kept(r, file.Words)
	if err != nil || r.DryRun() {
		return err
	}
	ids := choose(frequencies, keep, c.Number)
	chosen, total := make(vocabulary.Words, len(ids)), 0.0
	for i, id := range ids {
		chosen[i] = file.Words[id]
		total += frequencies[id]
	}
	probabilities := make([]float64, len(ids))
	for i, id := range ids {
		probabilities[i] = frequencies[id] / total
	}
	s := new(model.Snapshot)
	families.Rounds.Put(s, rounds)
	families.Probabilities.Put(s, model.Size{Words: len(chosen)}, probabilities)
	families.PutKinds(s, kinds)
	var list bytes.Buffer
	if err := chosen.Write(&list); err != nil {
		return err
	}
	if err := endpoint.WriteFile(r, c.Vocabulary, wire.Side_PUBLIC, list.Bytes()); err != nil {
		return err
	}
	h := &wire.Header{
		Version: wire.Version, Kind: wire.Kind_PARAMETERS, Side: wire.Side_PUBLIC, Run: file.Header.Run,
		Model:      families.Words.Name,
		Vocabulary: chosen.Hash(), VocabularySize: uint32(len(chosen)), Matrices: s.Matrices,
	}
	return modelfile.Write(r, c.Output, c.Compress.Compress, h, chosen, file.Set.Round, exact, s)
}

// kept returns the words of --keep as ids. All must be in the dictionary.
func (c *ChooseCommand) kept(ctx context.Context, dictionary []string) (ids []int, err error) {
	if c.Keep == "" {
		return nil, nil
	}
	keep, err := vocabulary.Open(ctx, c.Keep)
	if err != nil {
		return nil, err
	}
	for i, word := range keep {
		id := slices.Index(dictionary, word)
		if id < 0 {
			return nil, exit.Errorf(exit.Malformed, "%s: word %d is not in the vocabulary of %s", c.Keep, i+1, c.Input)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// choose returns the ids of number words, the most frequent first. It takes all words in keep, and then the most
// frequent other words.
func choose(frequencies []float64, keep []int, number int) []int {
	kept := make(map[int]bool, len(keep))
	for _, id := range keep {
		kept[id] = true
	}
	ids := make([]int, len(frequencies))
	for id := range ids {
		ids[id] = id
	}
	slices.SortStableFunc(ids, func(a, b int) int {
		if kept[a] != kept[b] {
			if kept[a] {
				return -1
			}
			return 1
		}
		return cmp.Compare(frequencies[b], frequencies[a])
	})
	ids = ids[:min(max(number, len(keep)), len(ids))]
	slices.SortStableFunc(ids, func(a, b int) int { return cmp.Compare(frequencies[b], frequencies[a]) })
	return ids
}
