package run

import (
	"fmt"
	"os/exec"
	"path/filepath"

	"privpipe/pipelines/testkit/mutants"
	"privpipe/pipelines/testkit/overlay"
)

const here = "pipelines/testkit/simulation"

// instead has the simulated packages by the packages that they replace.
var instead = map[string]string{
	"crypto/rand":           "privpipe/" + here + "/rand",
	"golang.org/x/sys/unix": "privpipe/" + here + "/unix",
	"os":                    "privpipe/" + here + "/os",
	"os/signal":             "privpipe/" + here + "/signal",
	"path/filepath":         "privpipe/" + here + "/filepath",
	"sync":                  "privpipe/" + here + "/sync",
	"syscall":               "privpipe/" + here + "/syscall",
}

// Build builds the tests of this package on the simulated machine, with all mutants that it names, and returns the
// program's name in the folder to.
func Build(root, to string, planted []*mutants.Mutant) (string, error) {
	o, err := overlay.New(root)
	if err != nil {
		return "", err
	}
	stages := []string{"estep", "mstep", "pipelines", "privatize", "sample", "tokenize"}
	err = o.Imports(instead, stages, []string{"pipelines/testkit"})
	if err == nil {
		err = o.ImportsOf(instead, here+"/run/files.go")
	}
	if err == nil {
		// With one goroutine the order of draws does not depend on the machine.
		err = o.Edit(overlay.Edit{File: "privatize/internal/release/noise.go", From: "runtime.GOMAXPROCS(0)",
			To: "min(1, runtime.GOMAXPROCS(0))"})
	}
	if err == nil {
		err = mutants.Plant(o, planted, here+"/planted")
	}
	if err != nil {
		return "", err
	}
	table, err := o.Write(to)
	if err != nil {
		return "", err
	}
	program := filepath.Join(to, "simulation.test")
	build := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", table, "-o", program,
		"./"+here+"/run")
	build.Dir = o.Root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return program, nil
}
