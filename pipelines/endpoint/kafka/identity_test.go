package kafka

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kversion"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit/broker"
)

// again deletes a topic and makes it again under its name, with as many messages.
func again(t *testing.T, fake broker.Faked, l *Location, messages int) {
	t.Helper()
	if err := fake.DeleteTopic(l.Topic); err != nil {
		t.Fatal(err)
	}
	if err := fake.CreateTopic(l.Topic, 1, nil); err != nil {
		t.Fatal(err)
	}
	for i := range messages {
		put(t, l, 0, fmt.Append(nil, "new ", i))
	}
}

// TestMadeAgain: who follows a topic that is deleted and made again reads no message of the new one as if it went on
// with the old, also if the new topic has more messages than the reader has read.
func TestMadeAgain(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"texts.private": 1})
	l := location(t, fake.Address, "texts.private", "")
	text, err := OpenText(soon(t), l)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	b := make([]byte, 100)
	for i := range 3 {
		put(t, l, 0, fmt.Append(nil, "old ", i))
		if n, err := text.Read(b); err != nil || string(b[:n]) != fmt.Sprintln("old", i) {
			t.Fatalf("%q, %v", b[:n], err)
		}
	}
	again(t, fake, l, 10)
	rest, err := io.ReadAll(text)
	wantError(t, err, exit.Malformed, l.String(), "deleted and created again", "are gone", "started again")
	if len(rest) > 0 {
		t.Errorf("%q was read as if it followed", rest)
	}
}

// TestMadeAgainNotes: what a group noted of a topic is no hint for another topic of its name.
func TestMadeAgainNotes(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"t": 1})
	l := location(t, fake.Address, "t", "?group=g")
	for i := range 3 {
		put(t, l, 0, fmt.Append(nil, "old ", i))
	}
	log := openLog(t, l)
	for _, h := range []Hint{{Offset: 2, Round: 1, Planned: 9}, {Offset: 3, Ended: true}} {
		if err := log.client.note(soon(t), 0, h, -1, ""); err != nil {
			t.Fatal(err)
		}
		hints, err := Hints(soon(t), l)
		if err != nil || hints[0] != h {
			t.Errorf("the note is %+v, want %+v, %v", hints, h, err)
		}
	}
	if err := log.client.note(soon(t), 0, Hint{Offset: 2, Round: 1, Planned: 9}, -1, ""); err != nil {
		t.Fatal(err)
	}
	note := log.client.noteOf(Hint{Round: 1, Planned: 9})
	again(t, fake, l, 10)
	c, err := newClient(l)
	if err != nil {
		t.Fatal(err)
	}
	defer c.leave()
	if _, err := c.partitions(soon(t)); err != nil {
		t.Fatal(err)
	}
	h := Hint{Offset: 2}
	if c.readNote(&h, note); h != (Hint{Offset: -1}) {
		t.Errorf("the note of the topic before gives %+v", h)
	}
}

// TestBrokerWithoutIDs: of a broker that knows no ids, messages are asked for by the topic's name.
func TestBrokerWithoutIDs(t *testing.T) {
	for _, version := range []*kversion.Versions{kversion.V2_4_0(), kversion.V2_8_0(), kversion.V3_0_0()} {
		fake := broker.Fake(t, map[string]int{"t": 1}, kfake.MaxVersions(version))
		l := location(t, fake.Address, "t", "?until=end")
		put(t, l, 0, []byte("a"))
		log := openLog(t, l)
		if m, err := log.message(); err != nil || string(m.value) != "a" {
			t.Errorf("%v, %v", m, err)
		}
		if _, err := log.message(); !errors.Is(err, io.EOF) {
			t.Error(err)
		}
	}
}
