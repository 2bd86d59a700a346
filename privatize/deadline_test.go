package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestDeadlineOfPipe: a pipe into which nobody writes, not even a header, is late, too.
func TestDeadlineOfPipe(t *testing.T) {
	in, hold, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close()
	defer in.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // ten times what a busy machine needs
	defer cancel()
	folder := resuming(t)
	for _, args := range [][]string{{"gaussian", "--ledger", "run.ledger"}, {"combine"}} {
		var stderr strings.Builder
		command := exec.CommandContext(ctx, "privatize",
			append(args, "--grant", "grant.json", "--round-timeout", "100ms", "-o", "out.pp")...)
		command.Dir, command.Stdin, command.Stderr = folder, in, &stderr
		command.Run()
		if code := command.ProcessState.ExitCode(); code != 90 ||
			!strings.Contains(stderr.String(), "the first round is not whole 100ms") {
			t.Errorf("%s: exit code %d: %s", args[0], code, stderr.String())
		}
	}
}
