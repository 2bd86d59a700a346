package main

import (
	"errors"
	"io/fs"
	"slices"

	"privpipe/account/internal/compose"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
)

// spentBefore reads the ledger, if there is one.
func (c *planCommand) spentBefore() (*event.Ledger, *compose.Composition, error) {
	ledger := new(event.Ledger)
	if c.Ledger != "" {
		read, err := readLedger(c.Ledger)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
		if read != nil {
			ledger = read
		}
	}
	before, err := composed(c.Ledger, ledger)
	return ledger, before, err
}

// readLedger reads and verifies a ledger.
func readLedger(name string) (*event.Ledger, error) {
	in, err := endpoint.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return event.ReadLedger(in, in.Name)
}

// composed composes the charges of a ledger. The error for one that does not fit those before it names its line.
func composed(name string, ledger *event.Ledger) (*compose.Composition, error) {
	composition, err := compose.New(ledger.Charges())
	var misfit *compose.ChargeError
	if errors.As(err, &misfit) {
		line := slices.IndexFunc(ledger.Lines, func(l *event.Line) bool { return l.Charge == misfit.Charge })
		return nil, &event.LedgerError{Name: name, Line: line + 1, Err: err}
	}
	return composition, err
}

// readComposed reads, verifies and composes a ledger.
func readComposed(name string) (*event.Ledger, *compose.Composition, error) {
	ledger, err := readLedger(name)
	if err != nil {
		return nil, nil, err
	}
	composition, err := composed(name, ledger)
	return ledger, composition, err
}
