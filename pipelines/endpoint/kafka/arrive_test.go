package kafka

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"privpipe/pipelines/testkit/broker"
)

// TestArrivalReal: of a topic whose messages the broker stamps, it is the broker's clock that counts, not the writer's.
func TestArrivalReal(t *testing.T) {
	b := broker.Real(t)
	arrival(t, location(t, b.Address, b.Topic(t, "t.private", 1, map[string]string{"message.timestamp.type": "LogAppendTime"}), ""))
}

func arrival(t *testing.T, l *Location) {
	writer, err := kgo.NewClient(kgo.SeedBrokers(l.Brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	before := time.Now().Add(-time.Second)
	slow := &kgo.Record{Topic: l.Topic, Value: []byte("x"), Timestamp: time.Now().Add(-time.Hour)}
	if err := writer.ProduceSync(context.Background(), slow).FirstErr(); err != nil {
		t.Fatal(err)
	}
	log := openLog(t, l)
	m, err := log.message()
	if err != nil {
		t.Fatal(err)
	}
	if m.time.Before(before) || m.time.After(time.Now().Add(time.Second)) {
		t.Errorf("a message of a writer whose clock is an hour slow arrived %v ago", time.Since(m.time))
	}
}
