// Command tokenize turns text into bags of words over a public vocabulary, and rows, vectors and images into documents
// over public features. It stands behind the privacy wall: its input and its output are private.
package main

import (
	"privpipe/pipelines/handover"
	"privpipe/tokenize/command"
)

func main() { handover.Main(command.Program) }
