// Command show prints any stream as JSON Lines, for inspection of a pipeline.
package main

import (
	_ "privpipe/pipelines/endpoint/transports"
	"privpipe/pipelines/view"
)

func main() { view.Main() }
