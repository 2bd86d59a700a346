// Command mstep turns releases into parameters and a model. It stands outside the privacy wall. It reads only public
// data, so it costs no privacy.
package main

import (
	"privpipe/mstep/command"
	"privpipe/pipelines/handover"
)

func main() { handover.Main(command.Program) }
