package serve

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"privpipe/pipelines/metrics"
)

func serving(t *testing.T, address string) *server {
	t.Helper()
	s, err := metrics.Serve(metrics.Options{Address: address, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return s.(*server)
}

// TestClose checks that neither the listener nor a connection outlives the server, so that a rerun finds its address
// free at once.
func TestClose(t *testing.T) {
	s := serving(t, "127.0.0.1:0")
	address := s.listener.Addr().String()
	open, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	open.SetDeadline(time.Now().Add(20 * time.Second)) // a hang fails, however busy the machine
	if _, err := io.WriteString(open, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(open)
	if line, err := answers.ReadString('\n'); line != "HTTP/1.1 200 OK\r\n" {
		t.Fatalf("%q, %v", line, err)
	}
	s.Close()
	rest, err := io.ReadAll(answers)
	if timeout, ok := err.(net.Error); ok && timeout.Timeout() || !strings.HasSuffix(string(rest), "\r\n\r\nok\n") {
		t.Errorf("the connection is still open: %q, %v", rest, err)
	}
	if c, err := net.Dial("tcp", address); err == nil {
		c.Close()
		t.Error("the server still listens")
	}
	serving(t, address).Close()
}

// TestRequests checks that there are two pages, which are only read.
func TestRequests(t *testing.T) {
	s := serving(t, "127.0.0.1:0")
	defer s.Close()
	for _, c := range []struct {
		method, path string
		want         int
	}{
		{"GET", "/metrics", http.StatusOK},
		{"HEAD", "/metrics", http.StatusOK},
		{"GET", "/healthz", http.StatusOK},
		{"POST", "/metrics", http.StatusMethodNotAllowed},
		{"DELETE", "/healthz", http.StatusMethodNotAllowed},
		{"GET", "/", http.StatusNotFound},
		{"GET", "/debug/pprof/", http.StatusNotFound},
	} {
		request, err := http.NewRequest(c.method, strings.TrimSuffix(s.URL(), "/metrics")+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != c.want {
			t.Errorf("%s %s: %s, want %d", c.method, c.path, answer.Status, c.want)
		}
	}
}
