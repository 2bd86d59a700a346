package kafka

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire/stream"
)

// TestTLSToClear: a client with tls says soon that a broker speaks none, and does not advise what it already does.
func TestTLSToClear(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"t.private": 1})
	configure(t, `{"tls":{}}`)
	began := time.Now()
	_, err := Open(soon(t), location(t, fake.Address, "t.private", ""))
	wantError(t, err, exit.Missing, fake.Address+" speaks no TLS", "port with TLS", ConfigVariable)
	if took := time.Since(began); took > shortly {
		t.Errorf("it took %v", took)
	}
}

// TestAdvertised: where the brokers name an address that nobody reaches, the error names the broker's setting. An
// address that the user gave is the user's own, and gets no such hint.
func TestAdvertised(t *testing.T) {
	for host, words := range map[string]string{"127.0.0.1": "use 127.0.0.1:1, which",
		"elsewhere.invalid": "use elsewhere.invalid, which"} {
		fake := broker.Fake(t, map[string]int{"t.private": 1})
		fake.ControlKey(int16(kmsg.Metadata), func(request kmsg.Request) (kmsg.Response, error, bool) {
			fake.KeepControl()
			answer := request.ResponseKind().(*kmsg.MetadataResponse)
			b := kmsg.NewMetadataResponseBroker()
			b.NodeID, b.Host, b.Port = 0, host, 1
			partition := kmsg.NewMetadataResponseTopicPartition()
			of := kmsg.NewMetadataResponseTopic()
			name := "t.private"
			of.Topic, of.Partitions = &name, append(of.Partitions, partition)
			answer.Brokers, answer.Topics = append(answer.Brokers, b), append(answer.Topics, of)
			return answer, nil, true
		})
		_, err := Open(soon(t), location(t, fake.Address, "t.private", "?patience=100ms"))
		wantError(t, err, exit.Unavailable, "advertised.listeners", words)
	}
	_, err := Open(soon(t), location(t, "127.0.0.1:1", "t.private", "?patience=100ms"))
	if hint := exit.Hint(err); hint != "" {
		t.Errorf("a wrong address of the user's: %q", hint)
	}
}

// TestDecided: what a broker refuses for good does not end with the code after which a service manager starts the
// program again.
func TestDecided(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"t.private": 1})
	err := Create(soon(t), location(t, fake.Address, "new.private", ""),
		Plan{Partitions: 1, Replicas: 3, Retention: time.Hour})
	wantError(t, err, exit.Usage, "new.private", "more replicas than the cluster has brokers", "--replicas")
	for _, refusal := range []*kerr.Error{kerr.PolicyViolation, kerr.InvalidConfig, kerr.InvalidRequest} {
		fake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.CreateTopics}, Err: refusal})
		err := Create(soon(t), location(t, fake.Address, "new.private", ""), Plan{Partitions: 1, Retention: time.Hour})
		wantError(t, err, exit.Missing, "new.private", "the broker refuses it")
	}
	fake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.MessageTooLarge})
	a := appendTo(t, location(t, fake.Address, "t.private", ""))
	if err := a.WriteFrame([]byte("x"), stream.Mark{Closes: true}); err == nil {
		t.Error("a message that is too large was taken")
	} else {
		wantError(t, err, exit.Missing, "at least 965536; a broker's default is 1048588")
	}
}
