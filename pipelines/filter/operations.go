package filter

import (
	"time"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/metrics"
)

// serveMetrics serves the metrics where --metrics asks for it, until close is called. Which numbers may be seen depends
// on whether the stage stands outside the privacy wall.
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

// watch warns when the run waits for topics in which nothing moves, and says when something moves again, until it is stopped.
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

// event logs a step in the life of the run: its name and attributes for machines, a text for people, to whom an empty
// one says nothing.
func (r *Run) event(text, name string, attributes ...any) {
	switch {
	case r.common.Log == "json":
		r.Log.Info(name, attributes...)
	case text != "":
		r.Log.Info(text)
	}
}
