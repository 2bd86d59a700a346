package topic_test

import (
	"context"
	"strings"
	"testing"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/exit"
)

// fake is a transport that knows one topic.
type fake struct{ topic.Transport }

func (fake) Parse(name string) (*topic.Location, error) {
	return &topic.Location{Scheme: "fake://", Brokers: []string{"a", "b"},
		Topic: strings.TrimPrefix(name, "fake://a,b/")}, nil
}

func (fake) Partitions(context.Context, *topic.Location) (int, error) { return 7, nil }

// TestRegister: a name goes to the transport of its scheme; one that the program lacks is named, and no password is
// shown.
func TestRegister(t *testing.T) {
	topic.Register("fake://", fake{})
	l, err := topic.Parse("fake://a,b/x.private")
	if err != nil || l.String() != "fake://a,b/x.private" || !l.IsPrivate() {
		t.Errorf("%v, %v", l, err)
	}
	if n, err := topic.Of(l).Partitions(t.Context(), l); n != 7 || err != nil {
		t.Errorf("%d partitions, %v", n, err)
	}
	for name, words := range map[string]string{
		"kafka://user:secret@h/t": "kafka://…: this program has no transport for topics",
		"file":                    "not the name of a topic",
		"other://h/t":             "not the name of a topic",
	} {
		_, err := topic.Parse(name)
		if exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), words) ||
			strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !topic.Is("kafka://h/t") || !topic.Is("fake://x") || topic.Is("file") || topic.Is("http://x") {
		t.Error("what is a topic is told by its scheme")
	}
}
