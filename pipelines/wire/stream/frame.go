package stream

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

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
	ErrForeign   = errors.New("not a Zstandard frame: this is no privpipe stream")
)

// readFrame appends the next frame from r to b, whole and still compressed, without reading beyond it. It answers
// io.EOF if the input ends before the frame's first byte. wire.MaxFrame bounds its allocations.
func readFrame(r *bufio.Reader, b []byte) ([]byte, error) {
	if _, err := r.Peek(1); err != nil {
		return b, err
	}
	err := walk(func(n int) ([]byte, error) {
		from := len(b)
		b = slices.Grow(b, n)[:from+n]
		if _, err := io.ReadFull(r, b[from:]); err != nil {
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				err = errTruncated
			}
			return nil, err
		}
		return b[from:], nil
	})
	return b, err
}

// checkFrame refuses anything but exactly one whole frame.
func checkFrame(frame []byte) error {
	rest := frame
	err := walk(func(n int) ([]byte, error) {
		if n > len(rest) {
			return nil, errTruncated
		}
		part := rest[:n]
		rest = rest[n:]
		return part, nil
	})
	if err == nil && len(rest) > 0 {
		err = errors.New("bytes after the only frame that is allowed here")
	}
	return err
}

// walk goes through a frame by take, which returns the frame's next n bytes. It refuses frames that the wire does not
// allow.
func walk(take func(n int) ([]byte, error)) error {
	size := 0
	next := func(n int) ([]byte, error) {
		if size += n; size > wire.MaxFrame {
			return nil, fmt.Errorf("frame exceeds the wire's limit of %d compressed bytes", wire.MaxFrame)
		}
		return take(n)
	}
	head, err := next(5)
	if err != nil {
		return err
	}
	if binary.LittleEndian.Uint32(head) != magic {
		return ErrForeign
	}
	descriptor := head[4]
	switch {
	case descriptor&flagReserved != 0:
		return errors.New("frame header uses a reserved bit")
	case descriptor&maskDictionaryID != 0:
		return errors.New("frame needs a dictionary")
	case descriptor&flagChecksum == 0:
		return errors.New("frame has no content checksum")
	}
	// Window_Descriptor (absent in a single segment) and Frame_Content_Size (§3.1.1.1.1).
	contentSize := [4]int{0, 2, 4, 8}[descriptor>>6]
	if descriptor&flagSingle == 0 {
		window, err := next(1)
		if err != nil {
			return err
		}
		if windowSize(window[0]) > wire.MaxWindow {
			return fmt.Errorf("frame needs a window beyond the wire's limit of %d bytes", wire.MaxWindow)
		}
	} else if contentSize == 0 {
		contentSize = 1
	}
	if _, err := next(contentSize); err != nil {
		return err
	}
	for last := false; !last; {
		header, err := next(blockHeaderSize)
		if err != nil {
			return err
		}
		bits := uint32(header[0]) | uint32(header[1])<<8 | uint32(header[2])<<16
		last = bits&1 != 0
		size := int(bits >> 3)
		switch bits >> 1 & 3 {
		case blockRLE:
			size = 1
		case blockReserved:
			return errors.New("frame has a block of reserved type")
		}
		if _, err := next(size); err != nil {
			return err
		}
	}
	_, err = next(checksumSize)
	return err
}

// windowSize returns the window size that a Window_Descriptor states (§3.1.1.1.2).
func windowSize(descriptor byte) uint64 {
	base := uint64(1) << (10 + descriptor>>3)
	return base + base/8*uint64(descriptor&7)
}
