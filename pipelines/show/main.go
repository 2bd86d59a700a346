// Command show prints any stream as JSON Lines, for inspection of a pipeline.
package main

import (
	_ "privpipe/pipelines/network"
	"privpipe/pipelines/view"
)

func main() { view.Main() }
