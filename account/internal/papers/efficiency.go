package papers

import (
	"errors"
	"fmt"

	"privpipe/account/internal/accountant"
	"privpipe/pipelines/event"
)

// An Efficiency has the command's flags.
type Efficiency struct {
	Alpha           int      `group:"Noise" placeholder:"N" help:"Order α of the Rényi loss, a whole number."`
	NoiseMultiplier *float64 `group:"Noise" xor:"noise" placeholder:"X" help:"Standard deviation σ of the noise on a count."`
	EpsilonAtOrder  *float64 `group:"Noise" xor:"noise" placeholder:"X" help:"Rényi loss ε(α) of an iteration that reads all words, from which σ² = α/(2ε(α))."`

	Gamma    []float64 `group:"Sampling" xor:"ratios" placeholder:"X,…" help:"Sampling ratios γ of words."`
	Points   *int      `group:"Sampling" xor:"ratios" placeholder:"N" help:"Look at γ = 1/N, 2/N, …, 1; N is 10 by default."`
	Rounds   int       `group:"Sampling" short:"T" default:"1" help:"Number of iterations T (the paper's Iter)."`
	Adaptive *float64  `group:"Sampling" placeholder:"V" help:"Look at words that are sampled at the rate V·γ, too (Lemma 5.1, V = 1/(ηq)). Needs --delta."`

	Delta *float64 `placeholder:"X" help:"Convert all iterations to (ε, δ) at this δ."`
	Clip  *float64 `and:"draws" placeholder:"C" help:"Add what the topic draws lose, which read counts in [0, C]."`
	Prior *float64 `and:"draws" placeholder:"β" help:"Prior of a word in a topic, for --clip."`

	Claim  string `enum:"paper," default:"" placeholder:"paper" help:"With \"paper\" show what the paper computes, too: equation 3 without its last term. No bound."`
	Table3 bool   `name:"table-3" help:"The paper's table 3 beside the exact values: sets the noise, γ and T of each row."`
}

func (Efficiency) Help() string {
	return `
For SUB-LDA: each word takes part in an iteration by a secret coin of probability γ, and topics are drawn from
counts with Gaussian noise. ε_sub(α) is the Rényi loss of an iteration at the order α (equation 3), and
I(γ) = γ·e^((α−1)·ε_sub(α)), less is better, weighs it with the time that an iteration takes.

  account efficiency --alpha 14 --epsilon-at-order 2 --claim paper

Bounds: ε_sub(α), T·ε_sub(α) and ε at δ, for neighbours with one word more or less, and noise on counts of the sampled
words only. Algorithm 1 counts the whole corpus: for it γ is 1. What the paper calls ε is T·ε_sub(α), a Rényi loss at
one order, and no ε of (ε, δ). I grows over the whole of (0, 1], so that γ0 is 1.

Claims: with --claim paper, equation 3 without its last term, as in the paper's table 3 and figure 1. That is below
the loss, and has an extremum near α/(α+1). Lemma 5.1 (--adaptive) is a bound for rates V·γ that are fixed and public,
and a claim for SUB-LDA's, which follow from the topics of private words.

The draws' own loss, ε_I, is in none of them. --clip and --prior add it, for neighbours that differ by one word
replaced, and draws from noisy counts that stay as they are during an iteration. Such a word moves the counts by √2,
and sampling does not reduce the loss here: no theorem says that it does. See "account gibbs", too.`
}

// The command's numbers are known to be right within these limits.
const (
	mostOrder             = 1024
	mostPoints            = 1000
	leastWords, mostWords = 0.05, 1e6 // limits for the noise multiplier
	leastRatio            = 1e-12     // least γ
)

