package kafka

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit/broker"
)

// TestWritersTime: each batch says whether the writer or the broker set its time. A reader therefore refuses messages
// with CreateTime even if nobody may read the topic's settings, or if the settings have changed since.
func TestWritersTime(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"early.private": 1})
	fake.Broker().Create(t, "late.private", 1, map[string]string{timestampType: brokerTime})
	fake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.DescribeConfigs}, Err: kerr.TopicAuthorizationFailed, Count: -1})
	for name, code := range map[string]int{"early.private": exit.Refused, "late.private": exit.OK} {
		l := location(t, fake.Address, name, "")
		put(t, l, 0, []byte("a"))
		l.BrokerTime = true
		logs, err := Open(soon(t), l)
		if err != nil {
			t.Fatal(err)
		}
		defer logs[0].Close()
		_, err = logs[0].message()
		if code == exit.OK && err != nil {
			t.Error(err)
		} else if code != exit.OK {
			wantError(t, err, code, timestampType+"=CreateTime", timestampType+"="+brokerTime)
		}
	}
}
