package filter

import (
	"context"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/metrics"
	"privpipe/pipelines/wire"
)

// aboutMetrics returns the help texts of --metrics and --stall-timeout. A program without a server does not mention
// one.
func aboutMetrics(stage Stage) kong.Vars {
	const file = "FILE.prom every 15 seconds and at the end, for the node exporter's textfile collector."
	if !metrics.Serves() && !stage.Networked {
		return kong.Vars{"metrics_form": "FILE.prom", "metrics_help": "Write Prometheus metrics to " + file,
			"stall_help": "The metric privpipe_healthy is then 0."}
	}
	return kong.Vars{"metrics_form": "HOST:PORT|FILE.prom",
		"metrics_help": "Serve Prometheus metrics at http://HOST:PORT/metrics, or write them to " + file,
		"stall_help":   "The metric privpipe_healthy is then 0, and /healthz at HOST:PORT answers 503 and the reason."}
}

// showMetrics serves the metrics at the address in --metrics, or writes them to the file there, until close is called.
// A stage outside the privacy wall serves more numbers.
func (r *Run) showMetrics(stage Stage) (close func(), err error) {
	to := r.common.Metrics
	file := strings.HasSuffix(to, Textfile)
	if len(r.common.MetricsLabels) > 0 && !file {
		return nil, exit.Errorf(exit.Usage, "--metrics-labels needs --metrics FILE.prom").
			WithHint("Prometheus labels an address itself, by the labels of its target")
	}
	options := metrics.Options{
		Address: to, Labels: r.common.MetricsLabels, Outside: stage.Outside, Private: r.Private(),
		StallTimeout: r.common.StallTimeout, Log: r.Log,
	}
	switch {
	case to == "":
		return func() {}, nil
	case file:
		return r.writeMetrics(to, options)
	case !metrics.Serves():
		return nil, exit.Errorf(exit.Usage, "--metrics %s: %s opens no port", to, stage.Name).
			WithHint("give a FILE.prom, which the node exporter serves")
	}
	server, err := metrics.Serve(options)
	if err != nil {
		return nil, err
	}
	r.event("metrics at "+server.URL(), "metrics", "url", server.URL())
	return server.Close, nil
}

// Textfile is the suffix of files that the node exporter's textfile collector reads.
const Textfile = ".prom"

// rewrite is the time between two writes to a metrics file.
const rewrite = 15 * time.Second

// writeMetrics writes the metrics to a file now, every fifteen seconds, and when close is called. A dry run only checks
// the labels.
func (r *Run) writeMetrics(name string, o metrics.Options) (close func(), err error) {
	if err := metrics.CheckLabels(o.Labels); err != nil {
		return nil, err
	}
	if err := checkMetrics(name); err != nil || r.DryRun() {
		return func() {}, err
	}
	if err := writeText(r, name, o); err != nil {
		return nil, exit.Errorf(exit.Code(err), "--metrics: %w", err)
	}
	warned := false
	again := func() {
		if err := writeText(r, name, o); err != nil && !warned {
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

// writeText writes the metrics to a file. A reader sees either the whole old content or the whole new content. The
// exporter runs as another user, who may read public numbers whatever the umask.
func writeText(ctx context.Context, name string, o metrics.Options) error {
	side := wire.Side_PUBLIC
	if o.Private {
		side = wire.Side_PRIVATE
	}
	out, err := endpoint.Create(ctx, name, side)
	if err != nil {
		return err
	}
	defer out.Abort()
	if err := metrics.WriteText(out, o); err != nil {
		return err
	}
	if !o.Private {
		if err := out.LetAllRead(); err != nil {
			return err
		}
	}
	return out.Commit()
}

// watch warns when the run waits for topics and no message arrives, and logs when messages arrive again. stop ends it.
// A program without topics has no such wait.
func (r *Run) watch() (stop func()) {
	if r.common.StallTimeout <= 0 || !topic.Any() {
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
