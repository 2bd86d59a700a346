// Package simulation runs whole pipelines in one process, under a seed that replays any failure.
//
// A Scenario has jobs: pipelines of stages, which a supervisor starts again after each failure, as systemd would. All
// processes of a run are goroutines in one bubble of testing/synctest, with virtual time. What they do to files, pipes
// and brokers are effects (package effect). The scheduler waits until all goroutines are blocked, and lets one effect
// happen, which the seed picks. At some effects the plan of the seed has a fault: the process is killed before, within
// or after the effect, the power fails, the disk is full or fails, a pipe takes a part, or hours pass. Package system
// keeps files in memory, with what a power cut would leave of them (package durable).
//
// The stages are the shipped sources, and have no switch for this. Package run builds them with an overlay, where their
// imports of os, syscall, sync, crypto/rand and a few others lead to the packages of the same names beside this one.
// Random bytes come from the seed. In half of the runs they depend on the life of the process, so that a second noise
// for a round is another noise. In the other half a restarted process draws the same, and the run must release what a
// run without faults releases.
//
// A Watcher checks, at each write of a privatizer, that a power cut now could not take the charge of a release that
// leaves, and that each round has one release. In the end each round was charged once, nothing unfinished is left, and
// no message, ledger or release has a private word. A broken rule, or a job that starts twenty times, is a failure. The
// test prints its seed and the fewest faults that still make it fail:
//
//	go test -v -run 'TestSimulation$' ./pipelines/testkit/simulation/run  # fixed seeds, as in the gate
//	.ci/deep simulate                                                     # fresh seeds
//
// The variable PRIVPIPE_SIMULATIONS sets the number of schedules of each scenario. PRIVPIPE_SIMULATION='4 wall' replays
// one schedule, seed 4 of the scenario wall, and prints its effects. The build takes a minute at first. A line has the
// program and its life, the effect, the file, the FNV-1a of the bytes (cbf29ce484222325 for none) and the fault.
//
// What it cannot show: faults of the real file system and of SIGKILL itself, a wait that the standard library hides
// from testing/synctest, and the code outside of filter.Execute, such as signals. After a failed fsync the content of a
// file counts as not durable until another fsync succeeds; some file systems forget it. The tests with package crash
// kill real processes.
package simulation
