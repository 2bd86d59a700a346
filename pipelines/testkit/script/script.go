// Package script runs the testscripts of the stages. A script calls the stage by its name, and three programs beside
// it:
//
//	show FILE                    prints the records of a stream as JSON Lines, see pipelines/show
//	ledger [-id HEX] FILE…       begins ledgers, as account ledger new does; with -id the identity is HEX, and the
//	                             time is always the same, so that the ledger's hash is, too
//	exits CODE PROGRAM ARGUMENT… runs PROGRAM and succeeds if it exits with CODE
package script

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/view"
)

// Main is for TestMain in a stage. It makes the test binary serve as each of the programs, which maps names to main
// functions.
func Main(m *testing.M, programs map[string]func()) {
	all := map[string]func(){"show": view.Main, "exits": exits, "ledger": ledgers}
	maps.Copy(all, programs)
	testscript.Main(m, all)
}

// Run runs the scripts testdata/script/*.txtar. Each runs in a new folder with the given files, by name.
func Run(t *testing.T, files map[string][]byte) {
	testscript.Run(t, testscript.Params{
		Dir:       "testdata/script",
		Condition: testkit.Scripted,
		Setup: func(e *testscript.Env) error {
			if mutant, set := os.LookupEnv("PRIVPIPE_MUTANT"); set { // see pipelines/testkit/mutants
				e.Setenv("PRIVPIPE_MUTANT", mutant)
			}
			for name, content := range files {
				if err := os.WriteFile(e.WorkDir+"/"+name, content, 0o666); err != nil {
					return err
				}
			}
			return nil
		},
	})
}

func ledgers() {
	id := flag.String("id", "", "identity")
	flag.Parse()
	for _, path := range flag.Args() {
		head, at := event.NewHead(), time.Now()
		if *id != "" {
			head.ID, at = *id, time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
		}
		content, err := event.NewLedger(head, at)
		if err == nil {
			err = os.WriteFile(path, content, 0o644)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "ledger: %v\n", err)
			os.Exit(2)
		}
	}
}

func exits() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "exits: usage: exits CODE PROGRAM ARGUMENT…")
		os.Exit(2)
	}
	command := exec.Command(os.Args[2], os.Args[3:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := command.Run()
	if stopped := (*exec.ExitError)(nil); err != nil && !errors.As(err, &stopped) {
		fmt.Fprintf(os.Stderr, "exits: %v\n", err)
		os.Exit(2)
	}
	if got := strconv.Itoa(command.ProcessState.ExitCode()); got != os.Args[1] {
		fmt.Fprintf(os.Stderr, "exits: got exit code %s, want %s\n", got, os.Args[1])
		os.Exit(1)
	}
}
