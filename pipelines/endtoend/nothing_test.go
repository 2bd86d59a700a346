package endtoend

import (
	"bytes"
	"errors"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit"
)

// zeroMeansZero lists the flags for which zero is a value like any other, by the program or command that has them.
var zeroMeansZero = map[string]string{
	"":                   "stall-timeout fifo-wait create max-cells workers seed",
	"account ledger new": "delta", "account report": "delta", "account odometer": "delta", "account epsilon": "delta",
	"account evidence": "delta",
	"account compare":  "delta",
	"tokenize":         "prefix", "tokenize check": "min-documents min-coverage max-empty",
	"tokenize vocab": "min-letters", "tokenize phrases": "threshold",
	"sample": "memory lead window-grace",
	"estep":  "stale", "estep lda": "top-topics norm", "estep gibbs": "burn-in top-topics norm least-rate",
	"estep collapsed": "sweeps least-rate",
	"estep linear":    "least most above",
	"mstep lda":       "tau0 kappa average-from", "mstep blr": "tau0 kappa negative", "mstep sbn": "tau0 kappa",
	"mstep reconstruct": "omega", "mstep shares": "change",
	"evaluate converged": "threshold for", "evaluate topics": "relevance", "mstep export": "relevance",
	"evaluate audit privatize": "delta",
}

// takesNothing says whether zero or an empty text is a value of a flag of a command.
func takesNothing(command, flag string) bool {
	for {
		if slices.Contains(strings.Fields(zeroMeansZero[command]), flag) {
			return true
		}
		if command == "" {
			return false
		}
		command = command[:max(0, strings.LastIndex(command, " "))]
	}
}

// called runs a command without input, and returns its exit code, its output and its messages.
func called(t *testing.T, folder, command string, arguments ...string) (code int, output, messages string) {
	t.Helper()
	words := append(strings.Fields(command), arguments...)
	c := exec.Command(words[0], words[1:]...)
	var out, said bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = folder, &out, &said
	var ended *exec.ExitError
	if err := c.Run(); err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), out.String(), said.String()
}

// valid are the arguments without which a command refuses whatever follows.
var valid = map[string]string{
	"tokenize text": "0", "tokenize rows": "--schema 0 0", "tokenize uci": "--vocab 0 0", "tokenize images": "0",
	"tokenize vectors": "--dimension 4 0",
	"tokenize match":   "--vectors 0 -", "tokenize check": "0", "tokenize vocab": "--public 0",
	"tokenize features": "--image 2x2", "tokenize phrases": "--public 0", "tokenize terms": "0",
	"sample":    "--epoch --window 1h --window-state 0 0",
	"estep lda": "--params 0", "estep gibbs": "--params 0", "estep collapsed": "--params 0",
	"estep words": "", "estep blr": "--params 0 --row-norm 1",
	"estep dpvi":     "--params 0",
	"estep clusters": "--params 0", "estep cluster-words": "--model 0 --vectors 0",
	"estep erm":    "--row-norm 1 --regularisation 1",
	"estep linear": "--params 0 --row-norm 1 --least 1 --most 2", "estep sbn": "--params 0",
	"privatize gaussian": "--grant 0 --ledger 0", "privatize laplace": "--grant 0 --ledger 0",
	"privatize select":              "--grant 0 --ledger 0",
	"privatize randomized-response": "--grant 0 --ledger 0",
	"privatize none":                "--run 0 --ledger 0",
	"mstep lda":                     "--topics 2", "mstep counts": "--topics 2", "mstep online": "--topics 2",
	"mstep follow": "--start 0", "mstep lda-paper": "--topics 2", "mstep sbn": "--hidden 2",
	"mstep clusters":    "--clusters 2",
	"mstep public":      "--topics 0 0",
	"mstep reconstruct": "--grant 0 --prior 0 0", "mstep export": "0",
	"account ledger new": "new.ledger", "account plan": "--epsilon 1 --delta 1e-6 --poisson 0.1",
	"account plan-paper": "--epsilon 1 --delta 1e-6 --poisson 0.1",
	"account plan-words": "--mechanism select --epsilon 1 --delta 1e-6 --max-words 9",
	"account report":     "0",
	"account odometer":   "0",
	"account watch":      "0", "account verify": "0", "account prune": "--used-up 0", "account export": "0",
	"account epsilon": "--noise-multiplier 1 --delta 1e-6",
	"account delta":   "--noise-multiplier 1 --epsilon 1", "account noise": "--epsilon 1 --delta 1e-6",
	"account compare":    "--noise-multiplier 1 --delta 1e-6",
	"account efficiency": "--alpha 8 --noise-multiplier 1", "account gibbs": "--flip 0.5 --vocabulary 9",
	"account shuffle":    "--local-epsilon 1 --reports 1000 --delta 1e-6",
	"account advise":     "--documents 1 --words 1 --epsilon 1",
	"evaluate converged": "--threshold 1 --for 1", "evaluate topics": "0", "evaluate coherence": "--reference 0 0",
	"evaluate diversity": "0",
	"evaluate compare":   "0 1", "evaluate report": "--model 0 out.html",
	"evaluate chart":             "--title 1 --x 1 --y 1 --output out.svg 0",
	"evaluate attack topics":     "--assignments 0 --params 0",
	"evaluate attack membership": "--shadow-in 0 --shadow-out 0 --in 0 --out 0",
	"evaluate audit privatize":   "--binary 0", "evaluate audit estep": "--binary 0",
}

