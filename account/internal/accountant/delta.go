package accountant

import (
	"fmt"

	"privpipe/pipelines/event"
)

// CheckDelta refuses the numbers of fewer digits below 2^-1022, too.
func CheckDelta(delta float64) error {
	if delta > 0 && delta < LeastDelta {
		return fmt.Errorf("delta must be at least %.4g, is %v", LeastDelta, delta)
	}
	return event.CheckDelta(delta)
}

// CheckPureDelta lets 0 pass, too: a pure ε.
func CheckPureDelta(delta float64) error {
	if delta == 0 {
		return nil
	}
	return CheckDelta(delta)
}

// LeastDelta is the least number with all digits.
const LeastDelta = 0x1p-1022
