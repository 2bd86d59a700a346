package main

import (
	"errors"
	"fmt"
	"math"

	"privpipe/account/internal/loss"
	"privpipe/pipelines/event"
)

// settingFlags are how often a sum with Gaussian noise is released, of which units, and what neighbours are.
type settingFlags struct {
	Poisson     *float64 `group:"Setting" xor:"sampling" placeholder:"Q" help:"Each unit takes part in a round by a secret coin of probability Q."`
	Fixed       fraction `group:"Setting" xor:"sampling" placeholder:"S/N" help:"S of N units take part in a round, drawn in secret without replacement. Neighbours then exchange a unit."`
	All         bool     `group:"Setting" xor:"sampling" help:"All units take part in each round (the default)."`
	Rounds      int      `group:"Setting" short:"T" default:"1" help:"Number of rounds T, each with noise of its own."`
	Adjacency   string   `group:"Setting" enum:"add-remove,replace-one," default:"" help:"Neighbours differ by a unit more or less (add-remove, the default) or by one exchanged (replace-one; of course for --fixed)."`
	NonNegative bool     `group:"Setting" xor:"sensitivity" help:"No coordinate is negative, so that exchanging a unit moves the sum by √2·C at most and not by 2·C."`
	Sensitivity *float64 `group:"Setting" xor:"sensitivity" placeholder:"X" help:"L2 sensitivity of the sum over C, where another one is proved."`
}

// A setting is a number of rounds of Gaussian noise.
type setting struct {
	scheme      event.Scheme
	adjacency   string
	sensitivity float64 // over the clip C
	nonNegative bool    // no coordinate is negative
	printed     bool    // noise is to be found that a table prints
}

func (c *settingFlags) setting() *setting {
	s := &setting{
		scheme: event.Scheme{Rounds: c.Rounds, Secret: true}, adjacency: c.Adjacency, nonNegative: c.NonNegative,
	}
	switch {
	case c.Poisson != nil:
		s.scheme.Method, s.scheme.Rate = event.Poisson, *c.Poisson
	case c.Fixed.of > 0:
		s.scheme.Method, s.scheme.Size, s.scheme.Population = event.Fixed, c.Fixed.size, c.Fixed.of
		s.scheme.Rate = float64(c.Fixed.size) / float64(c.Fixed.of)
	default:
		s.scheme.Method, s.scheme.Rate, s.scheme.Secret = event.All, 1, false
	}
	if s.adjacency == "" {
		s.adjacency = event.AddRemove
		if s.scheme.Method == event.Fixed {
			s.adjacency = event.ReplaceOne
		}
	}
	switch {
	case c.Sensitivity != nil:
		s.sensitivity = *c.Sensitivity
	case s.adjacency == event.AddRemove:
		s.sensitivity = 1
	case c.NonNegative:
		s.sensitivity = math.Sqrt2 // as a float64 it is above √2
	default:
		s.sensitivity = 2
	}
	return s
}

// list returns the releases with noise of a standard deviation of noise·C.
func (s *setting) list(noise float64) *loss.List {
	e := loss.Event{
		Released: []loss.Mechanism{loss.Gaussian{Noise: noise, Sensitivity: s.sensitivity}}, Count: s.scheme.Rounds,
	}
	switch s.scheme.Method {
	case event.Poisson:
		e.Sampling, e.Rate = loss.Poisson, s.scheme.Rate
	case event.Fixed:
		e.Sampling, e.Rate = loss.Fixed, min(1, math.Nextafter(s.scheme.Rate, 1)) // the quotient of two numbers
	}
	l := &loss.List{Adjacency: s.adjacency, NonNegative: s.nonNegative}
	l.Add(e)
	return l
}

func (c *settingFlags) check() error {
	s := c.setting()
	if !(s.sensitivity >= 1e-3 && s.sensitivity <= 1e3) {
		return fmt.Errorf("--sensitivity must be in [0.001, 1000], is %v", s.sensitivity)
	}
	return errors.Join(s.scheme.Check(), event.CheckRelation(s.adjacency, event.Document, s.scheme))
}

// The range of noise over sensitivity in which the accountants are known to be right.
const leastSigma, mostSigma = 0.025, 1e8

func (s *setting) checkNoise(noise float64) error {
	if err := event.CheckNoiseMultiplier(noise); err != nil {
		return err
	}
	if sigma := noise / s.sensitivity; !(sigma >= leastSigma && sigma <= mostSigma) {
		return fmt.Errorf("noise over sensitivity must be in [%v, %v], is %v", leastSigma, mostSigma, sigma)
	}
	return nil
}

// checkCalculatedDelta refuses the numbers of fewer digits below 2^-1022, too.
func checkCalculatedDelta(delta float64) error {
	if delta > 0 && delta < leastDelta {
		return fmt.Errorf("delta must be at least %.4g, is %v", leastDelta, delta)
	}
	return event.CheckDelta(delta)
}

// checkPureDelta lets 0 pass, too: a pure ε.
func checkPureDelta(delta float64) error {
	if delta == 0 {
		return nil
	}
	return checkCalculatedDelta(delta)
}

// leastDelta is the least number with all digits.
const leastDelta = 0x1p-1022

var errNoBound = errors.New("it proves nothing here: its ε is infinite")

const whichAccountant = `
For sums of units of norm C at most, with continuous Gaussian noise: the noise multiplier is noise over C. Exchanging
a unit (replace-one) moves the sum by 2·C, or by √2·C with --non-negative; the answer says by how much.

--events asks about a list of releases instead, of several kinds: account/EVENTS.md has the forms. Noise is over C there, too.

pld: privacy loss distributions, for any setting, within a ten-thousandth of the least ε, but at extremes.
renyi: Rényi divergences, for any setting but one, simpler and more. analytic: without sampling, exact.
zcdp: without sampling, simpler. moments: what the papers of 2016 and 2020 used, the Rényi bound with a weaker conversion;
Poisson sampling only where q·σ < 1. strong, linear: composition theorems of the textbook, for comparison.
tightest: the least of all that hold.

An accountant without a theorem for the setting is refused: Poisson sampling under replace-one is for pld alone.
"account compare" shows all of them, and what papers claim.`
