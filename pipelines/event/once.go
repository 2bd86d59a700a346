package event

import (
	"errors"
	"fmt"
)

func (g *Grant) checkSelect() error {
	if g.Clipping != "" || g.NonNegative || len(g.Statistics) > 0 || g.Flip != 0 || g.Claim != "" || g.Proved != 0 ||
		g.Draws != 0 {
		return errors.New("clipping, non_negative, statistics, flip, claim, sensitivity and draws do not belong to " +
			"select")
	}
	if g.Clip != 1 {
		return fmt.Errorf("clip of select must be 1, the weight of a unit, is %v", g.Clip)
	}
	if g.Adjacency == ReplaceOne {
		return fmt.Errorf("select needs adjacency %q or %q", AddRemove, ReplaceNull)
	}
	if err := checkOnce(g.Mechanism, g.Scheme, g.Releases); err != nil {
		return err
	}
	if err := checkMaxWords(g.MaxWords); err != nil {
		return err
	}
	if err := positive("threshold", g.Threshold); err != nil {
		return err
	}
	return CheckNoiseMultiplier(g.NoiseMultiplier)
}

func (g *Grant) checkRandomizedResponse() error {
	if g.Clipping != "" || g.Clip != 0 || g.NonNegative || len(g.Statistics) > 0 || g.NoiseMultiplier != 0 ||
		g.Threshold != 0 || g.Claim != "" || g.Proved != 0 || g.Draws != 0 {
		return errors.New("clipping, clip, non_negative, statistics, noise_multiplier, threshold, claim, sensitivity " +
			"and draws do not belong to " +
			"randomized-response")
	}
	if g.Adjacency != ReplaceOne || g.Unit != Document {
		// The recipient of the reports sees their number, so add-remove cannot hold.
		return fmt.Errorf("randomized-response needs adjacency %q and unit %q", ReplaceOne, Document)
	}
	if err := checkOnce(g.Mechanism, g.Scheme, g.Releases); err != nil {
		return err
	}
	if err := checkMaxWords(g.MaxWords); err != nil {
		return err
	}
	if !(g.Flip >= 1.0/FlipSteps && g.Flip <= 0.5) {
		return fmt.Errorf("flip must be in [2^-32, 0.5], is %v", g.Flip)
	}
	if g.ReportWords < 0 || g.ReportWords > g.MaxWords {
		return fmt.Errorf("words drawn for a report (report_words) must be in [0, %d], at most max_words, are %d",
			g.MaxWords, g.ReportWords)
	}
	return nil
}

// checkOnce checks that a mechanism that releases once has one round and one release.
func checkOnce(mechanism string, scheme Scheme, releases int) error {
	if scheme.Method != All || scheme.Rounds != 1 || releases != 1 {
		return fmt.Errorf("%s releases once, from all units", mechanism)
	}
	return nil
}

// MaxWordsLimit bounds Grant.MaxWords.
const MaxWordsLimit = 1 << 20

func checkMaxWords(n int) error {
	if n < 1 || n > MaxWordsLimit {
		return fmt.Errorf("most words of a unit (max_words) must be in [1, %d], is %d", MaxWordsLimit, n)
	}
	return nil
}

// FlipSteps is the number of steps in a probability of 1. A charge states the probability of one wrong bit in these
// steps.
const FlipSteps = 1 << 32

// checkSingle checks a charge of a mechanism that releases once. Sums may be released often.
func (c *Charge) checkSingle() error {
	switch c.Mechanism {
	case Select:
		if c.Adjacency == ReplaceOne {
			return fmt.Errorf("select needs adjacency %q or %q", AddRemove, ReplaceNull)
		}
		if err := checkMaxWords(c.MaxWords); err != nil {
			return err
		}
		return checkOnce(c.Mechanism, c.Scheme, c.Round)
	case RandomizedResponse:
		if c.Adjacency != ReplaceOne || c.Unit != Document {
			return fmt.Errorf("randomized-response needs adjacency %q and unit %q", ReplaceOne, Document)
		}
		if c.Scale > FlipSteps/2 {
			return fmt.Errorf("scale of randomized-response must be at most half of %d, is %d", uint64(FlipSteps),
				c.Scale)
		}
		return checkOnce(c.Mechanism, c.Scheme, c.Round)
	case Objective:
		if err := checkObjective(c.Adjacency, c.Unit); err != nil {
			return err
		}
		if c.Scale != EpsilonSteps {
			return fmt.Errorf("scale of objective must be %d, is %d", uint64(EpsilonSteps), c.Scale)
		}
		return checkOnce(c.Mechanism, c.Scheme, c.Round)
	}
	return nil
}
