package noise

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
)

// script is a source that gives b and then fails.
func script(b []byte) *source {
	s := &source{reader: failing{}, rest: len(b)}
	copy(s.buffer[len(s.buffer)-len(b):], b)
	return s
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("end of the script") }

// repeat gives one byte for ever.
type repeat byte

func (r repeat) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(r)
	}
	return len(b), nil
}

func TestSourceIsTheOperatingSystems(t *testing.T) {
	for _, k := range kinds {
		s := k.make(3)
		own := proposerOf(s).random
		if own.reader != rand.Reader {
			t.Errorf("a %s does not read crypto/rand", k.name)
		}
		twin := proposerOf(s.Twin()).random
		if twin == own || twin.reader != rand.Reader {
			t.Errorf("a Twin of a %s shares its buffer of random bits, or does not read crypto/rand", k.name)
		}
	}
}

// There is no seed, no clock, no file and no floating-point function that noise could come from.
func TestImports(t *testing.T) {
	allowed := []string{"crypto/rand", "encoding/binary", "io", "math/big", "math/bits", "slices"}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, entry := range entries {
		if name := entry.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range file.Imports {
				if path, err := strconv.Unquote(i.Path.Value); err != nil || !slices.Contains(allowed, path) {
					t.Errorf("%s imports %s", name, i.Path.Value)
				}
				seen++
			}
		}
	}
	if seen == 0 {
		t.Error("found no imports")
	}
}

// Every byte is used once, in order, over the ends of the buffer too, and erased after use; a reader may give fewer
// bytes at a time than it is asked for.
func TestSourceUsesBitsOnceAndErasesThem(t *testing.T) {
	input := make([]byte, 3*4096)
	for i := range input {
		input[i] = byte(i%255 + 1) // never 0
	}
	s := &source{reader: iotest.HalfReader(bytes.NewReader(input))}
	var got []byte
	for len(got) < len(input) {
		got = binary.LittleEndian.AppendUint64(got, s.uint64())
		for range 4 {
			got = binary.LittleEndian.AppendUint16(got, uint16(s.uint16()))
		}
		used := s.buffer[:len(s.buffer)-s.rest]
		if slices.ContainsFunc(used, func(b byte) bool { return b != 0 }) {
			t.Fatalf("used bytes are kept after byte %d", len(got))
		}
	}
	if !bytes.Equal(got, input) {
		t.Error("bytes are left out, used twice or out of order")
	}
}

// Without randomness there is no noise, so there must be no number: not even one from a buffer filled in part, and not
// at a second try.
func TestSourceFailure(t *testing.T) {
	for _, k := range kinds {
		s := k.make(1 << 20)
		proposerOf(s).random = &source{reader: io.MultiReader(bytes.NewReader(make([]byte, 4000)), failing{})}
		for try := range 3 {
			func() {
				defer func() {
					if r := recover(); r == nil || !strings.HasPrefix(r.(string), "noise: no randomness") {
						t.Errorf("%s, try %d: panic %v", k.name, try, r)
					}
				}()
				t.Errorf("%s, try %d: drew %d", k.name, try, s.Next())
			}()
		}
	}
}

// Only the generator, as the samplers read it: 8 bytes a draw, or a few more.
func BenchmarkSource(b *testing.B) {
	s := newSource()
	b.SetBytes(8)
	for b.Loop() {
		s.uint64()
	}
}
