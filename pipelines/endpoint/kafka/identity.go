package kafka

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"slices"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"privpipe/pipelines/exit"
)

// An id is a topic's UUID. A topic that is deleted and created again under the same name gets another UUID. The id is
// zero if the broker gives none: topics have ids since Kafka 2.8 (KIP-516).
type id [16]byte

func (i id) String() string { return hex.EncodeToString(i[:]) }

// A lookup returns an identity.
type identity struct {
	id      id
	fetches bool // the broker accepts fetch requests by topic id
}

// A lookup asks a broker for a topic's id. The library neither asks for the id nor says which newer requests a broker
// knows.
type lookup struct{ topic string }

// ApiKey implements protocol.Message.
func (*lookup) ApiKey() protocol.ApiKey { return protocol.Metadata }

// Required implements protocol.RawExchanger.
func (*lookup) Required(map[protocol.ApiKey]int16) bool { return true }

// The first protocol versions with topic ids: https://kafka.apache.org/protocol.
const (
	metadataByID = 10 // since Kafka 2.8
	fetchByID    = 13 // since Kafka 3.1
)

// RawExchange implements protocol.RawExchanger.
func (l *lookup) RawExchange(broker io.ReadWriter) (protocol.Message, error) {
	answer, err := exchange(broker, protocol.ApiVersions, 0, nil, nil)
	if err != nil {
		return nil, err
	}
	in := &cursor{rest: answer}
	in.take(4 + 2) // correlation, error
	newest := make(map[protocol.ApiKey]int64)
	for n := in.number(4); n > 0 && !in.short; n-- {
		key := protocol.ApiKey(in.number(2))
		in.take(2) // the oldest version
		newest[key] = in.number(2)
	}
	found := &identity{fetches: newest[protocol.Fetch] >= fetchByID}
	if in.short || newest[protocol.Metadata] < metadataByID {
		return found, nil
	}
	request := []byte{2} // a list of one topic
	request = append(request, make([]byte, 16)...)
	request = append(binary.AppendUvarint(request, uint64(len(l.topic))+1), l.topic...)
	// no fields, no creation, no operations of the cluster and of the topic, no fields
	request = append(request, 0, 0, 0, 0, 0)
	if answer, err = exchange(broker, protocol.Metadata, metadataByID, request, nil); err != nil {
		return nil, err
	}
	in = &cursor{rest: answer}
	in.take(4) // correlation
	in.fields()
	in.take(4) // throttling
	for range in.length() {
		in.take(4) // number
		in.text()
		in.take(4) // port
		in.text()
		in.fields()
	}
	in.text()  // the cluster
	in.take(4) // the controller
	if in.length() != 1 {
		return nil, errors.New("the broker answers about other topics")
	}
	failed := in.number(2)
	in.text()
	copy(found.id[:], in.take(len(found.id)))
	switch {
	case in.short:
		return nil, errors.New("the broker's answer is cut short")
	case failed != 0:
		return nil, kafka.Error(failed)
	}
	return found, nil
}

// ApiKey implements protocol.Message.
func (*identity) ApiKey() protocol.ApiKey { return protocol.Metadata }

// exchange sends a request with the given body, and returns the answer without its length prefix. The answer uses the
// memory of into. A request with a body must be in a version with tagged fields in its head (KIP-482).
func exchange(broker io.ReadWriter, key protocol.ApiKey, version int16, body, into []byte) ([]byte, error) {
	request := binary.BigEndian.AppendUint16(make([]byte, 4), uint16(key))
	request = binary.BigEndian.AppendUint16(request, uint16(version))
	request = binary.BigEndian.AppendUint32(request, 0) // correlation: there is one request at a time
	request = binary.BigEndian.AppendUint16(request, uint16(len(clientName)))
	request = append(request, clientName...)
	if body != nil {
		request = append(append(request, 0), body...)
	}
	binary.BigEndian.PutUint32(request, uint32(len(request)-4))
	if _, err := broker.Write(request); err != nil {
		return nil, err
	}
	return receive(broker, into)
}

// receive returns an answer without its length prefix.
func receive(broker io.Reader, into []byte) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(broker, size[:]); err != nil {
		return nil, err
	}
	answer := into[:0]
	// The memory grows as bytes come: an announced size must not allocate memory.
	for missing := int(binary.BigEndian.Uint32(size[:])); missing > 0; {
		from := len(answer)
		answer = slices.Grow(answer, min(missing, leastAnswer))
		answer = answer[:min(cap(answer), from+missing)]
		if _, err := io.ReadFull(broker, answer[from:]); err != nil {
			return nil, err
		}
		missing -= len(answer) - from
	}
	return answer, nil
}

// length reads the length before a list or text in the newer encoding. A missing list or text also has the length 0.
func (c *cursor) length() int {
	n, size := binary.Uvarint(c.rest)
	c.take(size)
	if c.short = c.short || size <= 0 || n > uint64(len(c.rest))+1; c.short {
		return 0
	}
	return int(max(n, 1)) - 1
}

// text passes over a text in the newer encoding.
func (c *cursor) text() { c.take(c.length()) }

// fields passes over the tagged fields that newer versions may add.
func (c *cursor) fields() {
	unsigned := func() uint64 {
		n, size := binary.Uvarint(c.rest)
		c.take(size)
		c.short = c.short || size <= 0
		return n
	}
	for n := unsigned(); n > 0 && !c.short; n-- {
		unsigned() // its number
		size := unsigned()
		c.take(int(min(size, 1<<30)))
	}
}

// identify stores the topic's id at the first lookup. At later lookups it refuses another topic with the same name.
func (c *client) identify(ctx context.Context) error {
	answer, err := c.transport.RoundTrip(ctx, c.kafka.Addr, &lookup{c.Topic})
	if err != nil {
		return err
	}
	now := answer.(*identity)
	before := c.identity.Load()
	if before == nil || before.id == (id{}) {
		c.identity.Store(now)
		return nil
	}
	if now.id != (id{}) && now.id != before.id {
		return c.recreated()
	}
	return nil
}

// recreated is the error when the topic was deleted and created again.
func (c *client) recreated() error {
	return exit.Errorf(exit.Malformed,
		"%s: the topic was deleted and created again: the messages of the topic before are gone", c.Location).
		WithHint("a stage that is started again reads the new topic from its beginning; what it had not read of the " +
			"topic before must be written again. A run goes on with new topics: see the runbook")
}
