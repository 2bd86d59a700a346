package main

import (
	"errors"
	"slices"

	"privpipe/account/internal/compose"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
)

// readLedger reads a ledger and verifies it: that its chain is whole, and that each line is one that the privatizer would
// have written after those before. A file without a line is no ledger. What a forged line says of its loss is not worked with.
func readLedger(name string) (*event.Ledger, error) {
	in, err := endpoint.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	ledger, err := event.ReadLedger(in, in.Name)
	if err == nil && ledger.CheckBegun() != nil {
		// An emptied ledger would seem to have spent nothing.
		return nil, exit.Errorf(exit.Missing, "%s: %w", in.Name, ledger.CheckBegun())
	}
	if err == nil {
		err = checkGrants(in.Name, ledger)
	}
	if err != nil {
		return nil, err
	}
	return ledger, nil
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
