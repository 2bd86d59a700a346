package broker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/testkit"
)

// client is what the stages have: kafka-go's, without what it remembers of other tests' brokers. What it learns of
// topics at its first request is old after some seconds. The first answer must come within them, handshakes included.
func client(t *testing.T, address string) *kafka.Client {
	transport := &kafka.Transport{MetadataTTL: 10 * time.Second}
	t.Cleanup(transport.CloseIdleConnections)
	return &kafka.Client{Addr: kafka.TCP(address), Transport: transport, Timeout: within}
}

func produce(c *kafka.Client, topic string, partition int, values ...[]byte) error {
	var records []kafka.Record
	for _, v := range values {
		records = append(records, kafka.Record{Value: kafka.NewBytes(v)})
	}
	answer, err := c.Produce(context.Background(), &kafka.ProduceRequest{Topic: topic, Partition: partition,
		RequiredAcks: kafka.RequireAll, Records: kafka.NewRecordReader(records...)})
	if err != nil {
		return err
	}
	return answer.Error
}

// fetch returns the next values of a partition from an offset on: none if none comes for long.
func fetch(c *kafka.Client, topic string, partition int, offset int64) (values [][]byte, err error) {
	answer, err := c.Fetch(context.Background(), &kafka.FetchRequest{Topic: topic, Partition: partition, Offset: offset,
		MinBytes: 1, MaxBytes: 1 << 20, MaxWait: within / 2})
	if err != nil {
		return nil, err
	}
	if answer.Error != nil {
		return nil, answer.Error
	}
	for {
		record, err := answer.Records.ReadRecord()
		if err == io.EOF {
			return values, nil
		}
		if err != nil {
			return nil, err
		}
		value, err := kafka.ReadAll(record.Value)
		if err != nil {
			return nil, err
		}
		if record.Offset >= offset { // a batch comes whole
			values = append(values, value)
		}
	}
}

// holds checks that a partition begins with these values.
func holds(t *testing.T, c *kafka.Client, topic string, partition int, want ...[]byte) {
	t.Helper()
	var got [][]byte
	for len(got) < len(want) {
		more, err := fetch(c, topic, partition, int64(len(got)))
		if err != nil || len(more) == 0 {
			t.Fatalf("after %d values: %d more, %v", len(got), len(more), err)
		}
		got = append(got, more...)
	}
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Fatalf("value %d of partition %d is %q, want %q", i, partition, got[i], want[i])
		}
	}
}

// frames are values of all sizes that the wire has: its frames are below 900 kB.
func frames() [][]byte {
	large := make([]byte, 900_000)
	for i := range large {
		large[i] = byte(i * i >> 7)
	}
	return [][]byte{[]byte("header\n"), {0}, large, []byte("end")}
}

// roundTrip writes to a topic of two partitions and reads both back, by kafka-go and by kcat.
func roundTrip(t *testing.T, address, topic string) {
	c := client(t, address)
	other := []byte("of the other partition")
	for _, f := range frames() {
		if err := produce(c, topic, 1, f); err != nil {
			t.Fatal(err)
		}
	}
	if err := produce(c, topic, 0, other); err != nil {
		t.Fatal(err)
	}
	holds(t, c, topic, 1, frames()...)
	holds(t, c, topic, 0, other)
	t.Run("kcat", func(t *testing.T) {
		if got := Partition(t, address, topic, 1); !bytes.Equal(got, bytes.Join(frames(), nil)) {
			t.Errorf("kcat reads %d bytes, others than were written", len(got))
		}
	})
}

func TestFake(t *testing.T) {
	fake := Fake(t, map[string]int{"one.private": 2, "two": 1})
	roundTrip(t, fake.Address, "one.private")
	c := client(t, fake.Address)
	if err := produce(c, "three", 0, []byte("x")); err == nil || fake.TopicInfo("three") != nil {
		t.Errorf("a topic that nobody made takes messages, error %v", err)
	}
	fault := fake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "two", Err: kerr.NotEnoughReplicas})
	if err := produce(c, "two", 0, []byte("refused")); !errors.Is(err, kafka.NotEnoughReplicas) || fault.Hits() != 1 {
		t.Errorf("with a fault: %v", err)
	}
	if err := produce(c, "two", 0, []byte("taken")); err != nil {
		t.Error(err)
	}
	holds(t, c, "two", 0, []byte("taken"))
}

