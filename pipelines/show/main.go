// Command show prints any stream as JSON Lines, to inspect a pipeline.
package main

import (
	_ "privpipe/pipelines/network/topics"
	"privpipe/pipelines/view"
)

func main() { view.Main() }
