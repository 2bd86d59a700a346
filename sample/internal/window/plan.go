package window

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// A Plan defines the windows. It is public and fixed before the run.
type Plan struct {
	Start  time.Time     // of window 1
	Length time.Duration // of each window
	Rounds int           // number of windows
	Grace  time.Duration // how long a window stays open after its end; at most Length
}

// Check returns an error with the first rule that p breaks.
func (p Plan) Check() error {
	if p.Length <= 0 {
		return fmt.Errorf("length of a window must be positive, is %v", p.Length)
	}
	if p.Grace < 0 || p.Grace > p.Length {
		return fmt.Errorf("grace must be in [0, %v], the length of a window, is %v", p.Length, p.Grace)
	}
	if int64(p.Rounds) > math.MaxInt64/int64(p.Length) {
		return errors.New("all windows together are longer than 292 years")
	}
	return nil
}

// At returns p with a start. If p has none, the start is the first whole multiple of its length that is not before now.
// Multiples are counted from the year 1 in UTC.
func (p Plan) At(now time.Time) Plan {
	if p.Start.IsZero() {
		p.Start = now.UTC().Truncate(p.Length)
		if p.Start.Before(now) {
			p.Start = p.Start.Add(p.Length)
		}
	}
	return p
}

// Of returns the window that an arrival time is in, from 1: window n is [Start + (n−1)·Length, Start + n·Length). It is
// 0 before the first window, and Rounds+1 after the last.
func (p Plan) Of(arrival time.Time) int {
	if arrival.Before(p.Start) {
		return 0
	}
	return int(min(int64(arrival.Sub(p.Start)/p.Length), int64(p.Rounds))) + 1
}

// begin is the start of window n.
func (p Plan) begin(n int) time.Time { return p.Start.Add(time.Duration(n-1) * p.Length) }

// over is the end of window n's grace period.
func (p Plan) over(n int) time.Time { return p.begin(n + 1).Add(p.Grace) }
