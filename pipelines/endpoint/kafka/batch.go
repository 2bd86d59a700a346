package kafka

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/segmentio/kafka-go"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
)

// maxUnpacked bounds the decompressed size of one message batch, in bytes. Brokers bound only the compressed size, 1
// MiB by default. A compressed batch can hide a thousand times as much. Frames of stages are compressed already, so a
// second compression hardly makes them smaller.
const maxUnpacked = 4 * maxFetch

// leastRecord is the size of the smallest message in a batch, without key, value and headers, in bytes:
// https://kafka.apache.org/documentation/#record.
const leastRecord = 7

// checkSize protects the library from allocating too much memory. It refuses a batch with too large a decompressed
// size, or with more messages announced than the batch can hold.
func checkSize(batch []byte) error {
	size, err := unpacked(batch)
	if err != nil {
		return exit.Errorf(exit.Malformed, "a batch of messages does not decompress: %w", err)
	}
	if size > maxUnpacked {
		return exit.Errorf(exit.Malformed, "a batch of messages has more than %d bytes decompressed", maxUnpacked)
	}
	if n := int64(int32(binary.BigEndian.Uint32(batch[batchCount:]))); n < 0 || n > size/leastRecord {
		return exit.Errorf(exit.Malformed, "a batch announces more messages than it can hold")
	}
	return nil
}

// unpacked returns the decompressed size of a batch's messages in bytes. For a size above maxUnpacked it returns some
// value above maxUnpacked.
func unpacked(batch []byte) (int64, error) {
	messages := bytes.NewReader(batch[batchHeader:])
	var in io.Reader = messages
	attributes := binary.BigEndian.Uint16(batch[batchAttributes:])
	switch compression := kafka.Compression(attributes & attributeCompression); compression {
	case 0:
		return messages.Size(), nil
	case kafka.Zstd: // the library would accept a window of any size
		z, err := zstd.NewReader(messages, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(wire.MaxWindow))
		if err != nil {
			return 0, err
		}
		defer z.Close()
		in = z
	default:
		if codec := compression.Codec(); codec != nil { // the library itself refuses other codecs
			z := codec.NewReader(messages)
			defer z.Close()
			in = z
		}
	}
	return io.Copy(io.Discard, io.LimitReader(in, maxUnpacked+1))
}
