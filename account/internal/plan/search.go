package plan

import (
	"privpipe/account/internal/accountant"
	"privpipe/account/internal/search"
)

// setLeast sets the least x in [low, high] that keeps ε within the budget. set changes the grant. If high does not keep
// the budget, setLeast returns an error.
func (s *solver) setLeast(low, high float64, done func(low, high float64) bool, set func(x float64)) error {
	set(high)
	epsilon, err := s.epsilon(s.Accountant)
	if err != nil {
		return err
	}
	if epsilon > s.Epsilon {
		return s.overBudget(epsilon)
	}
	x, err := s.least(low, high, done, set)
	if err == nil {
		set(x)
	}
	return err
}

// least returns the least x, as search.Least does. high must be within the budget. It asks Rényi curves first, which
// are fast. They reach the budget at a slightly larger x than pld.
func (s *solver) least(low, high float64, done func(low, high float64) bool, set func(x float64)) (float64, error) {
	by := func(a *accountant.Accountant) func(float64) (float64, error) {
		return func(x float64) (float64, error) {
			set(x)
			epsilon, err := s.epsilon(a)
			return epsilon / s.Epsilon, err
		}
	}
	chosen, curves := by(s.Accountant), by(accountant.Named("renyi"))
	start := high
	if ratio, err := curves(high); err == nil && ratio <= 1 {
		if start, err = search.Least(low, high, search.Within(1e-3), curves); err != nil {
			return 0, err
		}
	}
	if s.Accountant.Name == "renyi" {
		return search.Least(low, start, done, chosen)
	}
	// Then pld searches by steps from there. So pld does not evaluate values of x that are far off.
	for step := 1.1; ; step *= step {
		ratio, err := chosen(start)
		if err != nil {
			return 0, err
		}
		if ratio > 1 {
			start = min(high, start*step)
			continue
		}
		if start == low {
			return low, nil
		}
		next := max(low, start/step)
		if ratio, err = chosen(next); err != nil {
			return 0, err
		}
		if ratio > 1 {
			return search.Least(next, start, done, chosen)
		}
		start = next
	}
}
