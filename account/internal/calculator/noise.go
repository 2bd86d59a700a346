package calculator

import (
	"errors"
	"fmt"
	"math"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/loss"
	"privpipe/account/internal/pld"
	"privpipe/account/internal/print"
	"privpipe/account/internal/search"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/rounded"
)

// An unreachable ε is below all that noise in range has.
type unreachable struct {
	epsilon, delta float64
	least          float64 // ε that some noise has, as far as it was looked for
}

func (e *unreachable) Error() string {
	return fmt.Sprintf("no noise that it accounts for has ε %v at δ %v: the least is ε %s", e.epsilon, e.delta, rounded.Up(e.least))
}

// A NoiseQuery asks for the least noise, as flags.
type NoiseQuery struct {
	SettingFlags
	Epsilon float64 `required:"" placeholder:"X" help:"ε of the guarantee. Above 10 it protects little."`
	Delta   float64 `required:"" placeholder:"X" help:"δ of the guarantee."`
	accountant.Choice
}

func (c *NoiseQuery) Validate() error {
	return errors.Join(c.check(), event.CheckEpsilon(c.Epsilon), accountant.CheckDelta(c.Delta))
}

// Find returns the answer of the chosen accountants for the least noise with which that very answer is at most the wanted ε. A
// search may have bounds that are a little less than those of the answer, and a table has noise of four digits.
func (c *NoiseQuery) Find(forTable bool) (*Answer, error) {
	s := c.Setting()
	epsilon, printed := c.Epsilon, func(noise float64) float64 { return noise }
	if forTable { // a printed ε is rounded up
		s.printed, epsilon, printed = true, rounded.FourDigitsDown(c.Epsilon), rounded.FourDigitsUp
	}
	start, err := Best(c.Choice, c.leastNoise(s, epsilon))
	if err != nil {
		return nil, err
	}
	answered := func(noise float64) (*Answer, error) {
		return Best(c.Choice, s.Asked(noise).By(accountant.EpsilonAt(c.Delta)))
	}
	_, most := s.extent()
	for noise, step := printed(float64(start.NoiseMultiplier)), 1e-7; noise <= most; step *= 4 {
		found, err := answered(noise)
		if err == nil && float64(found.Epsilon) <= epsilon {
			return found, nil
		}
		noise = printed(noise * (1 + step))
	}
	found, err := answered(most)
	if err != nil {
		return nil, err
	}
	return nil, exit.Errorf(exit.Refused, "%w", &unreachable{c.Epsilon, c.Delta, float64(found.Epsilon)})
}

// leastNoise asks an accountant for the least noise, if that is less than another's before.
func (c *NoiseQuery) leastNoise(s *Setting, epsilon float64) func(*accountant.Accountant) (*Answer, error) {
	best := math.Inf(1) // of the accountants so far
	return func(a *accountant.Accountant) (*Answer, error) {
		if !math.IsInf(best, 1) && !s.holds(a, best*(1-1e-6), epsilon, c.Delta) {
			return nil, errMoreNoise
		}
		noise, err := s.leastNoise(a, epsilon, c.Delta)
		if err != nil {
			return nil, err
		}
		best = min(best, noise)
		return &Answer{NoiseMultiplier: print.Number(noise)}, nil
	}
}

var errMoreNoise = errors.New("it asks for more noise than another accountant")

// holds says that an accountant proves (ε, δ) with some noise.
func (s *Setting) holds(a *accountant.Accountant, noise, epsilon, delta float64) bool {
	p, _, err := a.Profile(s.list(noise))
	if err != nil {
		return false
	}
	bound, err := p.Epsilon(delta)
	return err == nil && bound.Upper <= epsilon
}

// extent is the noise, over C, in which accountants are known to be right, as checkNoise has it; of noise to be printed, with
// the digits of a table.
func (s *Setting) extent() (low, most float64) {
	low, most = leastSigma*s.Sensitivity, mostSigma*s.Sensitivity
	for low/s.Sensitivity < leastSigma {
		low = math.Nextafter(low, math.Inf(1))
	}
	for most/s.Sensitivity > mostSigma {
		most = math.Nextafter(most, 0)
	}
	if s.printed {
		return rounded.FourDigitsUp(low), rounded.FourDigitsDown(most)
	}
	return low, most
}

// leastNoise returns the least noise, over C, for which an accountant proves (ε, δ): its own bound there is at most ε. An
// *unreachable error says that no noise does.
func (s *Setting) leastNoise(a *accountant.Accountant, epsilon, delta float64) (float64, error) {
	low, most := s.extent()
	var refusal error // of every noise
	least := math.NaN()
	ratio := func(noise float64) (float64, error) {
		p, _, err := a.Profile(s.list(noise))
		var bound loss.Bound
		if err == nil {
			bound, err = p.Epsilon(delta)
		}
		if err != nil { // of any noise, or of too little or too much
			refusal = err
			return math.Inf(1), nil
		}
		if !(least <= bound.Upper) {
			least = bound.Upper
		}
		return bound.Upper / epsilon, nil
	}
	if a.Name == "pld" {
		noise, err := s.quickNoise(epsilon, delta)
		if err != nil {
			return 0, err
		}
		return s.around(noise, a.Fine(), ratio, func() error { return &unreachable{epsilon, delta, least} })
	}
	// By steps of 2 first: an accountant may hold up to some noise only, and large noise takes long.
	for high := low; ; low, high = high, min(2*high, most) {
		if r, err := ratio(high); err != nil {
			return 0, err
		} else if r <= 1 {
			return search.Least(low, high, a.Fine(), ratio)
		}
		if high == most {
			break
		}
	}
	if !math.IsNaN(least) {
		return 0, &unreachable{epsilon, delta, least}
	}
	return 0, refusal
}

// quickNoise returns noise that pld's quick upper bound proves, or the most if there is none.
func (s *Setting) quickNoise(epsilon, delta float64) (float64, error) {
	low, most := s.extent()
	noise, err := pld.LeastNoise(epsilon, delta, low, most, accountant.Precise, func(noise float64) ([]pld.Event, error) {
		pairs, err := s.list(noise).Pairs()
		return pairs.Dominating, err
	})
	if errors.Is(err, pld.ErrNoise) {
		return most, nil
	}
	return noise, err
}

// around returns the least noise that it finds from some noise on, up or down, with a ratio of at most 1. What is proved at length
// is mostly what the quick bound has. At extremes it may be far less, and with several grids a little more.
func (s *Setting) around(
	noise float64, done func(low, high float64) bool, ratio func(noise float64) (float64, error), none func() error,
) (float64, error) {
	low, most := s.extent()
	r, err := ratio(noise)
	if err != nil {
		return 0, err
	}
	if r <= 1 {
		less := noise * (1 - 1e-3)
		if less < low {
			return noise, nil
		}
		if r, err = ratio(less); err != nil || r > 1 {
			return noise, err
		}
		return search.Least(max(low, noise/4), less, done, ratio)
	}
	for step := 1e-6; noise < most; step *= 4 {
		before := noise
		noise = min(most, noise*(1+step))
		if r, err = ratio(noise); err != nil {
			return 0, err
		}
		if r <= 1 {
			return search.Least(before, noise, search.Within(max(1e-6, step/4)), ratio)
		}
	}
	return 0, none()
}
