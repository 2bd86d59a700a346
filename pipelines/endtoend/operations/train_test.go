package operations

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
)

const (
	run        = "news"
	partitions = 2
	rounds     = 3
)

// A service is a stage as operators start it: its name, arguments and environment.
type service struct {
	name        string
	args        []string
	environment []string
}

// settings are what an operator writes in place of the examples.
func settings(brokers, folder string) map[string]string {
	return map[string]string{
		"BROKERS": brokers, "METRICS": "127.0.0.1", "TEXTS": filepath.Join(folder, "docs.jsonl"),
		"PARTITIONS": fmt.Sprint(partitions), "REPLICAS": "1",
		"PRIVPIPE_SAMPLE_ROUNDS": fmt.Sprint(rounds), "PRIVPIPE_MSTEP_TOPICS": "5",
	}
}

// A training is a run of services over a broker.
type training struct {
	t       *testing.T
	folder  string
	scrapes map[string]string // what each service showed at /metrics, all of it, or left in its file
	see     func(shown string)
	said    atomic.Int64 // bytes that the services said
}

// train runs services until all have ended with 0. The first service writes docs.jsonl as documents. services makes the
// topics, too. The broker refuses to give releases until a stage shows that it asked again.
func train(t *testing.T, folder, ledger, model string, services func(brokers string) []service) *training {
	t.Helper()
	b := broker.Fake(t, nil)
	r := &training{t: t, folder: folder, scrapes: make(map[string]string)}
	bash(t, folder, `comments "$(go env GOROOT)/src/net/http" >docs.jsonl`)
	all := services(b.Address)
	ill := b.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Fetch}, Topic: run + ".releases", Err: kerr.NotLeaderForPartition, Count: -1,
	})
	r.see = func(shown string) {
		if strings.Contains(shown, "privpipe_kafka_retries_total{") {
			ill.Remove()
		}
	}
	r.together(all[0])
	r.together(all[1:]...)
	if _, err := os.Stat(model); err != nil {
		t.Error(err)
	}
	charged := read(t, ledger)
	if n := strings.Count(charged, `"charge":`); n != rounds {
		t.Errorf("%d charges in the ledger, want %d", n, rounds)
	}
	r.together(all[1:]...) // as after the machine was started again
	if read(t, ledger) != charged {
		t.Error("the same services charged the ledger again")
	}
	return r
}

// together starts services and waits until all have ended with 0, or one has not.
func (r *training) together(services ...service) {
	r.t.Helper()
	ended := make(chan *process, len(services))
	for _, s := range services {
		r.start(s, ended)
	}
	ctx, end := testkit.Progress(30*time.Second, r.said.Load, testkit.Files(r.folder))
	defer end()
	for range services {
		select {
		case p := <-ended:
			if p.err != nil {
				r.t.Fatalf("%s: %v\n%s\n%s", p.name, p.err, strings.Join(p.args, " "), p.output.String())
			}
			r.scrapes[p.name] += p.shown
		case <-ctx.Done():
			r.t.Fatalf("not all services have ended: %v", context.Cause(ctx))
		}
	}
}

// A process is a service that was started.
type process struct {
	service
	output  strings.Builder
	metrics chan string // where they are, once it has said so
	said    *atomic.Int64
	err     error  // how it ended
	shown   string // at metrics, all scrapes
}

// serving is how a stage says where its metrics are.
var serving = regexp.MustCompile(`metrics at (http://\S+)`)

// Write takes what the process says.
func (p *process) Write(said []byte) (int, error) {
	if found := serving.FindSubmatch(said); found != nil {
		p.metrics <- string(found[1])
	}
	p.said.Add(int64(len(said)))
	return p.output.Write(said)
}

// port is where a service is to serve metrics, as its file says.
var port = regexp.MustCompile(`^(127\.0\.0\.1|0\.0\.0\.0):94\d\d$`)

// file is the file to which a service writes metrics; empty: none.
func (s service) file() string {
	i := slices.Index(s.args, "--metrics")
	if i < 0 || !strings.HasSuffix(s.args[i+1], ".prom") {
		return ""
	}
	return s.args[i+1]
}

// start starts a service with its metrics at a free port, collects what it shows there, and sends it when it has ended.
func (r *training) start(s service, ended chan<- *process) {
	r.t.Helper()
	p := &process{service: s, metrics: make(chan string, 1), said: &r.said}
	args := append([]string{"-v"}, s.args[1:]...)
	for i, arg := range args {
		if port.MatchString(arg) {
			args[i] = "127.0.0.1:0"
		}
	}
	command := exec.Command(s.args[0], args...)
	command.Dir = r.folder
	command.Env = append(os.Environ(), s.environment...)
	command.Stdout, command.Stderr = p, p
	if err := command.Start(); err != nil {
		r.t.Fatalf("%s: %v", s.name, err)
	}
	r.t.Cleanup(func() { command.Process.Kill() })
	done, shown := make(chan struct{}), make(chan string, 1)
	go func() { shown <- scrape(p.metrics, done, r.see) }()
	go func() {
		p.err = command.Wait()
		close(done)
		p.shown = <-shown
		if file := p.file(); file != "" {
			content, _ := os.ReadFile(file) // TestMetrics misses what is not there
			p.shown += string(content)
		}
		ended <- p
	}()
}

// scrape collects what a service shows until it has ended. see gets it, too.
func scrape(at <-chan string, done <-chan struct{}, see func(shown string)) string {
	var all strings.Builder
	url := ""
	for {
		if url != "" {
			if answer, err := http.Get(url); err == nil {
				body, _ := io.ReadAll(answer.Body)
				answer.Body.Close()
				all.Write(body)
				see(string(body))
			}
		}
		select {
		case url = <-at:
		case <-done:
			return all.String()
		case <-time.After(20 * time.Millisecond):
		}
	}
}