var (
	flagOfHelp    = regexp.MustCompile(`(?m)^ {2,6}(?:-\w, )?--([a-z0-9-]+)=`)
	commandOfHelp = regexp.MustCompile(`(?m)^  ((?:[a-z-]+ )+?)(?:\(?[<\[].*)?\[flags\]`)
)

// eachCommand calls visit for a program and for each command below it, with the flags that --help shows for it and not
// for the command above.
func eachCommand(t *testing.T, folder, program string, visit func(command string, own []string)) {
	t.Helper()
	var walk func(command string, known []string)
	walk = func(command string, known []string) {
		code, help, _ := called(t, folder, command, "--help")
		if code != 0 {
			t.Fatalf("%s --help: exit code %d", command, code)
		}
		var own []string
		for _, flag := range flagOfHelp.FindAllStringSubmatch(help, -1) {
			if !slices.Contains(known, flag[1]) {
				own = append(own, flag[1])
			}
		}
		visit(command, own)
		_, commands, _ := strings.Cut(help, "\nCommands:\n")
		for _, below := range commandOfHelp.FindAllStringSubmatch(commands, -1) {
			walk(program+" "+strings.TrimSpace(below[1]), slices.Concat(known, own))
		}
	}
	walk(program, nil)
}

// TestGivenAsNothing: each flag of each command of all stages is given as 0, and where 0 is a name, as an empty text.
// That is wrong usage, or the flag is in the list above. A zero that reads as "not given" would open what the flag
// closes. The gate asks the programs behind the wall and before it.
func TestGivenAsNothing(t *testing.T) {
	programs := []string{"account", "privatize", "sample", "tokenize", "estep", "mstep", "evaluate"}
	programs = programs[:testkit.Repeats(t, "operations", 1, len(programs))]
	folder := t.TempDir()
	tried := 0
	for _, program := range programs {
		eachCommand(t, folder, program, func(command string, own []string) {
			arguments := append(strings.Fields(valid[command]), "--dry-run")
			if code, _, said := called(t, folder, command, arguments...); code == exit.Usage && valid[command] != "" {
				t.Errorf("%s %s is wrong usage: %s", command, valid[command], said)
			}
			for _, name := range own {
				if name == "config" || name == "columns" { // texts with a form of their own
					continue
				}
				tried++
				code, _, said := called(t, folder, command, append(arguments, "--"+name+"=0")...)
				if code != exit.Usage {
					var text string
					if code, _, text = called(t, folder, command,
						append(arguments, "--"+name+"=")...); !strings.Contains(text, "--"+name+" must") {
						code = 0 // a number has no empty text
					}
				}
				switch listed := takesNothing(command, name); {
				case !listed && code != exit.Usage:
					t.Errorf("%s --%s is given as nothing, and not refused: %s", command, name, said)
				case listed && strings.Contains(said, "--"+name+" must not be"):
					t.Errorf("%s --%s is listed, and refused: %s", command, name, said)
				}
			}
		})
	}
	if tried < 30*len(programs) {
		t.Errorf("only %d flags were found", tried)
	}
}
