package command

import (
	"fmt"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
	"privpipe/sample/internal/coin"
)

// Run is kong's hook.
func (s *Command) Run(r *filter.Run) error {
	if err := endpoint.Distinct(r, s.Output, append(s.Inputs, s.Secret, s.WindowState)...); err != nil {
		return err
	}
	if r.DryRun() {
		return s.check(r)
	}
	if s.Window > 0 {
		return s.live(r)
	}
	pace, err := s.pace(r)
	if err != nil {
		return err
	}
	defer pace.close()
	documents, h, err := s.load(r)
	if err != nil {
		return err
	}
	defer documents.Close()
	header := s.header(h)
	done, err := s.done(r, header)
	if err != nil || done.ended {
		return err
	}
	if done.begun {
		if err := s.resumes(s.scheme(len(documents.Digests()))); err != nil {
			return err
		}
	}
	first := max(s.FirstRound, done.rounds+1)
	var chooser *coin.Chooser
	var scheme *wire.Scheme
	if first <= s.all() { // otherwise only the end record is missing, and sample throws no more coins
		if chooser, scheme, err = s.chooser(r, documents, h.Settings, first > 1 || done.begun); err != nil {
			return err
		}
	}
	out, err := s.create(r, header)
	if err != nil {
		return err
	}
	defer out.abort()
	r.Show(s.Output, out.meter.Line)
	waiting := func(until int) {
		r.Status("waiting for the release of round %d", until)
		out.meter.Say(fmt.Sprintf("waiting for the release of round %d", until), "")
	}
	for round := first; round <= s.all(); round++ {
		if err := pace.wait(r, round, waiting); err != nil {
			return err
		}
		out.meter.Say("", "")
		r.Round(round, s.all())
		if err := out.write(r, documents, scheme, uint32(round), chooser.Round(round)); err != nil {
			return err
		}
	}
	return out.commit()
}

// header is the header of the rounds, for documents with header h.
func (s *Command) header(h *wire.Header) *wire.Header {
	return &wire.Header{
		Version: wire.Version, Kind: wire.Kind_ROUNDS, Side: h.Side, Run: s.RunName, Unit: s.unit(),
		Vocabulary: h.Vocabulary, VocabularySize: h.VocabularySize, Values: h.Values,
	}
}

// resumes refuses a topic that holds rounds of another scheme.
func (s *Command) resumes(scheme event.Scheme) error {
	there, err := endpoint.Plan(s.Output)
	if err != nil || there == nil {
		return err
	}
	planned, err := there.Event()
	if err != nil {
		return exit.Errorf(exit.Malformed, "%s: %w", s.Output, err)
	}
	if planned.Coins = scheme.Coins; planned != scheme {
		return exit.Errorf(exit.Usage, "%s: holds rounds of %v, and this plan is %v", s.Output, planned, scheme).
			WithHint("resume with the flags that the run was begun with, or begin another run with topics of its own")
	}
	return nil
}

// done says how much of the output an earlier start wrote, if the output is a topic. A pipe or a file has nothing from
// an earlier start.
type done struct {
	rounds  int  // the last round that is whole in all parts
	reached int  // the last round that has a message in any part
	begun   bool // some part has a message of any round, or an end record
	ended   bool // every part has its end record
}

// done refuses a topic if a restart would draw its rounds differently: a round that is begun twice must hold the same
// units.
func (s *Command) done(r *filter.Run, header *wire.Header) (done, error) {
	tails, err := endpoint.Tails(r, s.Output, header)
	if err != nil || len(tails) == 0 {
		return done{}, err
	}
	d := done{rounds: s.all(), ended: true}
	for i, t := range tails {
		if t.Ended && int(t.Closed) < s.all() && s.Window == 0 {
			return d, exit.Errorf(exit.Malformed,
				"%s: partition %d has ended after round %d of %d: another program wrote the end record",
				s.Output, i, t.Closed, s.all()).
				WithHint("find who else writes the topic, and go on with new private topics")
		}
		d.rounds, d.reached = min(d.rounds, int(t.Closed)), max(d.reached, int(t.Closed))
		if t.Midway {
			d.reached = max(d.reached, int(t.Closed)+1)
		}
		d.begun = d.begun || d.reached > 0 || t.Ended
		d.ended = d.ended && t.Ended
	}
	for i, t := range tails {
		if t.New && d.reached > 1 { // all partitions have a round before any has the next
			return d, exit.Errorf(exit.Malformed,
				"%s: partition %d was added to the topic during the run: units would move between partitions",
				s.Output, i).WithHint("go on with new private topics; topics.sh makes them")
		}
	}
	if d.ended {
		r.Status("%s holds all rounds already", s.Output)
		return d, nil
	}
	if d.begun && d.rounds < s.all() && !s.repeats() {
		return d, exit.Errorf(exit.Usage,
			"%s: holds rounds of a run that has not ended: new coins would draw other units", s.Output).
			WithHint("resume with the --secret that the run was begun with, or begin another run with topics of " +
				"its own")
	}
	return d, nil
}
