package filter_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"privpipe/pipelines/exit"
)

// serving starts a program that waits with its metrics at a free port, and returns where they are.
func serving(t *testing.T, program string, args ...string) (command *exec.Cmd, url string) {
	t.Helper()
	command = exec.Command(program, append(args, "wait", "-v", "--metrics", "127.0.0.1:0", "-o", "out")...)
	command.Dir = t.TempDir()
	messages, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		command.Process.Signal(syscall.SIGTERM)
		command.Wait()
	})
	line, err := bufio.NewReader(messages).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if _, url, _ = strings.Cut(strings.TrimSpace(line), ": metrics at "); url == "" {
		t.Fatalf("the first message is %q", line)
	}
	if line, err := bufio.NewReader(output).ReadString('\n'); line != "ready\n" {
		t.Fatalf("not ready: %q, %v", line, err)
	}
	return command, url
}

func get(t *testing.T, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, answer.Status, err)
	}
	return string(body)
}

// TestScrape checks which numbers a running stage tells. Its memory depends on its data, except for a stage that has
// none.
func TestScrape(t *testing.T) {
	const round, documents = "\nprivpipe_round 3\n", "\nprivpipe_documents_total 12345\n"
	const memory, processor = "\ngo_memstats_alloc_bytes ", "\nprocess_cpu_seconds_total "
	for _, c := range []struct {
		name, program string
		args          []string
		want, never   []string
	}{
		{"behind the wall", "fake", nil, []string{round},
			[]string{documents, memory, processor, "12345", "\ngo_", "\nprocess_"}},
		{"with private logs", "fake", []string{"--private-logs"}, []string{round, documents, memory, processor},
			[]string{"privpipe_units_total"}}, // which a fake does not count
		{"outside", "outside", nil, []string{round, memory, processor}, []string{documents, "12345"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before := time.Now().Unix()
			_, url := serving(t, c.program, c.args...)
			body := "\n" + get(t, url)
			for _, line := range append(c.want, "\nprivpipe_rounds_planned 40\n") {
				if !strings.Contains(body, line) {
					t.Errorf("no %q in %s", line, body)
				}
			}
			for _, line := range c.never {
				if strings.Contains(body, line) {
					t.Errorf("%q in %s", line, body)
				}
			}
			var at float64
			if _, line, ok := strings.Cut(body, "\nprivpipe_round_timestamp_seconds "); !ok {
				t.Error("no time of the round")
			} else if _, err := fmt.Sscan(line, &at); err != nil || at < float64(before) ||
				at > float64(time.Now().Unix()) {
				t.Errorf("the round was at %v, %v", at, err)
			}
			if healthy := get(t, strings.TrimSuffix(url, "metrics")+"healthz"); healthy != "ok\n" {
				t.Errorf("/healthz says %q", healthy)
			}
		})
	}
}

// TestAddressInUse checks that a run whose metrics nobody could see does not begin, and that a dry run tells.
func TestAddressInUse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	address := taken.Addr().String()
	for _, args := range [][]string{nil, {"--dry-run"}} {
		command := exec.Command("fake", append(args, "copy", "-o", "out", "--metrics", address)...)
		command.Dir = t.TempDir()
		message, _ := command.CombinedOutput()
		want := "fake: error: --metrics " + address + ": bind: address already in use\n" +
			"fake: hint: another program listens there; name another port, or 0 for any that is free\n"
		if code := command.ProcessState.ExitCode(); code != exit.Unavailable || string(message) != want {
			t.Errorf("exit code %d, %s", code, message)
		}
		if _, err := os.Stat(filepath.Join(command.Dir, "out")); err == nil {
			t.Error("the run wrote its output")
		}
	}
}

// TestListener checks that a stage listens only where --metrics asks for it.
func TestListener(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("this system does not show what a process has open")
	}
	if p := start(t, "wait"); sockets(t, p.Cmd) != 0 {
		t.Error("a socket is open without --metrics")
	}
	if command, _ := serving(t, "fake"); sockets(t, command) != 1 {
		t.Error("no socket with --metrics, or several")
	}
}

// sockets counts those that a process has open.
func sockets(t *testing.T, command *exec.Cmd) (n int) {
	t.Helper()
	folder := fmt.Sprintf("/proc/%d/fd", command.Process.Pid)
	open, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range open {
		if target, err := os.Readlink(filepath.Join(folder, file.Name())); err == nil &&
			strings.HasPrefix(target, "socket:") {
			n++
		}
	}
	return n
}
