package noise

import (
	"crypto/rand"
	"encoding/binary"
	"io"
)

// A source gives random bits of the operating system's generator (crypto/rand). Bits are used once and then erased.
// Tests of this package alone inject others.
type source struct {
	reader io.Reader
	buffer [4096]byte
	rest   int // unused bytes at the end of buffer
}

func newSource() *source { return &source{reader: rand.Reader} }

// take returns the next n ≤ 8 bytes of the buffer.
func (s *source) take(n int) []byte {
	if s.rest < n {
		if _, err := io.ReadFull(s.reader, s.buffer[:]); err != nil {
			panic("noise: no randomness: " + err.Error()) // crypto/rand never fails: it ends the process instead
		}
		s.rest = len(s.buffer)
	}
	at := len(s.buffer) - s.rest
	s.rest -= n
	return s.buffer[at : at+n]
}

func (s *source) uint16() uint64 {
	b := s.take(2)
	v := uint64(binary.LittleEndian.Uint16(b))
	clear(b)
	return v
}

func (s *source) uint64() uint64 {
	b := s.take(8)
	v := binary.LittleEndian.Uint64(b)
	clear(b)
	return v
}
