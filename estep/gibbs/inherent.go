package gibbs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
)

// Inherent has the counts that bound a sweep's loss without noise by theorem 1 of HDP-LDA (equation 5). They are counts
// of the data: they are no guarantee, and they are as private as the documents.
type Inherent struct {
	Round        uint32 `json:"round"`
	Tokens       int    `json:"tokens"`
	Drawn        int    `json:"drawn"`         // tokens that were drawn again, summed over the round's sweeps
	LargestCount int    `json:"largest_count"` // the largest count of one word in one topic
	WordCount    int    `json:"word_count"`    // occurrences of the most frequent word
	OtherCount   int    `json:"other_count"`   // occurrences of the second most frequent word
}

// inherent returns the counts after a round.
func (t *table) inherent(round uint32, residents []*resident, drawn int) Inherent {
	counts, words := make([]int, t.k*t.v), make([]int, t.v)
	in := Inherent{Round: round, Drawn: drawn}
	for _, r := range residents {
		if r == nil {
			continue
		}
		for token, topic := range r.topics {
			id := int(r.ids[r.word[token]])
			counts[id*t.k+int(topic)]++
			words[id]++
			in.Tokens++
		}
	}
	slices.Sort(words)
	in.LargestCount, in.WordCount = slices.Max(counts), words[len(words)-1]
	if len(words) > 1 {
		in.OtherCount = words[len(words)-2]
	}
	return in
}

// inherentReport returns a function that adds one round's counts to a file with the lines of the rounds before. It
// replaces the file before the round's state is replaced. So a killed and resumed run has a line for each round.
func inherentReport(ctx context.Context, name string) (func(Inherent) error, error) {
	if err := endpoint.CheckKept("--inherent-report", name); err != nil {
		return nil, err
	}
	return func(in Inherent) error {
		lines, err := linesBefore(name, in.Round)
		if err != nil {
			return err
		}
		out, err := endpoint.Create(ctx, name, wire.Side_PRIVATE)
		if err != nil {
			return err
		}
		defer out.Abort()
		line, err := json.Marshal(in)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(append(lines, line...), '\n')); err != nil {
			return err
		}
		return out.Commit()
	}, nil
}

// linesBefore returns the lines of the rounds before the given one. The first round begins a new report.
func linesBefore(name string, round uint32) (lines []byte, err error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) || round == 1 {
		return nil, nil
	}
	for line := range bytes.Lines(text) {
		var in Inherent
		if err := json.Unmarshal(line, &in); err != nil {
			return nil, exit.Errorf(exit.Malformed, "%s: has a line that is no report of a round", name)
		}
		if in.Round < round {
			lines = append(lines, line...)
		}
	}
	return lines, err
}
