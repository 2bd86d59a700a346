// Package script runs the testscripts of the stages. A script calls the stage by its name, and three commands
// beside it:
//
//	show FILE                    prints the records of a stream as JSON Lines, see pipelines/show
//	ledger [-id HEX] FILE…       begins ledgers, as account ledger new does; with -id the identity is HEX, and the
//	                             time is always the same, so that the ledger's hash is, too
//	exits CODE PROGRAM ARGUMENT… runs PROGRAM and fails if it exits with another code
//
// Only show is a program, which a shell may call.
package script

import (
	"errors"
	"flag"
	"maps"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"privpipe/pipelines/event"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/view"
)

// Main is for TestMain in a stage. It makes the test binary serve as each of the programs, which maps names to main
// functions.
func Main(m *testing.M, programs map[string]func()) {
	all := map[string]func(){"show": func() { filter.Main(view.Program) }}
	maps.Copy(all, programs)
	testscript.Main(m, all)
}

// Run runs the scripts testdata/script/*.txtar. Each runs in a new folder with the given files, by name.
func Run(t *testing.T, files map[string][]byte) {
	testscript.Run(t, testscript.Params{
		Dir:       "testdata/script",
		Condition: testkit.Scripted,
		Cmds:      map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "ledger": ledgers},
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

func ledgers(s *testscript.TestScript, negated bool, args []string) {
	flags := flag.NewFlagSet("ledger", flag.ContinueOnError)
	id := flags.String("id", "", "identity")
	if err := flags.Parse(args); err != nil || negated {
		s.Fatalf("usage: ledger [-id HEX] FILE…")
	}
	for _, path := range flags.Args() {
		head, at := event.NewHead(), time.Now()
		if *id != "" {
			head.ID, at = *id, time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
		}
		content, err := event.NewLedger(head, at)
		if err == nil {
			err = os.WriteFile(s.MkAbs(path), content, 0o644)
		}
		s.Check(err)
	}
}

func exits(s *testscript.TestScript, negated bool, args []string) {
	if len(args) < 2 {
		s.Fatalf("usage: exits CODE PROGRAM ARGUMENT…")
	}
	code := 0
	if err := s.Exec(args[1], args[2:]...); err != nil {
		stopped := (*exec.ExitError)(nil)
		if !errors.As(err, &stopped) {
			s.Fatalf("%v", err)
		}
		code = stopped.ExitCode()
	}
	if as := strconv.Itoa(code) == args[0]; as == negated {
		s.Fatalf("exit code %d", code)
	}
}
