package command

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/wire"
)

// stamped are the settings of a topic in which the broker says when a message arrives.
var stamped = map[string]string{"message.timestamp.type": "LogAppendTime"}

// authored is a message of another program with one document.
func authored(id string, word uint32) *kgo.Record {
	d := &wire.Document{Id: id, WordGaps: []uint32{word}, Counts: []uint32{1}}
	stream, end := script.Stream(header(10), &wire.Record{Body: &wire.Record_Document{Document: d}})
	return &kgo.Record{Value: stream[:end]}
}

// author writes messages one after another, each to the partition that it names.
func author(t *testing.T, address, topic string, records ...*kgo.Record) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(address), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, r := range records {
		r.Topic = topic
		if err := client.ProduceSync(t.Context(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}

// aWindow are windows of hours, of which the first is open now.
func aWindow(t *testing.T) []string {
	return []string{"--epoch", "--window", "2h", "--rounds", "3", "--window-start",
		time.Now().Add(-time.Hour).UTC().Format(time.RFC3339),
		"--window-state", filepath.Join(t.TempDir(), "state")}
}

// TestStamps: whoever writes a message would choose its time in a topic with CreateTime. Windows of time and from=TIME
// refuse such a topic, before they wait for its first message, unless the user trusts its writers.
func TestStamps(t *testing.T) {
	fake := broker.Fake(t, nil)
	topic := "kafka://" + fake.Address + "/"
	fake.Broker().Create(t, "late.private", 1, stamped)
	fake.Broker().Create(t, "early.private", 1, nil)
	for _, name := range []string{"late.private", "early.private"} {
		author(t, fake.Address, name, authored("a", 1), authored("b", 2))
	}
	since := "&from=" + time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
	for i, c := range []struct {
		code int
		args []string
	}{
		{exit.OK, append(aWindow(t), topic+"late.private?until=end")},
		{exit.Refused, append(aWindow(t), topic+"early.private?until=end")},
		{exit.Refused, append(aWindow(t), topic+"early.private?until=end&from=end")},
		{exit.Refused, append(aWindow(t), "--dry-run", topic+"early.private")},
		{exit.OK, append(aWindow(t), "--trust-stamps", topic+"early.private?until=end")},
		{exit.OK, []string{"--all", topic + "early.private?until=end"}},
		{exit.Refused, []string{"--all", topic + "early.private?until=end" + since}},
		{exit.Refused, []string{"--all", "--dry-run", topic + "early.private?until=end" + since}},
		{exit.OK, []string{"--all", "--trust-stamps", topic + "early.private?until=end" + since}},
	} {
		out := filepath.Join(t.TempDir(), fmt.Sprint(i))
		if code := run(t, append([]string{"-o", out}, c.args...)...); code != c.code {
			t.Errorf("%v: exit code %d, want %d", c.args, code, c.code)
		}
	}
}

// TestWindowNeighbours: one unit moves no other, whatever its author writes: not by its name and content, and not by
// the time, the key, the headers or the partition of its message.
func TestWindowNeighbours(t *testing.T) {
	fake := broker.Fake(t, nil)
	topic := "kafka://" + fake.Address + "/"
	rounds := func(name string, victims ...*kgo.Record) (others []string) {
		fake.Broker().Create(t, name, 2, stamped)
		for i := range 6 {
			r := authored(fmt.Sprint("other", i), uint32(i))
			r.Partition = int32(i % 2)
			if i == 3 {
				author(t, fake.Address, name, victims...)
			}
			author(t, fake.Address, name, r)
		}
		out := filepath.Join(t.TempDir(), "rounds")
		if code := run(t, append(aWindow(t), "-o", out, topic+name+"?until=end")...); code != exit.OK {
			t.Fatalf("%s: exit code %d", name, code)
		}
		return membersOf(t, out, "other")
	}
	want := rounds("without.private")
	if len(want) != 6 {
		t.Fatalf("%d units, want 6", len(want))
	}
	for name, change := range map[string]func(*kgo.Record){
		"id":        func(r *kgo.Record) { *r = *authored("zzz", 1) },
		"content":   func(r *kgo.Record) { *r = *authored("victim", 9) },
		"early":     func(r *kgo.Record) { r.Timestamp = time.Now().Add(-100 * time.Hour) },
		"ahead":     func(r *kgo.Record) { r.Timestamp = time.Now().Add(50 * time.Minute) },
		"far":       func(r *kgo.Record) { r.Timestamp = time.Now().Add(100 * time.Hour) },
		"key":       func(r *kgo.Record) { r.Key = []byte("key") },
		"partition": func(r *kgo.Record) { r.Partition = 1 },
		"headers": func(r *kgo.Record) {
			r.Headers = []kgo.RecordHeader{{Key: "round", Value: []byte("3")}, {Key: "mark", Value: []byte("end")},
				{Key: "frame", Value: []byte("0")}}
		},
	} {
		victim := authored("victim", 1)
		change(victim)
		if got := rounds(name+".private", victim); !slices.Equal(got, want) {
			t.Errorf("a unit of another %s: the others are in %v, want %v", name, got, want)
		}
	}
}

// membersOf returns the round and the id of each document of a file of rounds whose id begins with prefix.
func membersOf(t *testing.T, name, prefix string) (members []string) {
	t.Helper()
	in, _, err := endpoint.OpenStream(t.Context(), name, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_ROUNDS}})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for _, record := range rest(t, in) {
		if id := record.GetDocument().GetId(); id != "" && strings.HasPrefix(id, prefix) {
			members = append(members, fmt.Sprint(record.Round, " ", id))
		}
	}
	slices.Sort(members)
	return members
}

// TestRedelivered: a document that a topic holds twice counts once, as the Kafka recipe says. One that differs is
// refused, and so is one that a file holds twice.
func TestRedelivered(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"again.private": 1, "other.private": 1})
	a, b := authored("a", 1), authored("b", 2)
	author(t, fake.Address, "again.private", a, b, authored("a", 1))
	author(t, fake.Address, "other.private", authored("a", 1), authored("b", 2), authored("a", 3))
	out := filepath.Join(t.TempDir(), "out")
	if code := run(t, "--all", "-o", out, "kafka://"+fake.Address+"/again.private?until=end"); code != exit.OK {
		t.Errorf("exit code %d", code)
	} else if got := membersOf(t, out, ""); !slices.Equal(got, []string{"1 a", "1 b"}) {
		t.Errorf("the round holds %q", got)
	}
	if code := run(t, "--all", "-o", out, "kafka://"+fake.Address+"/other.private?until=end"); code != exit.Malformed {
		t.Errorf("documents that differ: exit code %d", code)
	}
}
