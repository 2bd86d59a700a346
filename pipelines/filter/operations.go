package filter

import (
	"time"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/metrics"
)

// serveMetrics serves the metrics at the address of --metrics, if it is given, until close is called. A stage outside the privacy
// wall shows more numbers.
func (r *Run) serveMetrics(outside bool) (close func(), err error) {
	if r.common.Metrics == "" {
		return func() {}, nil
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
