// Package scheme reads the flags for a sampling scheme, for the stage that samples and for the stage that accounts for
// the sampling.
package scheme

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"privpipe/pipelines/event"
)

// Sampled holds the flags of the schemes that draw each round independently.
type Sampled struct {
	Poisson *float64 `group:"Scheme" xor:"scheme" placeholder:"Q" help:"Put each unit into a round with probability Q, by a secret coin of its own."`
	Fixed   Units    `group:"Scheme" xor:"scheme" placeholder:"S/N" help:"Draw S of N units for a round, in secret and without replacement. sample counts N itself, so it takes only S. Neighbouring data sets then differ in one exchanged unit."`
	All     bool     `group:"Scheme" xor:"scheme" help:"Take all units into every round."`
}

// Flags holds the flags of all schemes.
type Flags struct {
	Sampled
	Allocate bool `group:"Scheme" xor:"scheme" help:"Put each unit into exactly one of the rounds, by a secret coin. Rounds are disjoint. With --epochs, into one round of each epoch."`
	Epochs   *int `group:"Scheme" placeholder:"E" help:"Set the number of epochs of --allocate, 1 by default. Each epoch has --rounds rounds and a secret coin of its own for each unit, so there are E times --rounds rounds in all."`
	Epoch    bool `group:"Scheme" xor:"scheme" help:"Put each unit into exactly one of the rounds, by a public hash of its name or by a window of time. Rounds are disjoint."`
}

// ErrNone is the error for a command line that gives no scheme.
var ErrNone = errors.New("one of --poisson, --fixed, --all, --allocate and --epoch must be given, and not be 0")

// Given returns how many schemes are given. A rate or a size of 0 does not count.
func (f *Flags) Given() (schemes int) {
	for _, given := range []bool{f.Poisson != nil && *f.Poisson != 0, f.Fixed != (Units{}), f.All, f.Allocate,
		f.Epoch} {
		if given {
			schemes++
		}
	}
	return schemes
}

// MostEpochs bounds an allocation's epochs: account's package pld composes at most this many releases of one kind.
const MostEpochs = 1e9

// epochs is the number of epochs, 1 by default.
func (f *Flags) epochs() int {
	if f.Epochs == nil {
		return 1
	}
	return *f.Epochs
}

// CheckEpochs refuses a number of rounds in an epoch, or a number of epochs, that is out of range. It refuses epochs
// for a scheme that is not an allocation.
func (f *Flags) CheckEpochs(rounds int) error {
	epochs := f.epochs()
	if err := event.CheckRounds(rounds); err != nil {
		return fmt.Errorf("--rounds: %w", err)
	}
	switch {
	case epochs < 1 || epochs > MostEpochs:
		return fmt.Errorf("--epochs must be in [1, 1e9], is %d", epochs)
	case epochs > 1 && !f.Allocate:
		return errors.New("--epochs belongs to --allocate")
	case rounds*epochs > event.MaxRounds:
		return fmt.Errorf("--rounds times --epochs must be at most %d, is %d", event.MaxRounds, rounds*epochs)
	}
	return nil
}

// AllRounds returns the number of rounds in all epochs, given the number of rounds in one epoch.
func (f *Flags) AllRounds(rounds int) int { return rounds * f.epochs() }

// Scheme returns the scheme for a plan of rounds, with secret or public coins. rounds is the number in one epoch.
// Without any flag it is event.All.
func (f *Flags) Scheme(rounds int, secret bool) event.Scheme {
	s := event.Scheme{Rounds: rounds, Secret: secret}
	switch {
	case f.Poisson != nil:
		s.Method, s.Rate = event.Poisson, *f.Poisson
	case f.Fixed != (Units{}):
		s.Method, s.Size, s.Population = event.Fixed, f.Fixed.Size, f.Fixed.Of
		s.Rate = float64(s.Size) / float64(s.Population)
	case f.Allocate:
		s.Method, s.Rate, s.Rounds = event.Allocate, 1/float64(rounds), f.AllRounds(rounds)
		if epochs := f.epochs(); epochs > 1 {
			s.Epochs = epochs
		}
	case f.Epoch:
		s.Method, s.Rate, s.Secret = event.Epoch, 1/float64(rounds), false
	default:
		s.Method, s.Rate, s.Secret = event.All, 1, false
	}
	return s
}

// Units is a flag value S/N, or S without the population N, which is then 0.
type Units struct{ Size, Of uint64 }

// MarshalText implements encoding.TextMarshaler, for --print-config.
func (u Units) MarshalText() ([]byte, error) {
	switch {
	case u.Of != 0:
		return fmt.Appendf(nil, "%d/%d", u.Size, u.Of), nil
	case u.Size != 0:
		return strconv.AppendUint(nil, u.Size, 10), nil
	}
	return nil, nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (u *Units) UnmarshalText(text []byte) (err error) {
	size, of, stated := strings.Cut(string(text), "/")
	var read Units
	if read.Size, err = strconv.ParseUint(size, 10, 64); err == nil && stated {
		read.Of, err = strconv.ParseUint(of, 10, 64)
	}
	if err != nil || stated && read.Of == 0 {
		return fmt.Errorf("%q is not S/N, such as 20000/400000", text)
	}
	*u = read
	return nil
}

// CheckPopulation refuses a size without its population.
func (u Units) CheckPopulation() error {
	if u.Size != 0 && u.Of == 0 {
		return fmt.Errorf("--fixed: \"%d\" is not S/N, such as 20000/400000", u.Size)
	}
	return nil
}
