// Command budget keeps the gate within its CPU time. It has two uses:
//
//	go test -exec "budget run FILE" ./...         runs a test program, and adds a line about its CPU time to FILE
//	go test -json … | budget report FILE SHARES   prints what failed, the slowest tests, and the packages by CPU time
//
// report fails if a test fails, or if all packages together use more CPU time than the total in SHARES. It marks a
// package that uses more than its share there. The CPU time includes a test program's children (getrusage). It is
// counted in seconds of a reference machine: a small computation is timed beside each package, and SHARES says how long
// the reference machine takes for it.
package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	if len(os.Args) > 3 && os.Args[1] == "run" {
		code, err := run(os.Args[2], os.Args[3:])
		if err != nil {
			fmt.Fprintf(os.Stderr, "budget: %v\n", err)
		}
		os.Exit(code)
	}
	if len(os.Args) != 4 || os.Args[1] != "report" {
		fmt.Fprintln(os.Stderr, "usage: budget run FILE PROGRAM ARGUMENT…; budget report FILE SHARES <RESULTS")
		os.Exit(2)
	}
	results, err := readResults(bufio.NewReader(os.Stdin), os.Stdout)
	if err == nil {
		err = report(os.Stdout, results, os.Args[2], os.Args[3])
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "budget: %v\n", err)
		os.Exit(1)
	}
}
