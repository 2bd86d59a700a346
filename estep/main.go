// Command estep computes each private document's contribution to a round's statistics, given the parameters of the
// previous round. It stands behind the privacy wall: its output and its input, except the parameters, are private.
package main

import (
	"privpipe/estep/command"
	"privpipe/pipelines/handover"
)

func main() { handover.Main(command.Program) }
