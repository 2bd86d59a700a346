package ledgers

import (
	"errors"
	"fmt"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/print"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/rounded"
)

// AlarmFlags make a command fail although its output is right and has been written. They are for cron, which mails the
// message.
type AlarmFlags struct {
	Alarm      *float64 `group:"Alarms" placeholder:"X" help:"Exit with code 83 after the output if more than this part of the ledger's budget is spent, at the budget's own δ; 0.8 is 80 %. The budget is that of account ledger new. With a filter it is the filter's limit, and without either the latest planned budget."`
	MaxEpsilon *float64 `group:"Alarms" placeholder:"X" help:"Exit with code 83 after the output if the ledger's ε is above X, at the δ of the output."`
}

// CheckAlarms checks the flags. If the output is at a given ε, there is no ε to watch.
func (a *AlarmFlags) CheckAlarms(epsilon *float64) error {
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

// Watch returns the alarm that is due for a ledger, or nil for none. delta is the δ of the command's output. Other
// errors are err.
func (a *AlarmFlags) Watch(name string, ledger *event.Ledger, spending accountant.Spending,
	delta float64) (alarm, err error) {
	if a.Alarm == nil && a.MaxEpsilon == nil {
		return nil, nil
	}
	spent, err := spending(ledger.Charges())
	if err != nil {
		return nil, err
	}
	var due []error
	if a.Alarm != nil {
		b := Total(ledger)
		switch {
		case b != nil:
			over, err := b.over(*a.Alarm, ledger, spent)
			if err != nil {
				return nil, err
			}
			if over != nil {
				due = append(due, over)
			}
		case len(ledger.Charges()) > 0: // without charges nothing is spent, whatever the budget will be
			return nil, exit.Errorf(exit.Usage,
				"--alarm would never ring: neither %s nor a grant that it was charged by has a budget", name).
				WithHint("name one with --max-epsilon and --delta")
		}
	}
	if a.MaxEpsilon != nil {
		epsilon, err := spent.Epsilon(delta)
		if err != nil {
			return nil, err
		}
		if !(epsilon <= *a.MaxEpsilon) {
			due = append(due, fmt.Errorf("ε %s is spent at δ %v, more than %v", rounded.Up(epsilon), delta,
				*a.MaxEpsilon))
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

// over returns an error if the ledger's charges, with profile p, have spent more than this share of the budget. It
// returns nil if they have not.
func (b *budget) over(share float64, ledger *event.Ledger, p accountant.UpperProfile) (over, err error) {
	spent, limit, err := b.Spent(ledger, p)
	if err != nil || spent <= share*limit {
		return nil, err
	}
	if b.Filter != nil {
		return fmt.Errorf("%s is spent by the filter %s, more than %v of its limit %s", rounded.Up(spent),
			b.Filter.Measure, share, rounded.Up(limit)), nil
	}
	whose := "the ledger's own budget"
	if b.Grant != "" {
		whose = fmt.Sprintf("the budget of grant %s,", print.Quoted(b.Grant))
	}
	return fmt.Errorf("ε %s is spent at δ %v, more than %v of %s %v", rounded.Up(spent), b.Delta, share, whose, limit),
		nil
}
