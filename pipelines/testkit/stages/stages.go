// Package stages builds the programs for tests that run them as a user does, in a shell.
package stages

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// Root is the project's folder.
var Root = func() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "../../..")
}()

// Main builds the stages and puts them first on PATH, runs the tests of m and ends the process. PRIVPIPE_BIN tells the
// recipes not to build them again.
func Main(m *testing.M) {
	os.Exit(func() int {
		if bin := os.Getenv(Built); bin != "" {
			return run(m, bin)
		}
		bin, err := os.MkdirTemp("", "privpipe-bin-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(bin)
		build := exec.Command("go", "build", "-o", bin+"/", "./...")
		build.Dir = Root
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%s%v\n", out, err)
			return 1
		}
		return run(m, bin)
	}())
}

// Built is the variable with the folder of stages that a test gives to a test that it runs.
const Built = "PRIVPIPE_BUILT"

func run(m *testing.M, bin string) int {
	os.Setenv("PRIVPIPE_BIN", bin)
	os.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	return m.Run()
}
