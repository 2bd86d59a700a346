package parquet

import (
	"encoding/binary"
	"fmt"

	"github.com/parquet-go/parquet-go/format"
)

// olderDictionary is RLE_DICTIONARY as writers of version 1 call it.
const olderDictionary format.Encoding = 2

// A page is a data page. It has levels, and as many values as the levels say.
type page struct {
	left                   int // values that are not read yet, nulls included
	repetition, definition hybrid
	encoding               format.Encoding
	values                 []byte
}

// version1 reads a page of version 1. Its levels have their lengths before them, and are compressed with the values.
func (p *pages) version1(header *format.PageHeader, claimed int64, c *Column) (*page, error) {
	h := header.DataPageHeader.V
	b, err := p.decompress(p.packed, claimed)
	if err != nil {
		return nil, err
	}
	made := &page{left: int(h.NumValues), encoding: h.Encoding}
	for _, level := range []struct {
		to       *hybrid
		most     int
		encoding format.Encoding
	}{{&made.repetition, c.repetition, h.RepetitionLevelEncoding},
		{&made.definition, c.definition, h.DefinitionLevelEncoding}} {
		if level.most == 0 {
			continue
		}
		if level.encoding != format.RLE {
			return nil, fmt.Errorf("levels in the encoding %s, must be RLE", level.encoding)
		}
		if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
			return nil, errPage
		}
		end := 4 + binary.LittleEndian.Uint32(b)
		*level.to = hybrid{src: b[4:end], width: width(level.most)}
		b = b[end:]
	}
	made.values = b
	if made.left < 0 {
		return nil, errPage
	}
	return made, nil
}

// version2 reads a page of version 2. Its levels stand before the values, and are not compressed.
func (p *pages) version2(header *format.PageHeader, claimed int64, c *Column) (*page, error) {
	h := header.DataPageHeaderV2.V
	repetition, definition := int64(h.RepetitionLevelsByteLength), int64(h.DefinitionLevelsByteLength)
	levels := repetition + definition
	if repetition < 0 || definition < 0 || levels > min(int64(len(p.packed)), claimed) || h.NumValues < 0 {
		return nil, errPage
	}
	made := &page{
		left: int(h.NumValues), encoding: h.Encoding, values: p.packed[levels:],
		repetition: hybrid{src: p.packed[:repetition], width: width(c.repetition)},
		definition: hybrid{src: p.packed[repetition:levels], width: width(c.definition)},
	}
	var err error
	if plain := h.IsCompressed.Valid && !h.IsCompressed.V; !plain && len(made.values) > 0 {
		made.values, err = p.decompress(made.values, claimed-levels)
	}
	return made, err
}

// strings returns the decoder for a page's strings. Each string has length bytes, or its own length if length is 0.
func (p *page) strings(d *dictionary, length int) (stringDecoder, error) {
	switch p.encoding {
	case format.Plain:
		return &plainStrings{p.values, length}, nil
	case format.DeltaLengthByteArray:
		if values, ok := newDeltaLengths(p.values); ok {
			return values, nil
		}
	case format.DeltaByteArray:
		if values, ok := newDeltaStrings(p.values); ok {
			return values, nil
		}
	case olderDictionary, format.RLEDictionary:
		if at, ok := p.indices(d); ok {
			return &indexed{d, at}, nil
		}
	default:
		return nil, p.unknown()
	}
	return &plainStrings{}, p.nothing()
}

// numbers returns the decoder for a page's numbers. Floating-point numbers are decoded as their bits.
func (p *page) numbers(d *dictionary, kind format.Type) (numberDecoder, error) {
	switch p.encoding {
	case format.Plain:
		if kind == format.Boolean {
			return &flags{src: p.values}, nil
		}
		return &plainNumbers{p.values, sizeOf(kind)}, nil
	case format.RLE: // for Booleans, with the length before them
		if kind == format.Boolean && len(p.values) >= 4 {
			return &runs{hybrid{src: p.values[4:], width: 1}}, nil
		}
	case format.DeltaBinaryPacked:
		if values, ok := newDelta(p.values); ok {
			return values, nil
		}
	case format.ByteStreamSplit:
		if size := sizeOf(kind); kind != format.Boolean && len(p.values)%size == 0 {
			return &plainNumbers{unsplit(p.values, size), size}, nil
		}
	case olderDictionary, format.RLEDictionary:
		if at, ok := p.indices(d); ok {
			return &indexedNumbers{indexed{d, at}}, nil
		}
	default:
		return nil, p.unknown()
	}
	return &plainNumbers{size: sizeOf(kind)}, p.nothing()
}

// indices returns the values' indices in a dictionary. Their width in bits comes first.
func (p *page) indices(d *dictionary) (at hybrid, ok bool) {
	if len(p.values) == 0 || d == nil || p.values[0] > 32 {
		return at, false
	}
	return hybrid{src: p.values[1:], width: int(p.values[0])}, true
}

func (p *page) unknown() error {
	return fmt.Errorf("values in the encoding %s, which is not supported", p.encoding)
}

// nothing is the error for values that cannot be decoded. A page of nulls is no error: it may have no bytes for its
// values.
func (p *page) nothing() error {
	if len(p.values) == 0 {
		return nil
	}
	return errPage
}
