package stream

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"

	"privpipe/pipelines/wire"
)

// Compression is the writer's choice; a reader cannot tell and need not.
type Compression string

const (
	// None stores: for a pipe between two processes on one machine, where compression costs more than it saves.
	None Compression = "none"
	// Fast is for files and networks.
	Fast Compression = "fast"
	// Best is for archives.
	Best Compression = "best"
)

// A Compressor turns contents into frames. Its methods may be called by several goroutines at a time.
type Compressor struct {
	encoder *zstd.Encoder // nil: it stores
	tries   bool          // it stores content that hardly shrinks
}

// NewCompressor returns a compressor. It fails only for an unknown c.
func NewCompressor(c Compression) (*Compressor, error) {
	level := zstd.SpeedFastest
	switch c {
	case None:
		return &Compressor{}, nil
	case Fast:
	case Best:
		level = zstd.SpeedBestCompression
	default:
		return nil, fmt.Errorf("unknown compression %q: must be none, fast or best", c)
	}
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderCRC(true),
		zstd.WithEncoderConcurrency(0), zstd.WithWindowSize(1<<20))
	return &Compressor{encoder, c == Fast}, err
}

// AppendFrame appends to b a frame with content, which must have 1 to wire.MaxContent bytes. The frame depends on the
// content alone.
func (c *Compressor) AppendFrame(b, content []byte) []byte {
	if c.encoder == nil || c.tries && !c.shrinks(content) {
		return appendStored(b, content)
	}
	return c.encoder.EncodeAll(content, b)
}

// sample is how many bytes of the content are tried.
const sample = 4 << 10

// shrinks says whether the middle of the content becomes shorter by a thirty-second. Contributions and parameters of
// topic models are mostly floats. Compression would save nothing there, and would cost a sixth of the time that estep
// takes for such a contribution. A short content is not worth a trial.
func (c *Compressor) shrinks(content []byte) bool {
	if len(content) < 4*sample {
		return true
	}
	middle := content[len(content)/2:][:sample]
	return len(c.encoder.EncodeAll(middle, nil)) <= sample-sample/32
}

// maxBlock is the largest Block_Size in a frame with a window at least as large (RFC 8878 §3.1.1.2.4).
const maxBlock = 128 << 10

// appendStored appends a frame of raw blocks (RFC 8878 §3.1.1): no work but the checksum.
func appendStored(b, content []byte) []byte {
	// 16 bytes around the blocks, a header for the last
	b = slices.Grow(b, len(content)+len(content)/maxBlock*blockHeaderSize+32)
	b = binary.LittleEndian.AppendUint32(b, magic)
	b = append(b, 2<<6|flagSingle|flagChecksum) // Frame_Content_Size of 4 bytes
	b = binary.LittleEndian.AppendUint32(b, uint32(len(content)))
	for rest := content; ; {
		block := rest[:min(len(rest), maxBlock)]
		rest = rest[len(block):]
		header := uint32(len(block)) << 3
		if len(rest) == 0 {
			header |= 1 // Last_Block
		}
		b = append(b, byte(header), byte(header>>8), byte(header>>16))
		b = append(b, block...)
		if len(rest) == 0 {
			break
		}
	}
	return binary.LittleEndian.AppendUint32(b, uint32(xxhash.Sum64(content))) // Content_Checksum: the low 4 bytes
}

// A decompressor returns the contents of frames, one at a time. A frame may leave out its content's size, so the memory
// is allocated before: larger content is refused, however small its frame.
type decompressor struct {
	zstd    *zstd.Decoder
	content []byte
}

func newDecompressor() (*decompressor, error) {
	// The library applies the memory limit to the window, too, although content that fits needs no larger window. So
	// the buffer's capacity has to bound contents.
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true),
		zstd.WithDecoderMaxMemory(wire.MaxWindow), zstd.WithDecoderMaxWindow(wire.MaxWindow))
	return &decompressor{zstd: z}, err
}

// of returns a frame's content, which is valid until the next call.
func (d *decompressor) of(frame []byte) ([]byte, error) {
	if err := checkFrame(frame); err != nil {
		return nil, err
	}
	if d.content == nil {
		d.content = make([]byte, 0, wire.MaxContent)
	}
	content, err := d.zstd.DecodeAll(frame, d.content)
	if err != nil {
		return nil, fmt.Errorf("damaged frame: %w", err)
	}
	return content, nil
}
