package main

import (
	"privpipe/pipelines/vocabulary"
	"privpipe/tokenize/internal/bag"
	"privpipe/tokenize/internal/words"
)

// stopping is the flag of the commands from which a vocabulary is made.
type stopping struct {
	Stop string `placeholder:"FILE" help:"Leave out the words of FILE, a PUBLIC list with a word a line. Function words would take the places of other words."`
}

// stopWords reads the list; nil without one.
func (s *stopping) stopWords(rule words.Rule) (*bag.Index, error) {
	if s.Stop == "" {
		return nil, nil
	}
	list, err := vocabulary.Open(s.Stop)
	if err != nil {
		return nil, err
	}
	return bag.NewIndex(list, rule), nil
}
