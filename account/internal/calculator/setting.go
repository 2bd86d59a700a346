package calculator

import (
	"errors"
	"fmt"
	"math"

	"privpipe/account/internal/loss"
	"privpipe/pipelines/event"
	"privpipe/pipelines/scheme"
)

// SettingFlags describe repeated releases of one sum with Gaussian noise: their number, how units are sampled, and the
// neighbouring relation.
type SettingFlags struct {
	scheme.Sampled
	Allocate    bool     `group:"Scheme" xor:"scheme" help:"Put each unit into exactly one of the rounds of an epoch, by a secret coin. All rounds are released."`
	Epochs      int      `group:"Scheme" default:"1" placeholder:"E" help:"Set the number of epochs of --allocate, of --rounds each and with coins of their own; 1 by default."`
	Rounds      int      `group:"Scheme" short:"T" default:"1" help:"Set the number of rounds T, each with noise of its own; 1 by default."`
	Adjacency   string   `group:"Setting" enum:"add-remove,replace-one,replace-null," default:"" help:"Let neighbours differ by a unit more or less (add-remove, the default), by one exchanged (replace-one; implied by --fixed), or by one exchanged for an empty one (replace-null)."`
	NonNegative bool     `group:"Setting" xor:"sensitivity" help:"Trust that no coordinate is negative. Then exchanging a unit moves the sum by at most √2·C, not 2·C."`
	Sensitivity *float64 `group:"Setting" xor:"sensitivity" placeholder:"X" help:"Set the L2 sensitivity of the sum, divided by C, if another one is proved."`
}

// A Setting describes rounds with Gaussian noise.
type Setting struct {
	Scheme      event.Scheme
	Adjacency   string
	Sensitivity float64 // over the clip C
	nonNegative bool    // contributions have no negative coordinate
	printed     bool    // look for noise with a table's four digits
}

// schemes are the flags of the scheme.
func (c *SettingFlags) schemes() *scheme.Flags {
	return &scheme.Flags{Sampled: c.Sampled, Allocate: c.Allocate, Epochs: &c.Epochs}
}

func (c *SettingFlags) Setting() *Setting {
	s := &Setting{Scheme: c.schemes().Scheme(c.Rounds, true), Adjacency: c.Adjacency, nonNegative: c.NonNegative}
	if s.Adjacency == "" {
		s.Adjacency = event.AddRemove
		if s.Scheme.Method == event.Fixed {
			s.Adjacency = event.ReplaceOne
		}
	}
	switch {
	case c.Sensitivity != nil:
		s.Sensitivity = *c.Sensitivity
	case s.Adjacency != event.ReplaceOne && s.Scheme.Method != event.Fixed: // see event.Grant.Sensitivity
		s.Sensitivity = 1
	case c.NonNegative:
		s.Sensitivity = math.Sqrt2 // as a float64 it is above √2
	default:
		s.Sensitivity = 2
	}
	return s
}

// list returns the releases with noise of standard deviation noise·C.
func (s *Setting) list(noise float64) *loss.List {
	e := loss.Release{
		Released: []loss.Mechanism{loss.Gaussian{Noise: noise, Sensitivity: s.Sensitivity}},
		Count:    s.Scheme.Rounds,
	}
	switch s.Scheme.Method {
	case event.Poisson:
		e.Sampling, e.Rate = loss.Poisson, s.Scheme.Rate
	case event.Fixed:
		e.Sampling, e.Rate = loss.Fixed, min(1, math.Nextafter(s.Scheme.Rate, 1)) // rounded up: it is a quotient
	case event.Allocate:
		e.Disjoint, e.Count = true, max(1, s.Scheme.Epochs)
		if s.Adjacency != event.ReplaceOne {
			e.Thrown, e.Complete = s.Scheme.EpochRounds(), true
		}
	}
	l := &loss.List{Adjacency: s.Adjacency, NonNegative: s.nonNegative}
	l.Add(e)
	return l
}

func (c *SettingFlags) check() error {
	s := c.Setting()
	if !(s.Sensitivity >= 1e-3 && s.Sensitivity <= 1e3) {
		return fmt.Errorf("--sensitivity must be in [0.001, 1000], is %v", s.Sensitivity)
	}
	if err := c.Fixed.CheckPopulation(); err != nil {
		return err
	}
	if err := c.schemes().CheckEpochs(c.Rounds); err != nil {
		return err
	}
	return errors.Join(s.Scheme.Check(), event.CheckRelation(s.Adjacency, event.Document, s.Scheme))
}

// The accountants are known to be right for noise over sensitivity in this range.
const leastSigma, mostSigma = 0.025, 1e8

func (s *Setting) checkNoise(noise float64) error {
	if err := event.CheckNoiseMultiplier(noise); err != nil {
		return err
	}
	if sigma := noise / s.Sensitivity; !(sigma >= leastSigma && sigma <= mostSigma) {
		return fmt.Errorf("noise over sensitivity must be in [%v, %v], is %v", leastSigma, mostSigma, sigma)
	}
	return nil
}

var errNoBound = errors.New("it proves nothing here: its ε is infinite")

const WhichAccountant = `
For sums of units of norm C at most, with continuous Gaussian noise: the noise multiplier is noise over C. Exchanging
a unit (replace-one) moves the sum by 2·C, or by √2·C with --non-negative; the answer says by how much. Exchanging it for an
empty one (replace-null) costs what a unit more or less does, but with --fixed what exchanging it for another does.

--events asks about a list of releases instead, of several kinds: account/EVENTS.md has the forms. Noise is over C there, too.

pld: privacy loss distributions, for any setting, within a ten-thousandth of the least ε except at extremes.
renyi: Rényi divergences, for any setting except one; simpler, and its ε is larger. analytic: without sampling, exact.
zcdp: without sampling, simpler. moments: the accountant of papers of 2016 and 2020, the Rényi bound with a weaker conversion;
Poisson sampling only where q·σ < 1. strong, linear: composition theorems of the textbook, for comparison.
tightest: the least of all bounds that hold.

An accountant without a theorem for the setting is refused. Only pld and renyi have one for Poisson sampling under replace-one,
and only pld has one for what the secret coin of --allocate takes off: the others count it as one round of all units.
"account compare" shows all of them, and the claims of papers.`