func (c *Efficiency) Validate() error {
	if c.Delta != nil {
		if err := accountant.CheckDelta(*c.Delta); err != nil {
			return err
		}
	}
	if c.Table3 {
		return c.checkTable3()
	}
	var wrong complaints
	wrong.when(!(c.Alpha >= 2 && c.Alpha <= mostOrder), "--alpha must be a whole number in [2, %d], is %d", mostOrder,
		c.Alpha)
	wrong.when(c.NoiseMultiplier == nil && c.EpsilonAtOrder == nil,
		"--noise-multiplier or --epsilon-at-order is needed")
	wrong.when(c.EpsilonAtOrder != nil && !(*c.EpsilonAtOrder > 0), "--epsilon-at-order must be positive")
	wrong.when(!(c.points() >= 1 && c.points() <= mostPoints), "--points must be in [1, %d], is %d", mostPoints,
		c.points())
	wrong.when(len(c.Gamma) > mostPoints, "--gamma takes at most %d ratios", mostPoints)
	for _, gamma := range c.Gamma {
		wrong.when(!(gamma >= leastRatio && gamma <= 1), "--gamma must be in (0, 1], and at least %v; is %v",
			leastRatio, gamma)
	}
	if c.Clip != nil && c.Prior != nil {
		wrong = append(wrong, checkDraws(*c.Clip, *c.Prior))
	}
	wrong = append(wrong, event.CheckRounds(c.Rounds))
	if err := errors.Join(wrong...); err != nil {
		return err
	}
	sigma := c.study().sigma
	wrong.when(!(sigma >= leastWords && sigma <= mostWords),
		"noise multiplier must be in [%v, %v], is %.4g", leastWords, mostWords, sigma)
	wrong.when(c.Adaptive != nil && c.Delta == nil, "--adaptive needs --delta")
	wrong.when(c.Adaptive != nil && !(*c.Adaptive >= 1 && *c.Adaptive*c.study().ratios[0] <= 1),
		"--adaptive must be at least 1, and times the first γ at most 1")
	return errors.Join(wrong...)
}

// complaints are errors in the flags.
type complaints []error

func (c *complaints) when(wrong bool, format string, args ...any) {
	if wrong {
		*c = append(*c, fmt.Errorf(format, args...))
	}
}

func (c *Efficiency) points() int {
	if c.Points == nil {
		return 10
	}
	return *c.Points
}

func (c *Efficiency) checkTable3() error {
	if c.Alpha != 0 || c.NoiseMultiplier != nil || c.EpsilonAtOrder != nil || c.Gamma != nil || c.Points != nil ||
		c.Rounds != 1 || c.Adaptive != nil || c.Clip != nil || c.Claim != "" {
		return errors.New("--table-3 goes with --delta, --json and -o only: it has settings of its own")
	}
	return nil
}

// checkDraws checks a clip and a prior. Beyond these limits the inherent loss is too large or too small to be of use.
func checkDraws(clip, prior float64) error {
	const least, most = 1e-12, 1e12
	if !(clip >= least && clip <= most && prior >= least && prior <= most) {
		return fmt.Errorf("--clip and --prior must be in [%v, %v], are %v and %v", least, most, clip, prior)
	}
	return nil
}

// Answer works out what the flags ask for.
func (c *Efficiency) Answer() (*efficiencyAnswer, error) {
	if c.Table3 {
		return table3(c.Delta)
	}
	s := c.study()
	a := s.answer()
	for _, gamma := range s.ratios {
		row, err := s.row(gamma)
		if err != nil {
			return nil, err
		}
		if c.Claim != "" {
			row.Claim = s.claim(gamma)
		}
		if c.Adaptive != nil && *c.Adaptive*gamma <= 1 {
			if row.Adaptive, err = s.adaptive(gamma, *c.Adaptive); err != nil {
				return nil, err
			}
		}
		a.Rows = append(a.Rows, row)
	}
	extremum := s.Extremum(s.Loss)
	a.Extremum = &extremum
	if c.Claim != "" {
		claimed := s.Extremum(s.Printed)
		a.ClaimedExtremum = &claimed
	}
	var err error
	if c.Clip != nil {
		a.Draws, err = s.draws(*c.Clip, *c.Prior)
	}
	return a, err
}
