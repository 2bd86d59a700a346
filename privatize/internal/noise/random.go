package noise

import (
	"crypto/rand"
	"encoding/binary"
	"io"
)

// A source gives random bits from the operating system's generator (crypto/rand). Bits are used once and then erased.
// Only tests of this package inject other bits.
type source struct {
	reader io.Reader
	buffer [4096]byte
	rest   int // unused bytes at the end of buffer
}

func newSource() *source { return &source{reader: rand.Reader} }

// fill draws a new buffer. The old buffer has fewer than 8 unused bytes left, and they are dropped.
func (s *source) fill() {
	if _, err := io.ReadFull(s.reader, s.buffer[:]); err != nil {
		panic("noise: no randomness: " + err.Error()) // crypto/rand never fails: it ends the process instead
	}
	s.rest = len(s.buffer)
}

func (s *source) uint16() uint64 {
	if s.rest < 2 {
		s.fill()
	}
	b := s.buffer[len(s.buffer)-s.rest:][:2]
	s.rest -= 2
	v := binary.LittleEndian.Uint16(b)
	binary.LittleEndian.PutUint16(b, 0)
	return uint64(v)
}

func (s *source) uint64() uint64 {
	if s.rest < 8 {
		s.fill()
	}
	b := s.buffer[len(s.buffer)-s.rest:][:8]
	s.rest -= 8
	v := binary.LittleEndian.Uint64(b)
	binary.LittleEndian.PutUint64(b, 0)
	return v
}
