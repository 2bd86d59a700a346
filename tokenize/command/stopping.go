package command

import (
	"context"
	"privpipe/pipelines/vocabulary"
	"privpipe/tokenize/internal/bag"
	"privpipe/tokenize/internal/words"
)

// stopping is the flag of vocab.
type stopping struct {
	Stop string `placeholder:"FILE" help:"Leave out the words of FILE, a PUBLIC list with a word a line. Function words would take the places of other words."`
}

// stopWords reads the list. It returns nil without one.
func (s *stopping) stopWords(ctx context.Context, rule words.Rule) (*bag.Index, []list, error) {
	return leftOut(ctx, rule, nil, s.Stop)
}

// outside has the flags of terms. They name lists of words to leave out.
type outside struct {
	Stop    string `placeholder:"FILE" help:"Leave out the words of FILE, a PUBLIC list with a word a line; by default 740 English stop words; none: leave out none."`
	Outside string `placeholder:"FILE" help:"Leave out the words of FILE, too: a PUBLIC dictionary the run has anyway."`
}

// noStop is the value of --stop that means no list.
const noStop = "none"

// lists are the files that the flags name.
func (o *outside) lists() []string {
	if o.Stop == noStop {
		return []string{o.Outside}
	}
	return []string{o.Stop, o.Outside}
}

// words reads the lists.
func (o *outside) words(ctx context.Context, rule words.Rule) (*bag.Index, []list, error) {
	var stop []string
	if o.Stop == "" {
		stop = vocabulary.StopWords()
	}
	return leftOut(ctx, rule, stop, o.lists()...)
}

// leftOut returns an index of the words in all and in the files; nil if there are no words. It also returns the lists
// in the files. A file without a name counts as empty.
func leftOut(ctx context.Context, rule words.Rule, all vocabulary.Words, files ...string) (*bag.Index, []list, error) {
	var lists []list
	for _, file := range files {
		if file == "" {
			continue
		}
		stop, lines, err := vocabulary.OpenLines(ctx, file)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, stop...)
		lists = append(lists, list{file, stop, lines})
	}
	if len(all) == 0 {
		return nil, nil, nil
	}
	return bag.NewIndex(all, rule), lists, nil
}
