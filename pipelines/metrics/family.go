package metrics

import (
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// A Gauge is a number that goes up and down.
type Gauge interface {
	Set(value float64)
	Add(difference float64)
}

// A Counter is a number that grows from 0 on. Add panics if its argument is negative.
type Counter interface {
	Add(difference float64)
}

// An exposure says what a metric depends on, and so who may see it. Its zero value is the safe one.
type exposure int

const (
	private exposure = iota // on private data: served with --private-logs alone
	public                  // on settings, releases and time alone: always served
	ofTopic                 // on the topic that the first label names: private where its name ends in privateTopic, or by Conceal
)

// privateTopic is how the names of topics end that hold private records.
const privateTopic = ".private"

// shown are the public numbers, hidden the private ones. A name may be in both.
var shown, hidden = prometheus.NewRegistry(), prometheus.NewRegistry()

// A family is all numbers of one name, by their labels. A number is served from the first time on that it is asked for
// with of: what a stage does not count is absent, not 0.
type family[N any] struct {
	exposure      exposure
	shown, hidden vector[N]
}

type vector[N any] interface {
	prometheus.Collector
	WithLabelValues(labels ...string) N
}

func gauges(e exposure, name, help string, labels ...string) *family[prometheus.Gauge] {
	return newFamily(e, func() vector[prometheus.Gauge] {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, labels)
	})
}

func counters(e exposure, name, help string, labels ...string) *family[prometheus.Counter] {
	return newFamily(e, func() vector[prometheus.Counter] {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	})
}

// namespace is how all names begin, before an underscore.
const namespace = "privpipe"

func newFamily[N any](e exposure, create func() vector[N]) *family[N] {
	f := &family[N]{exposure: e, shown: create(), hidden: create()}
	shown.MustRegister(f.shown)
	hidden.MustRegister(f.hidden)
	return f
}

// concealed are topics that hold private records whatever their names.
var concealed sync.Map

// Conceal makes the numbers about a topic private: of text that other programs wrote, under a name that they gave it.
func Conceal(topic string) { concealed.Store(topic, true) }

// isPrivate says whether the numbers about a topic are private.
func isPrivate(topic string) bool {
	_, found := concealed.Load(topic)
	return found || strings.HasSuffix(topic, privateTopic)
}

// of returns the number of these labels.
func (f *family[N]) of(labels ...string) N {
	if f.exposure == public || f.exposure == ofTopic && !isPrivate(labels[0]) {
		return f.shown.WithLabelValues(labels...)
	}
	return f.hidden.WithLabelValues(labels...)
}
