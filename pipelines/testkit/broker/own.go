package broker

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Own returns a broker that this test binary started. Tests may cause faults in it. All tests in the binary share this
// broker, so a test that causes faults must not run beside others (t.Parallel). When a test ends, the broker serves
// again. When the binary ends, for whatever reason, the broker and all its data are removed.
//
// PRIVPIPE_KAFKA_JARS must name the folder with the broker's programs; otherwise the test is skipped. If the folder is
// missing, pipelines/recipes/kafka/broker.sh downloads it.
func Own(t testing.TB) *Broker {
	t.Helper()
	if os.Getenv("PRIVPIPE_KAFKA_JARS") == "" {
		t.Skip("no broker: PRIVPIPE_KAFKA=HOST:PORT names one, or PRIVPIPE_KAFKA_JARS=$PWD/.kafka/jars its programs")
	}
	own, err := started()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if own.run("resume") != nil {
			own.do(t, "start")
		}
		own.serves(t)
	})
	return own
}

// started starts the broker for this test binary.
var started = sync.OnceValues(func() (*Broker, error) {
	memory := "/dev/shm" // a file system where syncing and Kafka's many files cost nothing
	if _, err := os.Stat(memory); err != nil {
		memory = ""
	}
	folder, err := os.MkdirTemp(memory, "privpipe-kafka-")
	if err != nil {
		return nil, err
	}
	own := &Broker{folder: folder, Config: filepath.Join(folder, "client.json")}
	if err := own.watch(); err != nil {
		return nil, err
	}
	addresses, err := own.output("start", "--secure")
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Sscan(addresses, &own.Address, &own.Secure); err != nil {
		return nil, fmt.Errorf("broker.sh printed %q: %w", addresses, err)
	}
	return own, nil
})

// watch starts a process that ends the broker and removes its folder as soon as this process is gone. A pipe tells the
// watcher: its other end closes, whatever the reason. The watcher has its own process group, so that ^C does not reach
// it.
func (b *Broker) watch() error {
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer read.Close()
	b.alive = write
	// A broker that has only just begun to start cannot be ended at once.
	watcher := exec.Command("bash", "-c",
		`cat; for i in {1..600}; do "$0" kill "$1" && break; sleep 0.1; done; rm -rf -- "$1"`, script(), b.folder)
	watcher.Stdin = read
	watcher.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return watcher.Start()
}

// Stop ends the broker as an operator would. Its data stays.
func (b *Broker) Stop(t testing.TB) { t.Helper(); b.do(t, "stop") }

// Kill ends the broker as a crash of its process would. Acknowledged messages stay: the operating system did not crash.
func (b *Broker) Kill(t testing.TB) { t.Helper(); b.do(t, "kill") }

// Start starts the broker again after Stop or Kill, at the same addresses. It returns when the broker serves all
// topics.
func (b *Broker) Start(t testing.TB) {
	t.Helper()
	b.do(t, "start")
	b.serves(t)
}

// serves waits until the broker serves all topics.
func (b *Broker) serves(t testing.TB) {
	t.Helper()
	b.ask(t, func(ctx context.Context, client *kgo.Client) error { return led(ctx, client) })
}

// Pause makes the broker accept connections and requests without answering, as a cut network would, until Resume.
func (b *Broker) Pause(t testing.TB) { t.Helper(); b.do(t, "pause") }

// Resume ends a Pause, and returns when the broker serves all topics: after a long pause no topic has a leader at
// first. The broker then also processes the requests that came during the pause.
func (b *Broker) Resume(t testing.TB) { t.Helper(); b.do(t, "resume"); b.serves(t) }

// CPU returns the CPU time that the broker has used so far, in steps of 10 ms. It is 0 for a broker that PRIVPIPE_KAFKA
// names.
func (b *Broker) CPU(t testing.TB) time.Duration {
	t.Helper()
	if b.folder == "" {
		return 0
	}
	pid, err := os.ReadFile(filepath.Join(b.folder, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strings.TrimSpace(string(pid)), "stat"))
	if err != nil {
		t.Fatal(err)
	}
	// utime and stime are the 14th and the 15th field, in hundredths of a second. The program's name, in parentheses,
	// may have spaces: proc(5).
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	var user, system int64
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		t.Fatalf("stat of the broker: %v", err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}

func (b *Broker) do(t testing.TB, command string) {
	t.Helper()
	if b.folder == "" {
		t.Fatalf("cannot %s the broker of PRIVPIPE_KAFKA: a test that causes faults takes broker.Own", command)
	}
	if err := b.run(command); err != nil {
		t.Fatal(err)
	}
}

func (b *Broker) run(command string) error {
	_, err := b.output(command)
	return err
}

// output runs broker.sh with the given arguments and the broker's folder. It returns the printed text.
func (b *Broker) output(arguments ...string) (string, error) {
	command := exec.Command(script(), append(arguments, b.folder)...)
	var complaints bytes.Buffer
	command.Stderr = &complaints
	out, err := command.Output()
	if err != nil {
		err = fmt.Errorf("broker.sh %s: %w: %s", strings.Join(arguments, " "), err, complaints.Bytes())
	}
	return string(out), err
}

// script is the path of broker.sh.
func script() string {
	_, source, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(source), "../../recipes/kafka/broker.sh")
}
