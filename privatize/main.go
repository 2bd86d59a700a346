// Command privatize is the privacy wall: it turns private contributions into noisy releases, each charged to a ledger
// before it leaves. This folder holds all code that protects people. PRIVACY.md states the claim.
package main

import (
	"privpipe/pipelines/filter"
	"privpipe/privatize/command"
)

func main() { filter.Main(command.Program) }
