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

// An unreachable error says that no noise in the range reaches the wanted ε.
type unreachable struct {
	epsilon, delta float64
	least          float64 // the least ε that the search found
}

func (e *unreachable) Error() string {
	return fmt.Sprintf("no noise that it accounts for has ε %v at δ %v: the least is ε %s", e.epsilon, e.delta,
		rounded.Up(e.least))
}

// A NoiseQuery has the flags that ask for the least noise.
type NoiseQuery struct {
	SettingFlags
	Epsilon float64 `required:"" placeholder:"X" help:"ε of the guarantee. Above 10 it protects little."`
	Delta   float64 `required:"" placeholder:"X" help:"δ of the guarantee."`
	accountant.Choice
}

func (c *NoiseQuery) Validate() error {
	return errors.Join(c.check(), event.CheckEpsilon(c.Epsilon), accountant.CheckDelta(c.Delta))
}

// Find returns the answer for the least noise that has an answer of at most the wanted ε. The answer is computed again
// for that very noise: the search may use slightly smaller bounds, and a table prints noise with four digits.
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
		q := s.Asked(noise)
		q.list.UpperOnly = forTable // a table has no lower bound
		return Best(c.Choice, q.By(accountant.EpsilonAt(c.Delta)))
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

// leastNoise asks an accountant for the least noise, unless an earlier accountant has found less noise.
func (c *NoiseQuery) leastNoise(s *Setting, epsilon float64) func(*accountant.Accountant) (*Answer, error) {
	best := math.Inf(1) // least noise of the accountants so far
	return func(a *accountant.Accountant) (*Answer, error) {
		// Only pld counts the coin of an allocation: no other accountant has less noise.
		counted := a.Name == "pld" && s.Scheme.Method == event.Allocate
		if !counted && !math.IsInf(best, 1) && !s.holds(a, best*(1-1e-6), epsilon, c.Delta) {
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

// searched is the list for a step of a search.
func (s *Setting) searched(noise float64) *loss.List {
	l := s.list(noise)
	l.UpperOnly = true
	return l
}

// holds says whether an accountant proves (ε, δ) at this noise.
func (s *Setting) holds(a *accountant.Accountant, noise, epsilon, delta float64) bool {
	p, _, err := a.Profile(s.searched(noise))
	if err != nil {
		return false
	}
	bound, err := p.Epsilon(delta)
	return err == nil && bound.Upper <= epsilon
}

// extent returns the range of noise, over C, where accountants are known to be right: see checkNoise. For printed noise
// the ends are rounded into the range, to a table's digits.
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

// leastNoise returns the least noise, over C, that an accountant proves (ε, δ) for. The accountant's own bound there is
// at most ε. If no noise is enough, the error is *unreachable.
func (s *Setting) leastNoise(a *accountant.Accountant, epsilon, delta float64) (float64, error) {
	low, most := s.extent()
	var refusal error // if there is no bound at any noise
	least := math.NaN()
	ratio := func(noise float64) (float64, error) {
		p, _, err := a.Profile(s.searched(noise))
		var bound loss.Bound
		if err == nil {
			bound, err = p.Epsilon(delta)
		}
		if err != nil { // no bound at this noise; other noise may have one
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
	// Double the noise first. An accountant may have bounds only up to some noise, and large noise takes long.
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

// quickNoise returns noise that is enough by pld's quick upper bound. If there is none, it returns the most.
func (s *Setting) quickNoise(epsilon, delta float64) (float64, error) {
	low, most := s.extent()
	noise, err := pld.LeastNoise(epsilon, delta, low, most, accountant.Precise,
		func(noise float64) ([]pld.Event, error) {
			pairs, err := s.searched(noise).Pairs()
			return pairs.Dominating, err
		})
	if errors.Is(err, pld.ErrNoise) {
		return most, nil
	}
	return noise, err
}

// around searches from noise, up or down, and returns the least noise with a ratio of at most 1. The full proof mostly
// agrees with the quick bound. At extremes it may need far less noise, and with several grids a little more.
func (s *Setting) around(
	noise float64, done func(low, high float64) bool, ratio func(noise float64) (float64, error), none func() error,
) (float64, error) {
	low, most := s.extent()
	r, err := ratio(noise)
	if err != nil {
		return 0, err
	}
	if r <= 1 {
		// ε falls about as fast as noise grows, or faster. So where the full proof has no smaller ε than the quick one,
		// it does not have enough with less noise either. If it had, the answer would still hold.
		if r > 1-1e-4 {
			return noise, nil
		}
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
