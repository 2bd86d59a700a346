package metrics

import (
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"
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
	// depends on the topic in the first label: private if its name ends in privateTopic, or after Conceal
	ofTopic
)

// privateTopic is the suffix in the names of topics with private records.
const privateTopic = ".private"

// A number is a value that several goroutines change at the same time.
type number struct {
	grows bool
	bits  atomic.Uint64 // the bits of the float64
}

// Set implements Gauge.
func (n *number) Set(value float64) { n.bits.Store(math.Float64bits(value)) }

// Add implements Gauge and Counter.
func (n *number) Add(difference float64) {
	if n.grows && !(difference >= 0) {
		panic("a counter cannot decrease")
	}
	for {
		old := n.bits.Load()
		if n.bits.CompareAndSwap(old, math.Float64bits(math.Float64frombits(old)+difference)) {
			return
		}
	}
}

func (n *number) value() float64 { return math.Float64frombits(n.bits.Load()) }

// A family has all numbers with one name, by their labels. A number is served after the first call of of with its
// labels. So a number that a stage does not count is absent, not 0.
type family struct {
	Description
	exposure exposure

	mutex         sync.Mutex
	shown, hidden map[string]*number // public and private numbers, by the values of their labels
}

// families has all metrics, in the order of their definitions.
var families []*family

func gauges(e exposure, name, help string, labels ...string) *family {
	return newFamily(e, Description{Name: namespace + "_" + name, Help: help, Labels: labels})
}

func counters(e exposure, name, help string, labels ...string) *family {
	return newFamily(e, Description{Name: namespace + "_" + name, Help: help, Labels: labels, Grows: true})
}

// namespace is the prefix of all names, followed by an underscore.
const namespace = "privpipe"

func newFamily(e exposure, d Description) *family {
	f := &family{Description: d, exposure: e, shown: make(map[string]*number), hidden: make(map[string]*number)}
	families = append(families, f)
	return f
}

// concealed has topics that hold private records but whose names do not end in privateTopic.
var concealed sync.Map

// Conceal makes the numbers about a topic private. It is for topics of text that other programs wrote and named.
func Conceal(topic string) { concealed.Store(topic, true) }

// isPrivate says whether the numbers about a topic are private.
func isPrivate(topic string) bool {
	_, found := concealed.Load(topic)
	return found || strings.HasSuffix(topic, privateTopic)
}

// separator divides the values of labels in a key. No topic's name has it.
const separator = "\xff"

// of returns the number with these labels.
func (f *family) of(labels ...string) *number {
	numbers := f.hidden
	if f.exposure == public || f.exposure == ofTopic && !isPrivate(labels[0]) {
		numbers = f.shown
	}
	key := strings.Join(labels, separator)
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if numbers[key] == nil {
		numbers[key] = &number{grows: f.Grows}
	}
	return numbers[key]
}

// A Description is common to all numbers of one metric.
type Description struct {
	Name, Help string
	Labels     []string // their names
	Grows      bool     // the metric is a counter
}

// A Sample is one number in a metric.
type Sample struct {
	Description
	Values []string // the labels' values
	Value  float64
}

// PublicSamples returns the public numbers of this process, in no order. The stage is healthy until it has waited for
// stall.
func PublicSamples(stall time.Duration) []Sample {
	return append(samples(func(f *family) map[string]*number { return f.shown }), health(stall)...)
}

// PrivateSamples returns the other numbers of this process, in no order.
func PrivateSamples() []Sample {
	return samples(func(f *family) map[string]*number { return f.hidden })
}

func samples(of func(*family) map[string]*number) (all []Sample) {
	for _, f := range families {
		f.mutex.Lock()
		for key, n := range of(f) {
			s := Sample{Description: f.Description, Value: n.value()}
			if len(f.Labels) > 0 {
				s.Values = strings.Split(key, separator)
			}
			all = append(all, s)
		}
		f.mutex.Unlock()
	}
	return all
}
