// Package command is the command sample: it draws the units of each round, and writes their documents.
package command

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/scheme"
)

// Command is sample.
type Command struct {
	scheme.Flags
	Rounds int `short:"T" default:"1" help:"Draw T rounds, 1 by default, and with --epochs T rounds of each epoch. Take T from the plan: the grant covers no round after its last one."`

	RunName    string      `name:"run" help:"Name the training run in the output. Without a name, privatize uses the id of the grant."`
	Unit       string      `enum:"document,user" default:"document" help:"Draw by this privacy unit, ${enum}; document by default. With user all documents of a user are drawn together, and a document without a user is a unit of its own."`
	FirstRound int         `default:"1" placeholder:"T" help:"Begin with round T, by default with round 1, and skip the rounds before T. An output topic needs no such flag: sample finds there the rounds that are done."`
	Secret     string      `output:"" placeholder:"FILE" help:"Throw the coins of --poisson, --fixed or --allocate with the key in FILE; sample makes the key if FILE is missing. Without FILE the key is new at each start. A restart with the same key draws the same rounds. Use a key for one run only. Keep the key as private as the documents: whoever has the key knows which units each round holds, and sampling no longer hides the units."`
	Seed       *uint64     `zero:"" help:"FOR TESTS: throw public coins, each a function of this seed, the round and the name of the unit. The stream then states that sampling amplifies nothing. By default the coins are secret."`
	TrustNames bool        `help:"Accept names of units that are consecutive numbers. By default --epoch without --window, and --seed, refuse such names of private documents, since they may be positions. If the names are positions, removing one unit moves other units to other rounds, and no ε holds."`
	AllowEmpty bool        `help:"Draw rounds of nobody from inputs without a document, as of a week in which nobody wrote: a release then says so, with noise. By default such inputs are refused, since a round of nobody costs as much of the budget. Not for --window and --fixed."`
	Memory     filter.Size `zero:"" default:"4GiB" help:"Keep at most this much of the documents in memory, 4GiB by default. Other documents go to a temporary file in TMPDIR."`
	Output     string      `short:"o" placeholder:"FILE" help:"Write the rounds to FILE or to a topic, by default to standard output. A hash of a unit's name chooses its partition of the topic."`
	Inputs     []string    `arg:"" optional:"" help:"Read streams of documents from these files or topics, by default from standard input."`
	windows
	lead
	filter.Stamps
	filter.Compress
	filter.Workers
}

// Validate is kong's hook.
func (s *Command) Validate() error {
	if err := s.CheckEpochs(s.Rounds); err != nil {
		return err
	}
	if s.FirstRound < 1 || s.FirstRound > s.all() {
		return fmt.Errorf("--first-round must be in [1, %d], is %d", s.all(), s.FirstRound)
	}
	if s.RunName != "" {
		if err := event.CheckName(s.RunName); err != nil {
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

func (s *Command) validateScheme() error {
	if s.Given() != 1 {
		return errors.New("exactly one of --poisson, --fixed, --all, --allocate and --epoch must be given, and not " +
			"be 0")
	}
	if s.Fixed.Of != 0 {
		return errors.New("--fixed takes S here, without N: sample counts the units itself")
	}
	if s.AllowEmpty && (s.Fixed.Size != 0 || s.Window != 0) {
		return errors.New("--allow-empty does not go with --fixed, whose rounds have a size, nor with --window, " +
			"whose windows may be empty")
	}
	if s.Poisson != nil {
		if err := event.CheckRate(*s.Poisson); err != nil {
			return fmt.Errorf("--poisson: %w", err)
		}
	}
	return nil
}

func (s *Command) validateCoins() error {
	switch {
	case s.Secret != "" && (s.All || s.Epoch):
		return errors.New("--secret belongs to --poisson, --fixed and --allocate: the others throw no coins")
	case s.Secret != "" && s.Seed != nil:
		return errors.New("--seed and --secret exclude each other")
	case s.Allocate && s.FirstRound > 1 && !s.repeats():
		return errors.New("--first-round with --allocate needs --secret: new coins could throw a unit into a second " +
			"round")
	}
	return nil
}

// all is the number of rounds, of all epochs.
func (s *Command) all() int { return s.AllRounds(s.Rounds) }

// repeats says whether a restart draws the same rounds from the same documents.
func (s *Command) repeats() bool { return s.All || s.Epoch || s.Secret != "" || s.Seed != nil }

// windows are the flags for rounds that are windows of time.
type windows struct {
	Window      time.Duration `group:"Windows of time" placeholder:"DURATION" help:"Make each round of --epoch from a window of this length (1h, 24h): round n holds the units whose first document arrived in window n. By default --epoch uses no windows. Later documents of a unit are left out: with --unit user, a user's documents count in one window only. See sample/WINDOWS.md."`
	WindowStart time.Time     `group:"Windows of time" placeholder:"TIME" help:"Begin the first window at this time (RFC 3339), by default at the first whole multiple of --window after the first start. Documents that arrived earlier are in no round."`
	WindowGrace time.Duration `zero:"" group:"Windows of time" default:"1m" placeholder:"DURATION" help:"Keep a window open for this long after its end, 1m by default and at most --window, for late documents. A document that comes even later counts in the window that is then open."`
	WindowState string        `output:"" group:"Windows of time" placeholder:"FILE" help:"Keep in FILE which units were in a window; --window needs it. A restart reads FILE, so that no unit enters a second window. Keep FILE as private as the documents, and never restore an older FILE."`
}

func (w *windows) validate(s *Command) error {
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
		return errors.New("--window needs --window-state: without it a unit could be in a second window after a " +
			"restart")
	case s.FirstRound > 1:
		return errors.New("--first-round does not belong to --window: its state knows which windows are done")
	}
	return cmp.Or(endpoint.CheckKept("--window-state", w.WindowState), w.plan(s.Rounds, w.WindowStart).Check())
}
