// Package run has the simulations of the stages. Its tests run in a binary that is built with an overlay: see Build.
package run

import (
	"os"

	"privpipe/pipelines/testkit/simulation/system"
)

// file returns a stage's file for a handle. In the overlay it is a file of the simulated machine.
func file(h *system.Handle) *os.File { return os.NewFile(h.Descriptor, h.Name) }

// simulated says that this program is built with the overlay.
func simulated() bool { return os.Args[0] == "simulated" }
