package filter

import "privpipe/pipelines/metrics"

// serveMetrics serves the metrics where --metrics asks for it, until close is called. Which numbers may be seen depends
// on whether the stage stands outside the privacy wall.
func (r *Run) serveMetrics(outside bool) (close func(), err error) {
	if r.common.Metrics == "" {
		return func() {}, nil
	}
	server, err := metrics.Serve(metrics.Options{
		Address: r.common.Metrics, Outside: outside, Private: r.Private(), Log: r.Log,
	})
	if err != nil {
		return nil, err
	}
	r.event("metrics at "+server.URL(), "metrics", "url", server.URL())
	return server.Close, nil
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
