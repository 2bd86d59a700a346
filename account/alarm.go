package main

import (
	"errors"
	"fmt"

	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
)

// alarmFlags are when a command fails although its output is right, and written: for cron, which mails what is said then.
type alarmFlags struct {
	Alarm      *float64 `group:"Alarms" placeholder:"X" help:"Exit with code 83, behind the output, once more than this part of any grant's ε is spent, at its own δ: 0.8 is 80 %."`
	MaxEpsilon *float64 `group:"Alarms" placeholder:"X" help:"Exit with code 83, behind the output, once the ledger's ε is above X, at the δ of the output."`
}

// checkAlarms checks the flags. The output may be at a given ε, where there is no ε to watch.
func (a *alarmFlags) checkAlarms(epsilon *float64) error {
	if a.MaxEpsilon != nil && epsilon != nil {
		return errors.New("--max-epsilon is at a δ: give --delta, not --epsilon")
	}
	if a.Alarm != nil && !(*a.Alarm > 0 && *a.Alarm <= 1) {
		return fmt.Errorf("--alarm must be above 0 and at most 1, is %v", *a.Alarm)
	}
	if a.MaxEpsilon != nil {
		if err := event.CheckEpsilon(*a.MaxEpsilon); err != nil {
			return fmt.Errorf("--max-epsilon: %w", err)
		}
	}
	return nil
}

// watch returns the alarm that is due for a ledger whose output is at δ, nil for none; and what else is wrong.
func (a *alarmFlags) watch(name string, ledger *event.Ledger, spending spending, delta float64) (alarm, err error) {
	if a.Alarm == nil && a.MaxEpsilon == nil {
		return nil, nil
	}
	spent, err := spending(ledger.Charges())
	if err != nil {
		return nil, err
	}
	var due []error
	if a.Alarm != nil {
		all := budgets(ledger)
		if len(all) == 0 && len(ledger.Lines) > 0 { // an empty ledger has no grant yet
			return nil, exit.Errorf(exit.Usage, "--alarm would never ring: no grant of %s has a budget", name).
				WithHint("name one with --max-epsilon and --delta")
		}
		for _, b := range all {
			epsilon, err := spent.Epsilon(b.delta)
			if err != nil {
				return nil, err
			}
			if !(epsilon <= *a.Alarm*b.epsilon) {
				due = append(due, fmt.Errorf("ε %s is spent at δ %v, more than %v of the budget %v",
					roundUp(epsilon), b.delta, *a.Alarm, b.epsilon))
			}
		}
	}
	if a.MaxEpsilon != nil {
		epsilon, err := spent.Epsilon(delta)
		if err != nil {
			return nil, err
		}
		if !(epsilon <= *a.MaxEpsilon) {
			due = append(due, fmt.Errorf("ε %s is spent at δ %v, more than %v", roundUp(epsilon), delta, *a.MaxEpsilon))
		}
	}
	switch len(due) {
	case 0:
		return nil, nil
	case 1:
		return exit.Errorf(exit.Refused, "%s: alarm: %w", name, due[0]), nil
	}
	return exit.Errorf(exit.Refused, "%s: alarm: %w (and %d more)", name, due[0], len(due)-1), nil
}
