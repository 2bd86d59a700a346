package main

import (
	"privpipe/pipelines/exit"
	"privpipe/tokenize/internal/name"
)

// naming is the flag of the commands that name documents by content.
type naming struct {
	Prefix string `placeholder:"NAME" help:"Put NAME before the name of each document that has no id, which is named by its content; nothing by default. Equal documents of two runs have one name, which sample refuses, unless each run has a NAME of its own."`
}

// Validate is kong's hook.
func (n *naming) Validate() error {
	if err := name.CheckPrefix(n.Prefix); err != nil {
		return exit.Errorf(exit.Usage, "--prefix %w", err)
	}
	return nil
}
