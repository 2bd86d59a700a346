// Command show prints any stream as JSON Lines, to look into a pipeline.
package main

import (
	_ "privpipe/pipelines/endpoint/transports"
	"privpipe/pipelines/view"
)

func main() { view.Main() }
