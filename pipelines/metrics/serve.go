package metrics

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"privpipe/pipelines/exit"
)

// Options say where numbers are served, and which numbers.
type Options struct {
	Address string // HOST:PORT; port 0 stands for any free port
	// Outside says that the stage is outside the privacy wall. Memory and time of a process depend on its data, so
	// they are private for a stage inside the wall.
	Outside bool
	// Private says that numbers that depend on private data are served, too.
	Private bool
	// StallTimeout is the time without a message of a topic that the stage waits for, after which /healthz reports a stall; 0: never.
	StallTimeout time.Duration
	Log          *slog.Logger // for failures of requests; never nil
}

// A Server serves the numbers of this process over HTTP, until it is closed.
type Server struct {
	http     *http.Server
	listener net.Listener
	ended    chan struct{}
}

// Serve starts a server of /metrics and /healthz. /healthz answers ok, or with status 503 the text of Stalled. A malformed address
// is an error with exit.Usage. An address in use, or of another machine, is an error with exit.Unavailable.
func Serve(o Options) (*Server, error) {
	listener, err := listen(o.Address)
	if err != nil {
		return nil, err
	}
	mark(time.Now())
	s := &Server{listener: listener, ended: make(chan struct{}), http: &http.Server{
		Handler:           handler(gatherers(o), o.StallTimeout),
		ErrorLog:          slog.NewLogLogger(o.Log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: 5 * time.Second, // a slow client holds nothing for long
		WriteTimeout:      10 * time.Second,
		IdleTimeout:       2 * time.Minute, // longer than most scrape intervals
		MaxHeaderBytes:    1 << 14,
	}}
	go func() {
		defer close(s.ended)
		defer exit.Guard()
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			o.Log.Warn("metrics are no longer served", "error", err)
		}
	}()
	return s, nil
}

// URL returns the address of the metrics.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/metrics" }

// Close ends the server and all its connections.
func (s *Server) Close() {
	s.http.Close()
	<-s.ended
}

func listen(address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil || host == "" { // an omitted host would mean all networks
		return nil, exit.Errorf(exit.Usage, "--metrics %s must be HOST:PORT", address).
			WithHint("127.0.0.1:9090 is for this machine alone, 0.0.0.0:9090 for all networks it is in")
	}
	listener, err := net.Listen("tcp", address)
	if err == nil {
		return listener, nil
	}
	refused := exit.Errorf(exit.Unavailable, "--metrics %s: %w", address, reason(err))
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, refused.WithHint("another program listens there; name another port, or 0 for any that is free")
	}
	return nil, refused
}

// reason returns err without the address, which the message already has.
func reason(err error) error {
	var operation *net.OpError
	if errors.As(err, &operation) {
		return operation.Err
	}
	return err
}

// gatherers returns the registries that may be served under o.
func gatherers(o Options) prometheus.Gatherers {
	all := prometheus.Gatherers{shown}
	if o.Private {
		all = append(all, hidden)
	}
	if o.Private || o.Outside {
		machine := prometheus.NewRegistry()
		machine.MustRegister(collectors.NewGoCollector(),
			collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
		all = append(all, machine)
	}
	return all
}

func handler(g prometheus.Gatherer, stall time.Duration) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(g, promhttp.HandlerOpts{MaxRequestsInFlight: 4}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if stalled := Stalled(stall); stalled != "" {
			http.Error(w, stalled, http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, "ok\n")
	})
	return mux
}
