package kafka

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/fetch"

	"privpipe/pipelines/exit"
)

// A fetchRequest asks for the messages of one partition, and parses the raw answer. The library's own Fetch has two
// defects. It returns the writer's time for a message, not the time when the broker took the batch. It also hides where
// a batch ends.
type fetchRequest struct {
	fetch.Request
	version int16  // the newest version that the broker and the library know
	id      id     // the topic's id; zero: the request names the topic instead
	into    []byte // memory for the answer; a larger answer gets new memory
}

// fetchVersion is the protocol version for requests that name the topic. Brokers know it since Kafka 2.3.
const fetchVersion = 11

func newFetch(topic string, partition int, offset int64, isolation kafka.IsolationLevel, into []byte) *fetchRequest {
	return &fetchRequest{into: into, Request: fetch.Request{
		IsolationLevel: int8(isolation), ReplicaID: -1, MaxWaitTime: int32(maxWait.Milliseconds()), MinBytes: 1,
		MaxBytes:  maxFetch,
		SessionID: -1, SessionEpoch: -1,
		Topics: []fetch.RequestTopic{{Topic: topic, Partitions: []fetch.RequestPartition{{
			Partition: int32(partition), CurrentLeaderEpoch: -1, FetchOffset: offset, LogStartOffset: -1,
			PartitionMaxBytes: maxFetch,
		}}}},
	}}
}

// Required implements protocol.RawExchanger.
func (r *fetchRequest) Required(versions map[protocol.ApiKey]int16) bool {
	r.version = versions[protocol.Fetch]
	return true
}

// RawExchange implements protocol.RawExchanger.
func (r *fetchRequest) RawExchange(broker io.ReadWriter) (protocol.Message, error) {
	if r.id != (id{}) {
		answer, err := exchange(broker, protocol.Fetch, fetchByID, r.body(), r.into)
		return fetchByIDResponse(answer), err
	}
	if r.version < fetchVersion {
		return nil, exit.Errorf(exit.Missing, "the broker is older than Kafka 2.3")
	}
	if err := protocol.WriteRequest(broker, fetchVersion, 0, clientName, &r.Request); err != nil {
		return nil, err
	}
	answer, err := receive(broker, r.into)
	return fetchResponse(answer), err
}

