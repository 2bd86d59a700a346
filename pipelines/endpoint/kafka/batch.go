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

// maxUnpacked bounds the decompressed size of a batch of messages, in bytes. Brokers bound only the compressed size, 1 MiB by default,
// which can hide a thousand times as much. Our own frames are compressed, so a second compression hardly makes them smaller.
const maxUnpacked = 4 * maxFetch

// leastRecord is the size of a message of a batch without key, value and headers: https://kafka.apache.org/documentation/#record.
const leastRecord = 7

// checkSize refuses a batch for which the library would allocate too much memory, because of its decompressed size or because of the
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

// unpacked returns the decompressed size of a batch's messages. For a size above maxUnpacked it returns some value above maxUnpacked.
func unpacked(batch []byte) (int64, error) {
	messages := bytes.NewReader(batch[batchHeader:])
	var in io.Reader = messages
	switch compression := kafka.Compression(binary.BigEndian.Uint16(batch[batchAttributes:]) & attributeCompression); compression {
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
