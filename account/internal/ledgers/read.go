// Package ledgers reads ledgers and checks more than their chain of hashes: grants, budgets, filters, and releases that
// were stored or sent.
package ledgers

import (
	"context"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
)

// Read reads a ledger and verifies it. Its chain must be whole. Each line must be one that the privatizer would have
// written after the lines before it. Otherwise Read returns an error, so that nothing is computed from a forged line's
// loss. A file without any line is no ledger.
func Read(ctx context.Context, name string) (*event.Ledger, error) {
	in, err := endpoint.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	ledger, err := event.ReadLedger(in, in.Name)
	if err == nil && ledger.CheckBegun() != nil {
		// A ledger that somebody emptied would seem to have spent nothing.
		return nil, exit.Errorf(exit.Missing, "%s: %w", in.Name, ledger.CheckBegun())
	}
	if err == nil {
		err = CheckGrants(in.Name, ledger)
	}
	if err != nil {
		return nil, err
	}
	return ledger, nil
}

// ReadGrant reads a grant from a file.
func ReadGrant(ctx context.Context, name string) (*event.Grant, error) {
	b, err := endpoint.ReadFile(ctx, name, 1<<20)
	if err != nil {
		return nil, err
	}
	g, err := event.ParseGrant(b)
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	return g, nil
}
