package filter

import (
	"bytes"
	"strings"
	"time"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/metrics"
	"privpipe/pipelines/wire"
)

// serveMetrics serves the metrics at the address of --metrics, if it is given, until close is called. A stage outside the privacy
// wall shows more numbers.
func (r *Run) serveMetrics(outside bool) (close func(), err error) {
	if r.common.Metrics == "" {
		return func() {}, nil
	}
	if strings.HasSuffix(r.common.Metrics, textfile) {
		return r.writeMetrics(r.common.Metrics)
	}
	server, err := metrics.Serve(metrics.Options{
		Address: r.common.Metrics, Outside: outside, Private: r.Private(), StallTimeout: r.common.StallTimeout, Log: r.Log,
	})
	if err != nil {
		return nil, err
	}
	r.event("metrics at "+server.URL(), "metrics", "url", server.URL())
	return server.Close, nil
}

// textfile is the suffix of files that the node exporter's textfile collector reads.
const textfile = ".prom"

// rewrite is the time between two writings of such a file.
const rewrite = 15 * time.Second

// writeMetrics writes the metrics to a file now, every fifteen seconds, and when close is called. A reader sees a whole file only.
func (r *Run) writeMetrics(name string) (close func(), err error) {
	write := func() error {
		var text bytes.Buffer
		if err := metrics.WriteText(&text, r.Private()); err != nil {
			return err
		}
		side := wire.Side_PUBLIC
		if r.Private() {
			side = wire.Side_PRIVATE
		}
		return endpoint.WriteFile(name, side, text.Bytes())
	}
	if err := write(); err != nil {
		return nil, exit.Errorf(exit.Code(err), "--metrics: %w", err)
	}
	warned := false
	again := func() {
		if err := write(); err != nil && !warned {
			warned = true
			r.Log.Warn("metrics are no longer written", "error", err)
		}
	}
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer func() { ended <- struct{}{} }()
		defer exit.Guard()
		for tick := time.NewTicker(rewrite); ; {
			select {
			case <-tick.C:
				again()
			case <-quit:
				again()
				return
			}
		}
	}()
	return func() { quit <- struct{}{}; <-ended }, nil
}

// watch warns when the run waits for topics and no message arrives, and logs when messages arrive again. stop ends it.
func (r *Run) watch() (stop func()) {
	if r.common.StallTimeout <= 0 {
		return func() {}
	}
	tick := time.NewTicker(min(r.common.StallTimeout, 10*time.Second))
	quit := make(chan struct{})
	go func() {
		defer exit.Guard()
		for warned := false; ; {
			select {
			case <-tick.C:
			case <-quit:
				return
			}
			stalled := metrics.Stalled(r.common.StallTimeout)
			switch {
			case stalled != "" && !warned:
				r.Log.Warn(stalled)
			case stalled == "" && warned:
				r.Log.Warn("there is progress again")
			}
			warned = stalled != ""
		}
	}()
	return func() { tick.Stop(); close(quit) }
}

// event logs a step of the run: name and attributes if messages are JSON, otherwise text. An empty text is not
// logged.
func (r *Run) event(text, name string, attributes ...any) {
	switch {
	case r.common.Log == "json":
		r.Log.Info(name, attributes...)
	case text != "":
		r.Log.Info(text)
	}
}
