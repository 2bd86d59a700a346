package main

import (
	"errors"
	"fmt"
	"math"

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

// A problem is what accountants are asked about: releases of Gaussian noise.
type problem struct {
	scheme      event.Scheme
	adjacency   string
	noise       float64 // standard deviation over the clip C
	sensitivity float64 // over C
}

func (c *settingFlags) problem(noise float64) *problem {
	p := &problem{scheme: event.Scheme{Rounds: c.Rounds, Secret: true}, adjacency: c.Adjacency, noise: noise}
	switch {
	case c.Poisson != nil:
		p.scheme.Method, p.scheme.Rate = event.Poisson, *c.Poisson
	case c.Fixed.of > 0:
		p.scheme.Method, p.scheme.Size, p.scheme.Population = event.Fixed, c.Fixed.size, c.Fixed.of
		p.scheme.Rate = float64(c.Fixed.size) / float64(c.Fixed.of)
	default:
		p.scheme.Method, p.scheme.Rate, p.scheme.Secret = event.All, 1, false
	}
	if p.adjacency == "" {
		p.adjacency = event.AddRemove
		if p.scheme.Method == event.Fixed {
			p.adjacency = event.ReplaceOne
		}
	}
	switch {
	case c.Sensitivity != nil:
		p.sensitivity = *c.Sensitivity
	case p.adjacency == event.AddRemove:
		p.sensitivity = 1
	case c.NonNegative:
		p.sensitivity = math.Sqrt2 // as a float64 it is above √2
	default:
		p.sensitivity = 2
	}
	return p
}

func (c *settingFlags) check() error {
	p := c.problem(1)
	if !(p.sensitivity >= 1e-3 && p.sensitivity <= 1e3) {
		return fmt.Errorf("--sensitivity must be in [0.001, 1000], is %v", p.sensitivity)
	}
	return errors.Join(p.scheme.Check(), event.CheckRelation(p.adjacency, event.Document, p.scheme))
}

// The range of noise over sensitivity in which the accountants are known to be right.
const leastSigma, mostSigma = 0.01, 1e8

func (p *problem) checkNoise() error {
	if err := event.CheckNoiseMultiplier(p.noise); err != nil {
		return err
	}
	if sigma := p.noise / p.sensitivity; !(sigma >= leastSigma && sigma <= mostSigma) {
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

// leastDelta is the least number with all digits.
const leastDelta = 0x1p-1022

// sigma is noise over sensitivity, rounded down.
func (p *problem) sigma() float64 { return math.Nextafter(p.noise/p.sensitivity, 0) }

// rate is the sampling rate, rounded up.
func (p *problem) rate() float64 {
	if p.scheme.Method == event.Fixed {
		return min(1, math.Nextafter(p.scheme.Rate, 1))
	}
	return p.scheme.Rate
}

func (p *problem) rounds() uint64 { return uint64(p.scheme.Rounds) }

// choice is which accountant answers.
type choice struct {
	Accountant string `enum:"tightest,renyi,rdp,analytic,zcdp,moments,strong,linear" default:"tightest" help:"One of ${enum}. rdp is renyi."`
}

func (c choice) accountants() (chosen []*accountant) {
	name := c.Accountant
	if name == "rdp" {
		name = "renyi"
	}
	for _, a := range accountants {
		if name == "tightest" || name == a.name {
			chosen = append(chosen, a)
		}
	}
	return chosen
}

var errNoBound = errors.New("it proves nothing here: its ε is infinite")

const whichAccountant = `
For sums of units of norm C at most, with continuous Gaussian noise: the noise multiplier is noise over C. Exchanging
a unit (replace-one) moves the sum by 2·C, or by √2·C with --non-negative; the answer says by how much.

renyi: for any setting, the one to use with sampling. analytic: without sampling, exact. zcdp: without sampling,
simpler and a little more. moments: what the papers of 2016 and 2020 used, the Rényi bound with a weaker conversion;
Poisson sampling only where q·σ < 1. strong, linear: composition theorems of the textbook, for comparison.
tightest: the least of all that hold.

An accountant without a theorem for the setting is refused, so is Poisson sampling under replace-one.
"account compare" shows all of them, and what papers claim.`