func TestReal(t *testing.T) {
	testkit.Deep(t, "kafka")
	b := Real(t)
	topic := b.Topic(t, "rounds.private", 2, map[string]string{"message.timestamp.type": "LogAppendTime"})
	roundTrip(t, b.Address, topic)
	if again := b.Topic(t, "rounds.private", 2, nil); again == topic {
		t.Errorf("two tests get the topic %s", topic)
	}
}

// TestRestart checks that what the broker acknowledged outlives its end and its crash, at the same address.
func TestRestart(t *testing.T) {
	testkit.Deep(t, "kafka")
	b := Own(t)
	topic := b.Topic(t, "releases", 1, nil)
	var written [][]byte
	for name, end := range map[string]func(testing.TB){"stop": b.Stop, "kill": b.Kill} {
		c, value := client(t, b.Address), []byte("before "+name)
		if err := produce(c, topic, 0, value); err != nil {
			t.Fatal(err)
		}
		written = append(written, value)
		end(t)
		c.Timeout = time.Second
		if err := produce(c, topic, 0, []byte("nobody hears")); err == nil {
			t.Errorf("the broker answers after %s", name)
		}
		b.Start(t)
		holds(t, client(t, b.Address), topic, 0, written...)
	}
}

// TestPause checks that a paused broker answers nothing, and goes on when it is resumed.
func TestPause(t *testing.T) {
	testkit.Deep(t, "kafka")
	b := Own(t)
	topic := b.Topic(t, "releases", 1, nil)
	c := client(t, b.Address)
	if err := produce(c, topic, 0, []byte("before")); err != nil {
		t.Fatal(err)
	}
	b.Pause(t)
	c.Timeout = time.Second
	if values, err := fetch(c, topic, 0, 0); err == nil {
		t.Errorf("a paused broker gives %q", values)
	}
	b.Resume(t)
	c.Timeout = within
	holds(t, c, topic, 0, []byte("before"))
}

// TestOwnServesAgain checks that a test which leaves the broker paused or dead does not harm the next.
func TestOwnServesAgain(t *testing.T) {
	testkit.Deep(t, "kafka")
	for name, fault := range map[string]func(*Broker, testing.TB){"paused": (*Broker).Pause, "killed": (*Broker).Kill} {
		t.Run(name, func(t *testing.T) { fault(Own(t), t) })
		t.Run("after "+name, func(t *testing.T) {
			b := Own(t)
			if err := produce(client(t, b.Address), b.Topic(t, "releases", 1, nil), 0, []byte("x")); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestOwnGoes kills a test binary that has a broker, and waits until broker and folder are gone.
func TestOwnGoes(t *testing.T) {
	testkit.Deep(t, "kafka")
	if os.Getenv("PRIVPIPE_BROKER_CHILD") != "" {
		fmt.Println("folder", Own(t).folder)
		select {}
	}
	Own(t) // skips
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestOwnGoes$")
	child.Env = append(os.Environ(), "PRIVPIPE_BROKER_CHILD=yes")
	child.Stderr = os.Stderr
	output, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var folder string
	if _, err := fmt.Fscanf(output, "folder %s\n", &folder); err != nil {
		t.Fatal(err)
	}
	process, err := os.ReadFile(filepath.Join(folder, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	alive := filepath.Join("/proc", strings.TrimSpace(string(process)))
	if _, err := os.Stat(alive); err != nil {
		t.Fatal(err)
	}
	child.Process.Kill()
	child.Wait()
	ctx, end := testkit.Progress(within)
	defer end()
	err = testkit.Wait(ctx, func() bool {
		_, program := os.Stat(alive)
		_, data := os.Stat(folder)
		return os.IsNotExist(program) && os.IsNotExist(data)
	})
	if err != nil {
		t.Fatalf("the broker or its folder outlives its test binary: %v", err)
	}
}
