package topics

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
)

// TestClaims: of two privatizers with ledgers of their own, on one run, each round is released by one. The other ends,
// and says why.
func TestClaims(t *testing.T) { broker.Each(t, claimed) }

func claimed(t *testing.T, b *broker.Broker) {
	r := newRun(t, newJob(t, lda), b, 1)
	claims := "kafka://" + b.Address + "/" + b.Topic(t, "claims", 1, nil)
	var commands []*exec.Cmd
	for name, arguments := range r.commands() {
		if name != "privatize" {
			command := exec.Command(arguments[0], arguments[1:]...)
			command.Dir = r.folder
			commands = append(commands, command)
		}
	}
	var ledgers []string
	var privatizers []*exec.Cmd
	for i := range 2 {
		ledgers = append(ledgers, filepath.Join(r.folder, fmt.Sprint("ledger", i)))
		testkit.BeginLedger(t, ledgers[i])
		command := exec.Command("privatize", "none", "-q", "--run", "r", "--ledger", ledgers[i], "--claims", claims,
			"-o", r.url("releases"), r.url("contributions.private"))
		commands, privatizers = append(commands, command), append(privatizers, command)
	}
	ctx, end := testkit.Progress(scripted, testkit.Files(r.folder), b.Written(slices.Collect(maps.Values(r.topics))...))
	defer end()
	late := context.AfterFunc(ctx, func() {
		for _, c := range commands {
			c.Process.Kill()
		}
	})
	defer late()
	outputs := make([]strings.Builder, len(commands))
	for i, c := range commands {
		c.Stderr = &outputs[i]
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range commands {
		err := c.Wait()
		if !slices.Contains(privatizers, c) && err != nil {
			t.Errorf("%s: %v\n%s", c.Args[0], err, outputs[i].String())
		}
	}
	codes := []int{privatizers[0].ProcessState.ExitCode(), privatizers[1].ProcessState.ExitCode()}
	if slices.Sort(codes); !slices.Equal(codes, []int{exit.OK, exit.Locked}) {
		t.Errorf("privatizers ended with %v, want one to release and one to be refused\n%v", codes, outputs)
	}
	first, second := sums(t, ledgers[0]), sums(t, ledgers[1])
	for round := 1; round <= rounds; round++ {
		if (first[round] == "") == (second[round] == "") {
			t.Errorf("round %d is in both ledgers, or in none", round)
		}
	}
}

// TestRoundTimeout: if one partition's answers or the parameters do not come, nothing is released. The privatizer says
// which of them it waits for. The time counts though no word of the round ever comes.
func TestRoundTimeout(t *testing.T) { broker.Each(t, roundTimeout) }

func roundTimeout(t *testing.T, b *broker.Broker) {
	job := newJob(t, lda)
	for name, change := range map[string]func(r *run, commands map[string][]string){
		"a partition without a worker": func(r *run, commands map[string][]string) {
			for partition := range partitions - 1 {
				arguments := slices.Clone(commands["estep0"])
				arguments[len(arguments)-1] = r.url("rounds.private", fmt.Sprint("partition=", partition))
				commands[fmt.Sprint("estep", partition)] = arguments
			}
		},
		"no mstep":   func(_ *run, commands map[string][]string) { delete(commands, "mstep") },
		"no workers": func(_ *run, commands map[string][]string) { delete(commands, "estep0") },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRun(t, job, b, 1)
			commands := r.commands()
			change(r, commands)
			commands["privatize"] = append(commands["privatize"], "--round-timeout", "3s")
			ended := make(chan error)
			for name, arguments := range commands {
				go func() { ended <- r.keep(name, arguments) }()
			}
			ctx, end := testkit.Progress(scripted, testkit.Files(r.folder))
			defer end()
			late := context.AfterFunc(ctx, r.stop)
			defer late()
			var refused error
			for range commands {
				if err := <-ended; err != nil && refused == nil {
					refused = err
					r.stop()
				}
			}
			last := fmt.Sprintf("%s[%d]", r.topics["contributions.private"], partitions-1)
			if refused == nil || !strings.Contains(refused.Error(), "privatize ended with exit status 90") ||
				!strings.Contains(refused.Error(), "3s") || !strings.Contains(refused.Error(), last) {
				t.Errorf("got %v, want one that names %s\n%s", refused, last, r.log.String())
			}
			if released := sums(t, r.ledger()); len(released) != 0 {
				t.Errorf("%d rounds were released", len(released))
			}
		})
	}
}

// TestCombine: partial sums that are made beside the workers, partition by partition, are released as one sum.
func TestCombine(t *testing.T) { broker.Each(t, combined) }

func combined(t *testing.T, b *broker.Broker) {
	r := newRun(t, newJob(t, lda), b, 2)
	r.topics["sums.private"] = b.Topic(t, "sums.private", partitions, nil)
	r.more = map[string][]string{
		"combine": {"privatize", "combine", "-o", r.url("sums.private"),
			r.url("contributions.private", "group=c"+r.topics["releases"])},
		"privatize": {"privatize", "none", "-q", "--run", "r", "--ledger", r.ledger(), "-o", r.url("releases"),
			r.url("sums.private")},
	}
	err := r.all(scripted)
	if err == nil {
		err = r.judge()
	}
	if err != nil {
		t.Errorf("%v\n%s", err, r.log.String())
	}
}
