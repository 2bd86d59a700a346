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

// Options say where numbers are served, and which.
type Options struct {
	Address string // HOST:PORT; port 0 is any that is free
	// Outside says that the stage stands outside the privacy wall. Memory and time of a process depend on its data, so
	// those of a stage behind the wall are private.
	Outside bool
	// Private serves what depends on private data too.
	Private bool
	// StallTimeout is how long no message may come in or go out, of topics that the stage waits for, before /healthz says so; 0: for ever.
	StallTimeout time.Duration
	Log          *slog.Logger // of what goes wrong with a request; never nil
}

// A Server serves the numbers of this process over HTTP, until it is closed.
type Server struct {
	http     *http.Server
	listener net.Listener
	ended    chan struct{}
}

// Serve begins to serve /metrics and /healthz, of which the latter says ok, or with status 503 what is Stalled. An address that
// cannot be one is an error with exit.Usage; one that is in use or not of this machine, with exit.Unavailable.
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

// URL is where the numbers are.
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
	if err != nil || host == "" { // which would be all networks, by leaving something out
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

// reason leaves out the address, which the message has already.
func reason(err error) error {
	var operation *net.OpError
	if errors.As(err, &operation) {
		return operation.Err
	}
	return err
}

// gatherers are the numbers that may be served.
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
