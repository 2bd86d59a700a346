// Package serve serves the numbers of package metrics over HTTP, for Prometheus. A program links it by an import.
package serve

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
	"privpipe/pipelines/metrics"
)

func init() { metrics.Register(start) }

// A server implements metrics.Server.
type server struct {
	http     *http.Server
	listener net.Listener
	ended    chan struct{}
}

// start starts a server for /metrics and /healthz. /healthz answers ok, or status 503 with the text of metrics.Stalled.
func start(o metrics.Options) (metrics.Server, error) {
	listener, err := listen(o.Address)
	if err != nil {
		return nil, err
	}
	s := &server{listener: listener, ended: make(chan struct{}), http: &http.Server{
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

// URL implements metrics.Server.
func (s *server) URL() string { return "http://" + s.listener.Addr().String() + "/metrics" }

// Close implements metrics.Server: it ends the server and all its connections.
func (s *server) Close() {
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
			WithHint("127.0.0.1:9090 is only for this machine, 0.0.0.0:9090 for all networks it is in")
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

// numbers returns some numbers of package metrics, for Prometheus' registry.
type numbers func() []metrics.Sample

// Describe implements prometheus.Collector: the numbers are not known in advance.
func (numbers) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (n numbers) Collect(to chan<- prometheus.Metric) {
	for _, s := range n() {
		kind := prometheus.GaugeValue
		if s.Grows {
			kind = prometheus.CounterValue
		}
		to <- prometheus.MustNewConstMetric(prometheus.NewDesc(s.Name, s.Help, s.Labels, nil), kind, s.Value,
			s.Values...)
	}
}

func registry(collectors ...prometheus.Collector) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors...)
	return r
}

// gatherers returns the registries that may be served under o.
func gatherers(o metrics.Options) prometheus.Gatherers {
	public := func() []metrics.Sample { return metrics.PublicSamples(o.StallTimeout) }
	all := prometheus.Gatherers{registry(numbers(public))}
	if o.Private {
		all = append(all, registry(numbers(metrics.PrivateSamples)))
	}
	if o.Private || o.Outside {
		all = append(all, registry(collectors.NewGoCollector(),
			collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})))
	}
	return all
}

func handler(g prometheus.Gatherer, stall time.Duration) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(g, promhttp.HandlerOpts{MaxRequestsInFlight: 4}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if stalled := metrics.Stalled(stall); stalled != "" {
			http.Error(w, stalled, http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, "ok\n")
	})
	return mux
}
