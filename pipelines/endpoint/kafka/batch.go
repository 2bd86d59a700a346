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

// maxUnpacked bounds a batch of messages without its compression, in bytes. Brokers bound batches as they are sent, 1 MiB by
// default, of which a compressor can make thousands; a frame of ours is not made smaller by another compression.
const maxUnpacked = 4 * maxFetch

// leastRecord is the size of a message of a batch without key, value and headers: https://kafka.apache.org/documentation/#record.
const leastRecord = 7

// checkSize refuses a batch of which the library would take memory out of proportion: by what its compression hides, or by the
// number of messages that it announces.
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

// unpacked returns the size of the messages of a batch without their compression, or something above maxUnpacked.
func unpacked(batch []byte) (int64, error) {
	messages := bytes.NewReader(batch[batchHeader:])
	var in io.Reader = messages
	switch compression := kafka.Compression(binary.BigEndian.Uint16(batch[batchAttributes:]) & attributeCompression); compression {
	case 0:
		return messages.Size(), nil
	case kafka.Zstd: // of which the library takes windows of any size
		z, err := zstd.NewReader(messages, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(wire.MaxWindow))
		if err != nil {
			return 0, err
		}
		defer z.Close()
		in = z
	default:
		if codec := compression.Codec(); codec != nil { // the library refuses others itself
			z := codec.NewReader(messages)
			defer z.Close()
			in = z
		}
	}
	return io.Copy(io.Discard, io.LimitReader(in, maxUnpacked+1))
}
