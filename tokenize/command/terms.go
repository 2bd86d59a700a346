package command

import (
	"fmt"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/bag"
	"privpipe/tokenize/internal/name"
)

// Terms spells out the distinct words of texts.
type Terms struct {
	outside
	MinLetters int    `default:"3" help:"Leave out words of fewer letters, except in scripts without spaces."`
	Output     string `short:"o" placeholder:"FILE" help:"Write the terms to FILE; standard output by default."`
	wording
	filter.Compress
	texts
}

// Help is what --help adds for this command.
func (*Terms) Help() string {
	return "privatize select makes a vocabulary of the terms, with noise and a threshold, and charges the ledger. " +
		"The terms themselves are as private as the text. A record of the stream holds 880 kB, some 80,000 distinct " +
		"words. A document with more distinct words is truncated: a hash of its words picks the words to keep.\n\n" +
		formatsHelp + "\n\n" + namesHelp
}

func (t *Terms) Validate() error {
	if t.MinLetters < 1 {
		return fmt.Errorf("--min-letters must be at least 1, is %d", t.MinLetters)
	}
	return t.texts.Validate()
}

func (t *Terms) Run(r *filter.Run) error {
	if err := endpoint.CheckOutput(t.Output, wire.Side_PRIVATE); err != nil {
		return err
	}
	if err := r.Check(append(t.names(), append(t.lists(), t.Phrases)...)...); err != nil {
		return err
	}
	rule, err := t.rule(r)
	if err != nil {
		return err
	}
	stop, lists, err := t.words(r, rule)
	if err != nil {
		return err
	}
	in, err := t.open(r, t.files)
	if err != nil || r.DryRun() {
		return err
	}
	h := &wire.Header{Version: wire.Version, Kind: wire.Kind_TERMS, Side: wire.Side_PRIVATE}
	out, err := endpoint.CreateStream(r, t.Output, h, t.Compress.Compress)
	if err != nil {
		return err
	}
	defer out.Abort()

	t.spelling = rule.User
	spellers := make([]speller, t.N())
	recorders := make([]recorder, t.N())
	for i := range spellers {
		spellers[i].collector = bag.NewCollector(t.MinLetters, stop, rule)
		recorders[i] = &spellers[i]
	}
	total, err := t.convert(r, show(r, t.Output, in), in, out, recorders)
	if err != nil {
		return err
	}
	warnDead(r, lists, rule, total.lists)
	cut := uint64(0)
	for _, s := range spellers {
		cut += s.cut
	}
	return total.commit(r, out, &wire.Tally{Name: "cut", Value: cut})
}

// A speller spells out the words of texts.
type speller struct {
	collector *bag.Collector
	hasher    name.Hasher
	cut       uint64 // number of truncated documents
}

func (s *speller) record(of document) (e entry, err error) {
	d := of.names
	all := s.collector.Words(of.text)
	if d.Id == "" {
		e.content = s.hasher.Terms(d.User, all)
	}
	words, cut := bag.Cut(all)
	if cut {
		s.cut++
	}
	e.record = &wire.Record{Body: &wire.Record_Terms{Terms: &wire.Terms{Id: d.Id, User: d.User, Words: words}}}
	e.names, e.empty = d, len(words) == 0
	return e, nil
}
