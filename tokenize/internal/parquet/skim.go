package parquet

import (
	"errors"
	"fmt"
)

// errThrift means that the bytes are no structure of the compact protocol, or end before the structure does.
var errThrift = errors.New("not a Thrift structure")

// mostNested is how deep a structure may nest. Parquet's structures nest at most seven deep.
const mostNested = 16

// mostListed bounds the number of structures in lists. One structure takes at least a byte in the file, and up to some
// 600 in memory. A footer with 10,000 columns in 10 row groups lists 400,000 structures.
const mostListed = 1 << 19

var errMany = fmt.Errorf("more than %d structures in lists", mostListed)

// skim returns the length of the structure at the beginning of b, in the compact protocol of Apache Thrift
// (thrift-compact-protocol.md). It runs before a decoder allocates memory. It refuses a list, a set, a map or a string
// that claims to have more elements than b has bytes left. It also refuses more than mostListed structures in lists.
func skim(b []byte) (length int, err error) {
	s := skimmer{rest: b}
	if ok := s.structure(0); s.listed > mostListed {
		return 0, errMany
	} else if !ok {
		return 0, errThrift
	}
	return len(b) - len(s.rest), nil
}

// The types of the compact protocol.
const (
	typeStop = iota
	typeTrue
	typeFalse
	typeByte
	typeI16
	typeI32
	typeI64
	typeDouble
	typeBinary
	typeList
	typeSet
	typeMap
	typeStruct
	typeUUID
)

type skimmer struct {
	rest   []byte
	listed int // structures in lists, sets and maps
}

// skip skips n bytes.
func (s *skimmer) skip(n uint64) bool {
	if n > uint64(len(s.rest)) {
		return false
	}
	s.rest = s.rest[n:]
	return true
}

func (s *skimmer) byte() (b byte, ok bool) {
	if len(s.rest) == 0 {
		return 0, false
	}
	b, s.rest = s.rest[0], s.rest[1:]
	return b, true
}

// number reads a variable-length integer of at most 64 bits.
func (s *skimmer) number() (n uint64, ok bool) {
	for shift := 0; shift < 64; shift += 7 {
		b, ok := s.byte()
		if !ok {
			return 0, false
		}
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n, true
		}
	}
	return 0, false
}

// structure reads a structure's fields. Each begins with one byte for its type and for the difference from the previous
// field's number. If the difference is 0, the number follows.
func (s *skimmer) structure(depth int) bool {
	for depth < mostNested {
		head, ok := s.byte()
		if !ok || head == typeStop {
			return ok
		}
		if head>>4 == 0 {
			if _, ok := s.number(); !ok {
				return false
			}
		}
		// A Boolean field has its value in its type.
		if kind := head & 0xf; kind != typeTrue && kind != typeFalse && !s.value(kind, depth) {
			return false
		}
	}
	return false
}

func (s *skimmer) value(kind byte, depth int) bool {
	switch kind {
	case typeTrue, typeFalse, typeByte: // a Boolean in a list takes a byte
		return s.skip(1)
	case typeI16, typeI32, typeI64:
		_, ok := s.number()
		return ok
	case typeDouble:
		return s.skip(8)
	case typeBinary:
		n, ok := s.number()
		return ok && s.skip(n)
	case typeList, typeSet:
		head, ok := s.byte()
		n := uint64(head >> 4)
		if ok && n == 15 {
			n, ok = s.number()
		}
		return ok && s.elements(n, depth+1, head&0xf)
	case typeMap:
		n, ok := s.number()
		if !ok || n == 0 {
			return ok
		}
		kinds, ok := s.byte()
		return ok && s.elements(n, depth+1, kinds>>4, kinds&0xf)
	case typeStruct:
		return s.structure(depth + 1)
	case typeUUID:
		return s.skip(16)
	}
	return false
}

// elements reads n times a value of each kind. A value takes at least a byte, so a large n fails where the bytes end.
func (s *skimmer) elements(n uint64, depth int, kinds ...byte) bool {
	if depth >= mostNested {
		return false
	}
	for range n {
		for _, kind := range kinds {
			if kind == typeStruct {
				s.listed++
			}
			if !s.value(kind, depth) {
				return false
			}
		}
	}
	return true
}
