// Command account plans privacy budgets and recomputes what a ledger has spent. It reads events, never data.
package main

import (
	"privpipe/account/command"
	"privpipe/pipelines/handover"
)

func main() { handover.Main(command.Program) }
