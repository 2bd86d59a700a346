package kafka

import (
	"slices"
	"strings"
	"testing"
	"time"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/exit"
)

// usual is a location as its name leaves it that says nothing but the topic.
func usual(change func(*Location)) *Location {
	l := &Location{Brokers: []string{"h:9092"}, Topic: "t", Partition: -1, Patience: 2 * time.Minute,
		Session: 10 * time.Second}
	change(l)
	return l
}

func TestParse(t *testing.T) {
	brokers := func(all ...string) *Location { return usual(func(l *Location) { l.Brokers = all }) }
	for name, want := range map[string]*Location{
		"kafka://h/t":                      usual(func(*Location) {}),
		"kafka://h:1/t":                    brokers("h:1"),
		"kafka://a,b:1,10.0.0.1:65535/t":   brokers("a:9092", "b:1", "10.0.0.1:65535"),
		"kafka://[::1]:19092/t":            brokers("[::1]:19092"),
		"kafka://[::1],[fe80::1%eth0]:1/t": brokers("[::1]:9092", "[fe80::1%eth0]:1"),
		"kafka://2001:db8::1/t":            brokers("[2001:db8::1]:9092"),
		"kafka://h/sums.private":           usual(func(l *Location) { l.Topic = "sums.private" }),
		"kafka://h/" + strings.Repeat("t",
			249): usual(func(l *Location) { l.Topic = strings.Repeat("t", 249) }),
		"kafka://h/t?":              usual(func(*Location) {}),
		"kafka://h/t?group=estep.1": usual(func(l *Location) { l.Group = "estep.1" }),
		"kafka://h/t?partition=0":   usual(func(l *Location) { l.Partition = 0 }),
		"kafka://h/t?from=start":    usual(func(l *Location) { l.From = topic.Start }),
		"kafka://h/t?from=oldest":   usual(func(l *Location) { l.From = topic.Oldest }),
		"kafka://h/t?from=newest":   usual(func(l *Location) { l.From = topic.Newest }),
		"kafka://h/t?from=end&until=end": usual(func(l *Location) {
			l.From, l.UntilEnd = topic.End,
				true
		}),
		"kafka://h/t?from=12":                   usual(func(l *Location) { l.From = "12" }),
		"kafka://h/t?from=2026-11-21T06:00:00Z": usual(func(l *Location) { l.From = "2026-11-21T06:00:00Z" }),
		"kafka://h/t?from=2026-11-21T06:00:00+01:00": usual(func(l *Location) {
			l.From = "2026-11-21T06:00:00+01:00"
		}),
		"kafka://h/t?from=2026-11-21T06%3A00%3A00-01:00": usual(func(l *Location) {
			l.From = "2026-11-21T06:00:00-01:00"
		}),
		"kafka://h/t?patience=300ms&session=1m": usual(func(l *Location) {
			l.Patience, l.Session = 300*time.Millisecond, time.Minute
		}),
	} {
		got, err := Parse(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		brokers := slices.Equal(got.Brokers, want.Brokers)
		got.Brokers, want.Brokers = nil, nil
		if !brokers || !equal(*got, *want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func equal(a, b Location) bool {
	return a.Topic == b.Topic && a.Group == b.Group && a.Session == b.Session && a.Partition == b.Partition &&
		a.From == b.From && a.UntilEnd == b.UntilEnd && a.Patience == b.Patience
}

func TestParseRefuses(t *testing.T) {
	for name, want := range map[string]string{
		"h/t":                                   "not the name of a topic",
		"kafka:h/t":                             "not the name of a topic",
		"kafka://h":                             "a topic's name",
		"kafka://h/":                            "a topic's name",
		"kafka://h/.":                           "a topic's name",
		"kafka://h/..":                          "a topic's name",
		"kafka://h/a/b":                         "a topic's name",
		"kafka://h/a b":                         "a topic's name",
		"kafka://h/a#b":                         "a topic's name",
		"kafka://h/a%20b":                       "a topic's name",
		"kafka://h/" + strings.Repeat("t", 250): "a topic's name",
		"kafka:///t":                            "broker",
		"kafka://:9092/t":                       "broker",
		"kafka://a,,b/t":                        "broker",
		"kafka://a,/t":                          "broker",
		"kafka://h:/t":                          "broker",
		"kafka://h:0/t":                         "broker",
		"kafka://h:65536/t":                     "broker",
		"kafka://h:http/t":                      "broker",
		"kafka://a:b:1/t":                       "broker",
		"kafka://h/t?from=start&from=end":       "from is given twice",
		"kafka://h/t?offset=3":                  `key "offset" is unknown`,
		"kafka://h/t?From=start":                `key "From" is unknown`,
		"kafka://h/t?group=":                    "is not a name",
		"kafka://h/t?group=a/b":                 "is not a name",
		"kafka://h/t?partition=-1":              "from 0 on",
		"kafka://h/t?partition=":                "from 0 on",
		"kafka://h/t?partition=99999999999999":  "from 0 on",
		"kafka://h/t?from=":                     "from= must be",
		"kafka://h/t?from=-1":                   "from=-1 must be",
		"kafka://h/t?from=9223372036854775808":  "must be",
		"kafka://h/t?from=2026-11-21":           "must be",
		"kafka://h/t?until=start":               "until=start must be end",
		"kafka://h/t?patience=0":                "patience=0 must be",
		"kafka://h/t?patience=-1s":              "must be",
		"kafka://h/t?patience=3":                "must be",
		"kafka://h/t?session=soon":              "must be",
		"kafka://h/t?from=%zz":                  "escape",
	} {
		_, err := Parse(name)
		wantError(t, err, exit.Usage, want)
	}
}

// TestParseKeepsSecrets gives what may be a password in all places where one may think that it belongs.
func TestParseKeepsSecrets(t *testing.T) {
	for _, name := range []string{
		"kafka://user:s3cret@h/t",
		"kafka://user:s3cret@@h/t",
		"kafka://user:s3/cret@h/t",
		"kafka://user:s3cret%40h/t",
		"kafka://user:s3cret/t",
		"kafka://h,user:s3cret/t",
		"kafka://user:s3cret:h/t",
		"user:s3cret@h/t",
		"kafka://s3cret@h1,user:s3cret@h2/t?from=never",
		"kafka://h/t?password=s3cret",
		"kafka://h/t?sasl=user@s3cret",
		"kafka://h/t?from=start&password=s3cret&from=end",
		"kafka://h/t?password=s3cret%zz",
		"kafka://h/t?s3cret=%zz",
	} {
		_, err := Parse(name)
		wantError(t, err, exit.Usage)
		for _, part := range []string{"s3", "cret"} {
			if err != nil && strings.Contains(err.Error()+exit.Hint(err), part) {
				t.Errorf("%s: the error tells it: %v", name, err)
			}
		}
	}
}

func TestLocationName(t *testing.T) {
	l, err := Parse("kafka://a,b:1/sums.private?group=g&from=3")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := l.String(), "kafka://a:9092,b:1/sums.private"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for topic, private := range map[string]bool{
		"sums.private": true, ".private": true,
		"sums.private.": false, "private": false, "sums.Private": false, "sums.private.copy": false,
	} {
		if got := (&Location{Topic: topic}).IsPrivate(); got != private {
			t.Errorf("%s is private: %v", topic, got)
		}
	}
}
