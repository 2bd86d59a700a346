package shares

import (
	"fmt"
	"math"
)

// An Alarm is a share that moved more than chance explains.
type Alarm struct {
	Window   string  `json:"window"`
	Group    string  `json:"group,omitempty"`
	Topic    string  `json:"topic"` // a number from 0, or "none"
	Name     string  `json:"name,omitempty"`
	Share    float64 `json:"share"`
	Baseline float64 `json:"baseline"`
	// Least is the change that is needed for an alarm.
	Least float64 `json:"least"`
}

// line says the alarm in words.
func (a *Alarm) line() string {
	name, verb := a.Name, "rose"
	switch {
	case a.Topic == none:
		name = "no known word"
	case name == "":
		name = "topic " + a.Topic
	}
	if a.Group != "" {
		name = a.Group + ": " + name
	}
	if a.Share < a.Baseline {
		verb = "fell"
	}
	return fmt.Sprintf("%s: %s %s to %.1f %% of the text, from %.1f %% before", a.Window, name, verb, 100*a.Share,
		100*a.Baseline)
}

// A Test is the rule for alarms.
type Test struct {
	Rate     float64 // probability of a false alarm in a window, of all its topics together
	Baseline int     // number of windows before, which the share is compared with
	Change   float64 // changes of a share up to this are no news
}

// enough is the number of deviations that a total must be above 0. A share of a smaller total has no use.
const enough = 5

// change returns by how much a share differs from its baseline, and the least change that is an alarm; 0 if there are
// too few documents for one. z belongs to the rate.
//
// If nothing has changed, the documents of all these windows are drawn independently from one distribution. Then a sum
// of N shares in [0, 1] with the mean s has at most the variance N·s(1 − s), that of a yes or no, and the noise adds
// its own. The threshold is the quantile of their sum by Cornish and Fisher (Moments and cumulants in the specification
// of distributions, 1938; Abramowitz and Stegun 26.2.49): z·√κ₂ + (z² − 1)·κ₃/6κ₂. The third cumulant κ₃ matters for
// rare topics. A document that has several topics varies less than a yes or no, so the true rate is below the stated
// one.
func (t Test) change(baseline, now cell, z float64) (d, least float64) {
	if !baseline.clear(enough) || !now.clear(enough) {
		return 0, 0
	}
	s := baseline.add(now).share()
	spread := s * (1 - s)
	second := spread*(1/now.total+1/baseline.total) + now.shareVariance(s) + baseline.shareVariance(s)
	if second == 0 {
		return 0, 0
	}
	third := spread * (1 - 2*s) * (1/(now.total*now.total) - 1/(baseline.total*baseline.total))
	skew := (z*z - 1) * third / (6 * second)
	if d = now.share() - baseline.share(); d < 0 {
		d, skew = -d, -skew
	}
	return d, t.Change + z*math.Sqrt(second) + max(0, skew)
}
