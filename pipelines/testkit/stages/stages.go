// Package stages gives tests the built programs, to run them in a shell as a user does.
package stages

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Root is the project's folder.
var Root = func() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "../../..")
}()

// Given names a folder with programs that are built already. They have a planted fault, see ../mutants, or come from
// the test program that runs another.
const Given = "PRIVPIPE_TEST_BIN"

// Pipes is a flag of Main. Tests that name no topic take programs without Kafka, which start in a third of the time.
const Pipes = "-tags=pipes"

// Main builds the stages with flags of `go build`, puts them first on PATH, runs the tests of m and ends the process.
// PRIVPIPE_BIN tells the recipes not to build the stages again.
func Main(m *testing.M, flags ...string) {
	bin := os.Getenv(Given)
	if bin == "" {
		var err error
		if bin, err = Build("./...", append(flags, "-ldflags=-w")...); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	Use(bin)
	os.Exit(m.Run())
}

// Use puts a folder with programs first on PATH, and names the folder to the recipes.
func Use(bin string) {
	os.Setenv("PRIVPIPE_BIN", bin)
	os.Setenv("PATH", bin+":"+os.Getenv("PATH"))
}
