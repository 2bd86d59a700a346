package event

import (
	"fmt"
	"math"
)

// The checks below refuse NaN. Each error names the rule and the value.

// CheckEpsilon checks a privacy budget ε.
func CheckEpsilon(epsilon float64) error { return positive("epsilon", epsilon) }

// CheckDelta checks a probability δ of the (ε, δ) guarantee.
func CheckDelta(delta float64) error {
	if !(delta > 0 && delta < 1) {
		return fmt.Errorf("delta must be in (0, 1), is %v", delta)
	}
	return nil
}

// CheckClip checks a bound on a unit's contribution.
func CheckClip(clip float64) error { return positive("clip", clip) }

// CheckNoiseMultiplier checks σ/C, the noise scale divided by the clip.
func CheckNoiseMultiplier(sigma float64) error { return positive("noise multiplier", sigma) }

// CheckRate checks the expected share of units in a round.
func CheckRate(rate float64) error {
	if !(rate > 0 && rate <= 1) {
		return fmt.Errorf("sampling rate must be in (0, 1], is %v", rate)
	}
	return nil
}

// MaxRounds bounds the rounds of a plan.
const MaxRounds = 1 << 31

// CheckRounds checks a number of rounds or releases.
func CheckRounds(rounds int) error {
	if rounds < 1 || rounds > MaxRounds {
		return fmt.Errorf("number of rounds must be in [1, %d], is %d", MaxRounds, rounds)
	}
	return nil
}

// CheckName checks a run's name, which is also a folder's name.
func CheckName(name string) error {
	if name == "" || len(name) > 64 || name[0] == '.' {
		return fmt.Errorf("name must have 1 to 64 characters and not begin with a point, is %q", name)
	}
	for _, c := range name {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-' {
			return fmt.Errorf("name may hold letters, digits, '.', '_' and '-' only, is %q", name)
		}
	}
	return nil
}

func positive(name string, v float64) error {
	if !(v > 0 && v <= math.MaxFloat64) {
		return fmt.Errorf("%s must be positive and finite, is %v", name, v)
	}
	return nil
}

func oneOf(name, v string, allowed ...string) error {
	for _, a := range allowed {
		if v == a {
			return nil
		}
	}
	return fmt.Errorf("unknown %s %q, must be one of %q", name, v, allowed)
}
