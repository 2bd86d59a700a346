// Command show prints any stream as JSON Lines, to inspect a pipeline.
package main

import (
	"privpipe/pipelines/handover"
	"privpipe/pipelines/view"
)

func main() { handover.Main(view.Program) }