// body encodes the request by topic id: "Fetch Request (Version: 13)". A broker has no messages for a deleted
// topic's id.
func (r *fetchRequest) body() []byte {
	p := r.Topics[0].Partitions[0]
	b := binary.BigEndian.AppendUint32(nil, uint32(r.ReplicaID))
	for _, n := range []int32{r.MaxWaitTime, r.MinBytes, r.MaxBytes} {
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	b = append(b, byte(r.IsolationLevel))
	b = binary.BigEndian.AppendUint32(b, uint32(r.SessionID))
	b = binary.BigEndian.AppendUint32(b, uint32(r.SessionEpoch))
	b = append(append(append(b, 2), r.id[:]...), 2) // a list of one topic, a list of one partition
	b = binary.BigEndian.AppendUint32(b, uint32(p.Partition))
	b = binary.BigEndian.AppendUint32(b, uint32(p.CurrentLeaderEpoch))
	b = binary.BigEndian.AppendUint64(b, uint64(p.FetchOffset))
	b = binary.BigEndian.AppendUint32(b, 1<<32-1) // no epoch of the message before
	b = binary.BigEndian.AppendUint64(b, uint64(p.LogStartOffset))
	b = binary.BigEndian.AppendUint32(b, uint32(p.PartitionMaxBytes))
	return append(b, 0, 0, 1, 1, 0) // no fields of partition and topic, no forgotten topics, no rack, no fields
}

// A fetchByIDResponse is the answer to a request by topic id: "Fetch Response (Version: 13)".
type fetchByIDResponse []byte

// ApiKey implements protocol.Message.
func (fetchByIDResponse) ApiKey() protocol.ApiKey { return protocol.Fetch }

// chunk returns the messages from an offset on.
func (r fetchByIDResponse) chunk(from int64) (chunk, error) {
	in := &cursor{rest: r}
	in.take(4) // correlation
	in.fields()
	in.take(4) // throttling
	failed := in.number(2)
	in.take(4) // session
	for range min(1, in.length()) {
		in.take(16) // the topic
		in.length() // one partition
		in.take(4)  // its number
		failed = in.number(2)
	}
	if failed != 0 {
		return chunk{}, kafka.Error(failed)
	}
	c := chunk{next: from, head: in.number(8)}
	in.take(8 + 8) // other offsets
	transactions := readTransactions(in, in.length(), in.fields)
	in.take(4) // a replica nearby
	return c.all(in, in.take(in.length()), transactions)
}

// leastAnswer is the initial memory for an answer, in bytes. The memory doubles as bytes come.
const leastAnswer = 64 << 10

// A fetchResponse is the answer for one partition: https://kafka.apache.org/protocol, "Fetch Response (Version: 11)".
type fetchResponse []byte

// ApiKey implements protocol.Message.
func (fetchResponse) ApiKey() protocol.ApiKey { return protocol.Fetch }

// chunk returns the messages from an offset on.
func (r fetchResponse) chunk(from int64) (chunk, error) {
	in := &cursor{rest: r}
	in.take(4 + 4) // correlation, throttling
	failed := in.number(2)
	in.take(4) // session
	for range min(1, in.number(4)) {
		in.take(int(in.number(2)) + 4 + 4) // the topic, one partition, its number
		failed = in.number(2)
	}
	if failed != 0 {
		return chunk{}, kafka.Error(failed)
	}
	c := chunk{next: from, head: in.number(8)}
	in.take(8 + 8) // other offsets
	transactions := readTransactions(in, int(in.number(4)), func() {})
	in.take(4) // a replica nearby
	return c.all(in, in.take(max(0, int(in.number(4)))), transactions)
}

// all adds the messages of all batches in an answer.
func (c chunk) all(in *cursor, batches []byte, transactions *transactions) (chunk, error) {
	if in.short {
		return chunk{}, errors.New("the broker's answer is cut short")
	}
	for len(batches) >= batchPrefix {
		size := batchPrefix + int(int32(binary.BigEndian.Uint32(batches[8:])))
		if size > len(batches) {
			break // the broker cut the batch off, and sends it with the next answer
		}
		if size < batchPrefix {
			return chunk{}, errors.New("the broker's answer is damaged")
		}
		if err := c.add(batches[:size], transactions); err != nil {
			return chunk{}, err
		}
		batches = batches[size:]
	}
	return c, nil
}

// The byte offsets of the fields in a batch: https://kafka.apache.org/documentation/#recordbatch.
const (
	batchPrefix     = 8 + 4 // the first offset and the length of the rest
	batchMagic      = 16
	batchChecksum   = 17
	batchAttributes = 21
	batchLast       = 23 // the distance from the first offset to the last one
	batchFirstTime  = 27
	batchMaxTime    = 35
	batchProducer   = 43
	batchCount      = 57 // the number of messages
	batchHeader     = 61

	attributeCompression = 7
	// the broker wrote batchMaxTime, which is then the time of all messages in the batch
	attributeBrokerTime    = 1 << 3
	attributeTransactional = 1 << 4
	attributeControl       = 1 << 5 // the batch holds no message, but a marker that ends a transaction
)

// add adds a batch's messages, except the messages before the chunk's next offset. A batch may end after its last
// message, or may hold no message that counts.
func (c *chunk) add(batch []byte, t *transactions) error {
	var taken time.Time
	end, counts := c.next, true
	defer func() { c.next = max(c.next, end) }()
	if len(batch) >= batchHeader && batch[batchMagic] == 2 {
		last := int64(binary.BigEndian.Uint64(batch)) + int64(binary.BigEndian.Uint32(batch[batchLast:]))
		end = last + 1
		counts = t.counts(batch, last)
		if binary.BigEndian.Uint16(batch[batchAttributes:])&attributeBrokerTime != 0 {
			taken = time.UnixMilli(int64(binary.BigEndian.Uint64(batch[batchMaxTime:])))
		}
		if err := checkSize(batch); err != nil {
			return err
		}
	}
	messages, err := []message(nil), error(nil)
	if isPlain(batch) {
		messages, err = records(batch)
	} else {
		messages, err = otherRecords(batch)
	}
	if err != nil || !counts { // messages that do not count were also read, to check the checksum of the batch
		return err
	}
	for _, m := range messages {
		if !taken.IsZero() {
			m.time, m.stamped = taken, true
		}
		if m.offset >= c.next {
			c.messages, c.next = append(c.messages, m), m.offset+1
		}
	}
	return nil
}

// otherRecords returns the messages of batches that records cannot read: compressed batches, and batches in an old
// format.
func otherRecords(batch []byte) (messages []message, err error) {
	var records protocol.RecordSet
	sized := append(binary.BigEndian.AppendUint32(nil, uint32(len(batch))), batch...)
	if _, err := records.ReadFrom(bytes.NewBuffer(sized)); err != nil || records.Records == nil {
		return nil, err
	}
	for {
		r, err := records.Records.ReadRecord()
		if err == io.EOF {
			return messages, nil
		}
		if err != nil {
			return nil, err
		}
		m, err := newMessage(r)
		if err != nil {
			return nil, err
		}
		messages = append(messages, m)
	}
}

func newMessage(r *kafka.Record) (message, error) {
	key, wrong := kafka.ReadAll(r.Key)
	value, err := kafka.ReadAll(r.Value)
	for _, b := range []kafka.Bytes{r.Key, r.Value} {
		if b != nil {
			b.Close()
		}
	}
	m := message{offset: r.Offset, time: r.Time, key: key, value: value, headers: r.Headers}
	m.label, m.err = readLabel(r.Headers)
	return m, cmp.Or(wrong, err)
}

// A cursor reads numbers from an answer.
type cursor struct {
	rest  []byte
	short bool // more bytes were read than the answer has
}

func (c *cursor) take(n int) []byte {
	if n < 0 || n > len(c.rest) {
		c.short, n = true, 0
	}
	taken := c.rest[:n]
	c.rest = c.rest[n:]
	return taken
}

// number reads a signed big-endian number that is size bytes long.
func (c *cursor) number(size int) int64 {
	n := int64(0)
	for _, b := range c.take(size) {
		n = n<<8 | int64(b)
	}
	unused := 64 - 8*size
	return n << unused >> unused
}
