package row

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Labels say what the labels of documents mean.
type Labels struct {
	Positive string // the class y = 1; every other class is y = 0
	Trials   int    // if positive: labels count successes in at most Trials binomial trials
}

// Outcome returns the label's number of successes and of trials. A class is one trial. A label with counts is
// "successes/trials", or only "successes" for Trials trials. The error does not tell the label, which is private.
func (l Labels) Outcome(label string) (successes, trials float64, err error) {
	switch {
	case l.Trials > 0:
		return l.counts(label)
	case label == "":
		return 0, 0, errors.New("a row has no class: every document needs a label")
	case label == l.Positive:
		return 1, 1, nil
	}
	return 0, 1, nil
}

func (l Labels) counts(label string) (successes, trials float64, err error) {
	first, second, both := strings.Cut(label, "/")
	if !both {
		second = strconv.Itoa(l.Trials)
	}
	n, err := strconv.ParseUint(second, 10, 31)
	if err == nil {
		var y uint64
		if y, err = strconv.ParseUint(first, 10, 31); err == nil && y <= n && n <= uint64(l.Trials) {
			return float64(y), float64(n), nil
		}
	}
	return 0, 0, fmt.Errorf("the label of a row is not SUCCESSES or SUCCESSES/TRIALS, with at most --trials %d trials",
		l.Trials)
}
