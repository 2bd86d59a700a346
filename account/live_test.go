package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"privpipe/pipelines/testkit/script"
)

// TestReleasesOfLiveRun: a round is charged and released while verify reads the stream. verify finds the charge for its
// release. The stream is a FIFO. Its writer first has verify begin to read.
func TestReleasesOfLiveRun(t *testing.T) {
	folder := t.TempDir()
	ledger, fifo := filepath.Join(folder, "run.ledger"), filepath.Join(folder, "releases")
	write := func(content []byte) {
		if err := os.WriteFile(ledger, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(duskLedger(t, duskCharge(1, 7)))
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	stream, _ := script.Stream(duskHeader(),
		append(duskRelease(duskHead(t), 1, 7), duskRelease(duskHead(t), 2, 7)...)...)
	written := make(chan error, 1)
	go func() {
		out, err := os.OpenFile(fifo, os.O_WRONLY, 0) // waits for the reader
		if err == nil {
			write(duskLedger(t, duskCharge(1, 7), duskCharge(2, 7)))
			_, err = out.Write(stream)
			out.Close()
		}
		written <- err
	}()
	if out, err := exec.Command("account", "verify", "--releases", fifo, ledger).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
}
