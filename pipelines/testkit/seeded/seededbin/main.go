//go:build seeded

// Command seededbin builds the stages with noise and coins from a seed, and prints the name of their folder. BIN is the
// folder of the shipped stages, in which the new folder is. The programs protect nobody: tests use them, and evaluate
// replay.
//
//	go run -tags seeded ./pipelines/testkit/seeded/seededbin BIN
//
// The tag keeps it out of the programs that "go build ./..." makes.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"privpipe/pipelines/testkit/seeded"
	"privpipe/pipelines/testkit/stages"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "seededbin: error: wants BIN, the folder of the shipped stages")
		os.Exit(80)
	}
	bin, err := filepath.Abs(os.Args[1])
	if err == nil {
		bin, err = seeded.Build(stages.Root, bin)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "seededbin: error:", err)
		os.Exit(1)
	}
	fmt.Println(bin)
}
