package stream

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"privpipe/pipelines/wire"
)

// Zstandard's frame layout, RFC 8878 §3.1.1.
const (
	magic            = 0xFD2FB528
	blockHeaderSize  = 3
	checksumSize     = 4
	blockRLE         = 1 // §3.1.1.2.2
	blockReserved    = 3
	flagSingle       = 1 << 5 // Single_Segment_flag
	flagReserved     = 1 << 3
	flagChecksum     = 1 << 2 // Content_Checksum_flag
	maskDictionaryID = 3
)

var (
	errTruncated = errors.New("input ends inside a frame: the stream is truncated")
	errForeign   = errors.New("not a Zstandard frame: this is no privpipe stream")
)

// readFrame appends the next frame of r to b, whole and still compressed, without reading beyond it. It answers
// io.EOF where the input ends before the frame's first byte. What it allocates is bounded by wire.MaxFrame.
func readFrame(r *bufio.Reader, b []byte) ([]byte, error) {
	start := len(b)
	grow := func(n int) (part []byte, err error) {
		if len(b)-start+n > wire.MaxFrame {
			return nil, fmt.Errorf("frame exceeds the wire's limit of %d compressed bytes", wire.MaxFrame)
		}
		from := len(b)
		b = append(b, make([]byte, n)...)
		if _, err = io.ReadFull(r, b[from:]); err != nil {
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				err = errTruncated
			}
			return nil, err
		}
		return b[from:], nil
	}

	if _, err := r.Peek(1); err != nil {
		return b, err
	}
	head, err := grow(5)
	if err != nil {
		return b, err
	}
	if binary.LittleEndian.Uint32(head) != magic {
		return b, errForeign
	}
	descriptor := head[4]
	switch {
	case descriptor&flagReserved != 0:
		return b, errors.New("frame header uses a reserved bit")
	case descriptor&maskDictionaryID != 0:
		return b, errors.New("frame needs a dictionary")
	case descriptor&flagChecksum == 0:
		return b, errors.New("frame has no content checksum")
	}
	// Window_Descriptor (absent in a single segment) and Frame_Content_Size (§3.1.1.1.1).
	rest := [4]int{0, 2, 4, 8}[descriptor>>6]
	if descriptor&flagSingle == 0 {
		rest++
	} else if rest == 0 {
		rest = 1
	}
	if _, err := grow(rest); err != nil {
		return b, err
	}
	for last := false; !last; {
		header, err := grow(blockHeaderSize)
		if err != nil {
			return b, err
		}
		bits := uint32(header[0]) | uint32(header[1])<<8 | uint32(header[2])<<16
		last = bits&1 != 0
		size := int(bits >> 3)
		switch bits >> 1 & 3 {
		case blockRLE:
			size = 1
		case blockReserved:
			return b, errors.New("frame has a block of reserved type")
		}
		if _, err := grow(size); err != nil {
			return b, err
		}
	}
	_, err = grow(checksumSize)
	return b, err
}
