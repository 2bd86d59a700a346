package kafka

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"time"

	"github.com/segmentio/kafka-go"

	"privpipe/pipelines/exit"
)

// castagnoli is the polynomial for batch checksums.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// isPlain says whether records can read a batch. All stages write such batches, since their frames are compressed
// already. The library reads other batches.
func isPlain(batch []byte) bool {
	return len(batch) >= batchHeader && batch[batchMagic] == 2 &&
		binary.BigEndian.Uint16(batch[batchAttributes:])&attributeCompression == 0
}

// records returns the messages in a plain batch: https://kafka.apache.org/documentation/#record. The values share the
// batch's memory; the library would copy them three times.
func records(batch []byte) ([]message, error) {
	if crc32.Checksum(batch[batchAttributes:], castagnoli) != binary.BigEndian.Uint32(batch[batchChecksum:]) {
		return nil, errors.New("a batch of messages has a wrong checksum")
	}
	base, first := int64(binary.BigEndian.Uint64(batch)), int64(binary.BigEndian.Uint64(batch[batchFirstTime:]))
	messages := make([]message, binary.BigEndian.Uint32(batch[batchCount:])) // checkSize has bounded the count
	in := &cursor{rest: batch[batchHeader:]}
	for i := range messages {
		record := &cursor{rest: in.bytes()}
		record.take(1) // attributes; none are defined
		m := &messages[i]
		m.time = time.UnixMilli(first + record.varint())
		m.offset = base + record.varint()
		m.key = record.bytes()
		m.value = record.bytes()
		m.headers = record.headers()
		m.label, m.err = readLabel(m.headers)
		in.short = in.short || record.short || len(record.rest) > 0
	}
	if in.short || len(in.rest) > 0 {
		return nil, exit.Errorf(exit.Malformed, "a batch of messages has a wrong length")
	}
	return messages, nil
}

// varint reads a number in the zigzag encoding of Protocol Buffers.
func (c *cursor) varint() int64 {
	n, size := binary.Varint(c.rest)
	c.take(size) // at most 0 if there is no number
	c.short = c.short || size <= 0
	return n
}

// bytes reads a length and as many bytes; the length -1 means nil. The result has no spare capacity, so that an append
// does not overwrite the following bytes.
func (c *cursor) bytes() []byte {
	n := c.varint()
	if n == -1 {
		return nil
	}
	if n < 0 || n > int64(len(c.rest)) {
		c.short, n = true, 0
	}
	return c.take(int(n))[:n:n]
}

// headers reads a message's headers.
func (c *cursor) headers() (headers []kafka.Header) {
	for n := c.varint(); n > 0 && !c.short; n-- {
		headers = append(headers, kafka.Header{Key: string(c.bytes()), Value: c.bytes()})
	}
	return headers
}
