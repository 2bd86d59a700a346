package main

import (
	"errors"
	"fmt"
	"time"

	"privpipe/pipelines/event"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/scheme"
)

type rounds struct {
	scheme.Flags
	Rounds int `short:"T" default:"1" help:"Number of rounds T of the plan."`

	Run_       string      `name:"run" help:"Name of the training run; privatize takes the grant's if there is none."`
	Unit       string      `enum:"document,user" default:"document" help:"Privacy unit: ${enum}. All documents of a user are drawn together; one without a user is a unit of its own."`
	FirstRound int         `default:"1" placeholder:"T" help:"Begin with round T: those before are done. A topic tells by itself how far it is."`
	Secret     string      `placeholder:"FILE" help:"Key of the coins of --poisson, --fixed or --allocate, of one run; made if FILE is not there. A run that is started again with it draws the same rounds. Keep it as private as the documents: who has it knows which units each round holds, and no sampling hides them."`
	Seed       *uint64     `help:"FOR TESTS: repeatable coins, each by the round and the unit's name. The stream then says that nothing is amplified."`
	TrustNames bool        `help:"Take names of units that are consecutive numbers for names that stay when other units go; by default --epoch without --window, and --seed, refuse them. If they are positions all the same, one unit less moves others to other rounds, and no ε holds."`
	Memory     filter.Size `default:"4GiB" help:"Documents beyond this go to a temporary file in TMPDIR."`
	Output     string      `short:"o" placeholder:"FILE" help:"Where the rounds go; standard output by default. The units are dealt over the partitions of a topic by their names."`
	Inputs     []string    `arg:"" optional:"" help:"Streams of documents; standard input by default."`
	windows
	lead
	filter.Compress
	filter.Workers
}

// Validate is kong's hook.
func (s *rounds) Validate() error {
	if err := event.CheckRounds(s.Rounds); err != nil {
		return fmt.Errorf("--rounds: %w", err)
	}
	if s.FirstRound < 1 || s.FirstRound > s.Rounds {
		return fmt.Errorf("--first-round must be in [1, %d], is %d", s.Rounds, s.FirstRound)
	}
	if s.Run_ != "" {
		if err := event.CheckName(s.Run_); err != nil {
			return fmt.Errorf("--run: %w", err)
		}
	}
	if err := s.validateScheme(); err != nil {
		return err
	}
	if err := s.validateCoins(); err != nil {
		return err
	}
	if err := s.lead.validate(s); err != nil {
		return err
	}
	return s.windows.validate(s)
}

func (s *rounds) validateScheme() error {
	if s.Given() != 1 {
		return errors.New("one of --poisson, --fixed, --all, --allocate and --epoch must be given, one alone, and not be 0")
	}
	if s.Fixed.Of != 0 {
		return errors.New("--fixed takes S here, without N: sample counts the units itself")
	}
	if s.Poisson != nil {
		if err := event.CheckRate(*s.Poisson); err != nil {
			return fmt.Errorf("--poisson: %w", err)
		}
	}
	return nil
}

func (s *rounds) validateCoins() error {
	switch {
	case s.Secret != "" && (s.All || s.Epoch):
		return errors.New("--secret belongs to --poisson, --fixed and --allocate: the others throw no coins")
	case s.Secret != "" && s.Seed != nil:
		return errors.New("--seed and --secret exclude each other")
	case s.Allocate && s.FirstRound > 1 && !s.repeats():
		return errors.New("--first-round with --allocate needs --secret: new coins could throw a unit into a second round")
	}
	return nil
}

// repeats says whether the same rounds would be drawn from the same documents again.
func (s *rounds) repeats() bool { return s.All || s.Epoch || s.Secret != "" || s.Seed != nil }

// windows are the flags of rounds that are windows of time.
type windows struct {
	Window      time.Duration `group:"Windows of time" placeholder:"DURATION" help:"With --epoch: round n holds the units that first arrived in the n-th window of this length (1h, 24h). Documents of a unit that was in an earlier window are left out, so of a user all later ones. See sample/WINDOWS.md."`
	WindowStart time.Time     `group:"Windows of time" placeholder:"TIME" help:"When the first window begins (RFC 3339); by default at the first whole multiple of --window from the first start on. What arrived before is in no round."`
	WindowGrace time.Duration `group:"Windows of time" default:"1m" placeholder:"DURATION" help:"How long after its end a window is kept open for documents that are on their way; at most --window. What comes later counts in the window that is open then."`
	WindowState string        `group:"Windows of time" placeholder:"FILE" help:"Which units were in a window, kept for the run that goes on after a restart. Keep it as private as the documents, and never put it back to an older state."`
}

func (w *windows) validate(s *rounds) error {
	if w.Window == 0 {
		if !w.WindowStart.IsZero() || w.WindowState != "" {
			return errors.New("--window-start and --window-state belong to --window")
		}
		return nil
	}
	switch {
	case !s.Epoch:
		return errors.New("--window belongs to --epoch")
	case w.WindowState == "":
		return errors.New("--window needs --window-state: without it a unit could be in a second window after a restart")
	case s.FirstRound > 1:
		return errors.New("--first-round does not belong to --window: its state knows which windows are done")
	}
	return w.plan(s.Rounds, w.WindowStart).Check()
}
