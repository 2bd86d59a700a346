// Command tokenize turns text into bags of words over a public vocabulary, and rows, vectors and images into documents
// over public features. It stands behind the privacy wall: its input and its output are private.
package main

import (
	"privpipe/pipelines/filter"
	"privpipe/tokenize/command"
)

func main() { filter.Main(command.Program) }
