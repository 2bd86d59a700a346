package kafka

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"runtime"
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"privpipe/pipelines/exit"
)

// batchOf is a batch of one message.
func batchOf(t testing.TB, value []byte, compression kafka.Compression) []byte {
	t.Helper()
	var out bytes.Buffer
	set := protocol.RecordSet{
		Version: 2, Attributes: protocol.Attributes(compression),
		Records: kafka.NewRecordReader(kafka.Record{Value: kafka.NewBytes(value)}),
	}
	if _, err := set.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()[4:]
}

// checksummed gives a batch that was changed its checksum.
func checksummed(batch []byte) []byte {
	sum := crc32.Checksum(batch[batchAttributes:], crc32.MakeTable(crc32.Castagnoli))
	binary.BigEndian.PutUint32(batch[batchAttributes-4:], sum)
	return batch
}

// TestBombs: neither what a batch's compression hides nor the number of messages that it announces makes a reader take
// memory out of proportion to it.
func TestBombs(t *testing.T) {
	many := twoMessages(t)
	binary.BigEndian.PutUint32(many[batchCount:], 1<<24)
	negative := twoMessages(t)
	binary.BigEndian.PutUint32(negative[batchCount:], math.MaxUint32)
	batches := map[string][]byte{"many messages": checksummed(many),
		"a negative number of messages": checksummed(negative)}
	for name, compression := range map[string]kafka.Compression{"gzip": kafka.Gzip, "snappy": kafka.Snappy,
		"lz4": kafka.Lz4, "zstd": kafka.Zstd} {
		batches[name] = batchOf(t, make([]byte, 128<<20), compression)
		value := make([]byte, maxUnpacked/2)
		c, err := fetchResponse(answerOf(0, batchOf(t, value, compression))).chunk(0)
		if err != nil || len(c.messages) != 1 || !bytes.Equal(c.messages[0].value, value) {
			t.Errorf("%s: a message within the limit: %d messages, %v", name, len(c.messages), err)
		}
	}
	for name, batch := range batches {
		answer := fetchResponse(answerOf(0, batch))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c, err := answer.chunk(0)
		runtime.ReadMemStats(&after)
		if exit.Code(err) != exit.Malformed {
			t.Errorf("%s: %d messages, %v", name, len(c.messages), err)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 2*maxUnpacked {
			t.Errorf("%s: a batch of %d bytes takes %d MiB", name, len(batch), taken>>20)
		}
	}
}
