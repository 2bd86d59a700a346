// Command sample draws the units of each training round from a corpus of documents, and states the sampling scheme. It
// stands behind the privacy wall. Amplification by sampling rests on the secrecy of its coins.
package main

import (
	"privpipe/pipelines/handover"
	"privpipe/sample/command"
)

func main() { handover.Main(command.Program) }
