// Command show prints any stream as JSON Lines, to inspect a pipeline.
package main

import (
	"privpipe/pipelines/filter"
	"privpipe/pipelines/view"
)

func main() { filter.Main(view.Program) }
