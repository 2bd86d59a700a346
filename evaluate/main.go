// Command evaluate measures a model's quality and a privatizer's privacy. It reads scores and model files, and has no
// inference of its own. It audits privatizers and samplers as black boxes.
package main

import (
	"privpipe/evaluate/command"
	"privpipe/pipelines/filter"
)

func main() { filter.Main(command.Program) }
