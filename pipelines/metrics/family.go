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

// A Counter is a number that starts at 0 and only grows. Add panics if its argument is negative.
type Counter interface {
	Add(difference float64)
}

// An exposure says what a metric depends on, and therefore who may see it. The zero value is private.
type exposure int

const (
	private exposure = iota // depends on private data: served only with --private-logs
	public                  // depends only on settings, releases and time: always served
	ofTopic                 // depends on the topic in the first label: private if its name ends in privateTopic, or after Conceal
)

// privateTopic is the suffix of the names of topics with private records.
const privateTopic = ".private"

// shown has the public numbers and hidden the private ones. A name may be in both.
var shown, hidden = prometheus.NewRegistry(), prometheus.NewRegistry()

// A family has all numbers of one name, by their labels. A number is served after the first call of of with its labels. So a
// number that a stage does not count is absent, not 0.
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

// namespace is the prefix of all names, followed by an underscore.
const namespace = "privpipe"

func newFamily[N any](e exposure, create func() vector[N]) *family[N] {
	f := &family[N]{exposure: e, shown: create(), hidden: create()}
	shown.MustRegister(f.shown)
	hidden.MustRegister(f.hidden)
	return f
}

// concealed has topics that hold private records under names that do not say so.
var concealed sync.Map

// Conceal makes the numbers about a topic private. It is for topics of text that other programs wrote and named.
func Conceal(topic string) { concealed.Store(topic, true) }

// isPrivate says whether the numbers about a topic are private.
func isPrivate(topic string) bool {
	_, found := concealed.Load(topic)
	return found || strings.HasSuffix(topic, privateTopic)
}

// of returns the number with these labels.
func (f *family[N]) of(labels ...string) N {
	if f.exposure == public || f.exposure == ofTopic && !isPrivate(labels[0]) {
		return f.shown.WithLabelValues(labels...)
	}
	return f.hidden.WithLabelValues(labels...)
}
