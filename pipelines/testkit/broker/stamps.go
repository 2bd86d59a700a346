package broker

import (
	"encoding/binary"
	"hash/crc32"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// The library stamps a batch only if the batch itself asks for the broker's time. It then keeps the old checksum, and
// cannot look for a time. It ignores message.timestamp.type. So the fake broker stamps batches before the library gets
// them, and marks them. Its answers have the attribute of the broker's time where a batch has the mark.

// The positions of checksum, attributes and times in a batch: https://kafka.apache.org/documentation/#recordbatch.
const (
	batchPrefix                    = 8 + 4 // the batch's offset and the length of the rest
	batchChecksum, batchAttributes = 17, 21
	batchFirst, batchLast          = 27, 35       // times in milliseconds
	attributeBrokerTime            = 1 << 3       // of the second byte of the attributes
	stamped                        = byte(1 << 6) // the mark, in the first byte: Kafka does not use it
)

// stamp gives the batches of a request the broker's time, in topics with message.timestamp.type=LogAppendTime.
func stamp(cluster *kfake.Cluster, request *kmsg.ProduceRequest) {
	for _, topic := range request.Topics {
		if setting(cluster, request, topic, "message.timestamp.type") != "LogAppendTime" {
			continue
		}
		now := uint64(time.Now().UnixMilli())
		for _, partition := range topic.Partitions {
			if batch := partition.Records; len(batch) > batchLast+8 {
				batch[batchAttributes] |= stamped
				binary.BigEndian.PutUint64(batch[batchFirst:], now)
				binary.BigEndian.PutUint64(batch[batchLast:], now)
				sign(batch)
			}
		}
	}
}

// setting returns a setting of a topic that a request writes to, or "".
func setting(cluster *kfake.Cluster, request *kmsg.ProduceRequest, topic kmsg.ProduceRequestTopic, name string) string {
	info := cluster.TopicInfo(topic.Topic)
	if request.Version >= 13 { // the request names topics by their ids
		info = cluster.TopicIDInfo(topic.TopicID)
	}
	if info == nil || info.Configs[name] == nil {
		return ""
	}
	return *info.Configs[name]
}

// keyless refuses a request with a message that has no key, to a topic that is compacted. It returns nil otherwise, and
// for compressed batches: no test writes them so.
func keyless(cluster *kfake.Cluster, request *kmsg.ProduceRequest) kmsg.Response {
	answer := request.ResponseKind().(*kmsg.ProduceResponse)
	refused := false
	for _, topic := range request.Topics {
		compacted := strings.Contains(setting(cluster, request, topic, "cleanup.policy"), "compact")
		to := kmsg.NewProduceResponseTopic()
		to.Topic, to.TopicID = topic.Topic, topic.TopicID
		for _, partition := range topic.Partitions {
			p := kmsg.NewProduceResponseTopicPartition()
			p.Partition, p.ErrorCode = partition.Partition, kerr.InvalidRecord.Code
			refused = refused || compacted && hasKeyless(partition.Records)
			to.Partitions = append(to.Partitions, p)
		}
		answer.Topics = append(answer.Topics, to)
	}
	if !refused {
		return nil
	}
	return answer
}

// hasKeyless says whether a batch that is not compressed has a message without a key.
func hasKeyless(records []byte) bool {
	return slices.ContainsFunc(Messages(records), func(m kmsg.Record) bool { return m.Key == nil })
}

// Messages returns the messages of a batch, or none if it is compressed or malformed.
func Messages(records []byte) (all []kmsg.Record) {
	var batch kmsg.RecordBatch
	if batch.ReadFrom(records) != nil || batch.Attributes&7 != 0 {
		return nil
	}
	for rest := batch.Records; len(rest) > 0; {
		size, read := kbin.Varint(rest)
		if read == 0 || int(size) > len(rest)-read {
			return nil
		}
		var message kmsg.Record
		if message.ReadFrom(rest[:read+int(size)]) != nil {
			return nil
		}
		all, rest = append(all, message), rest[read+int(size):]
	}
	return all
}

// sign writes a batch's checksum.
func sign(batch []byte) {
	binary.BigEndian.PutUint32(batch[batchChecksum:],
		crc32.Checksum(batch[batchAttributes:], crc32.MakeTable(crc32.Castagnoli)))
}

// Mending returns a function for kfake.ListenFn. It listens as another function does, and its connections repair
// checksums.
func Mending(listen func(network, address string) (net.Listener, error)) func(string, string) (net.Listener, error) {
	return func(network, address string) (net.Listener, error) {
		l, err := listen(network, address)
		return mending{l}, err
	}
}

type mending struct{ net.Listener }

func (m mending) Accept() (net.Conn, error) {
	c, err := m.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &mended{Conn: c, fetches: make(map[uint32]int16)}, nil
}

// mended is a connection of the fake broker. The broker writes each answer by one Write.
type mended struct {
	net.Conn
	head []byte // the bytes of the current request's head that were read so far
	rest int    // the remaining bytes of the request after its head

	mutex   sync.Mutex
	fetches map[uint32]int16 // the versions of fetches that are not answered yet, by correlation id
}

// requestHead is the size of length, key, version and correlation id in a request.
const requestHead = 4 + 2 + 2 + 4

func (m *mended) Read(b []byte) (int, error) {
	n, err := m.Conn.Read(b)
	for seen := b[:n]; len(seen) > 0; {
		if m.rest > 0 {
			skip := min(m.rest, len(seen))
			m.rest, seen = m.rest-skip, seen[skip:]
			continue
		}
		m.head, seen = append(m.head, seen[0]), seen[1:]
		if len(m.head) < requestHead {
			continue
		}
		if kmsg.Key(binary.BigEndian.Uint16(m.head[4:])) == kmsg.Fetch {
			m.mutex.Lock()
			m.fetches[binary.BigEndian.Uint32(m.head[8:])] = int16(binary.BigEndian.Uint16(m.head[6:]))
			m.mutex.Unlock()
		}
		m.rest, m.head = int(binary.BigEndian.Uint32(m.head))+4-requestHead, m.head[:0]
	}
	return n, err
}

func (m *mended) Write(b []byte) (int, error) {
	if len(b) < 8 { // a TLS alert; nothing is repaired under TLS
		return m.Conn.Write(b)
	}
	id := binary.BigEndian.Uint32(b[4:])
	m.mutex.Lock()
	version, fetch := m.fetches[id]
	delete(m.fetches, id)
	m.mutex.Unlock()
	if answer := kmsg.NewPtrFetchResponse(); fetch {
		answer.SetVersion(version)
		body := b[8:]
		if answer.IsFlexible() {
			body = body[1:]
		}
		if err := answer.UnsafeReadFrom(body); err != nil { // the batches share the memory of b
			return 0, err
		}
		for _, topic := range answer.Topics {
			for _, partition := range topic.Partitions {
				mend(partition.RecordBatches)
			}
		}
	}
	return m.Conn.Write(b)
}

// mend gives each batch that was stamped the attribute of the broker's time.
func mend(batches []byte) {
	for len(batches) > batchAttributes+1 {
		size := batchPrefix + int(binary.BigEndian.Uint32(batches[8:]))
		if size > len(batches) {
			return
		}
		if batches[batchAttributes]&stamped != 0 {
			batches[batchAttributes] &^= stamped
			batches[batchAttributes+1] |= attributeBrokerTime
			sign(batches[:size])
		}
		batches = batches[size:]
	}
}
