package stream

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"privpipe/pipelines/wire"
)

// TestStoresWhatHardlyShrinks: if the middle of the content does not shrink, Fast stores the content byte for byte as
// None does. Fast compresses any other content. Best compresses every content that shrinks at all. Each frame gives its
// content again. Each time the frame of one content is the same.
func TestStoresWhatHardlyShrinks(t *testing.T) {
	random := rand.NewChaCha8([32]byte{1})
	noise := func(n int) []byte {
		b := make([]byte, n)
		random.Read(b)
		return b
	}
	words := func(n int) []byte { return bytes.Repeat([]byte("contribution "), n/13+1)[:n] }
	const large = 200 << 10
	compressors := make(map[Compression]*Compressor)
	for _, c := range []Compression{None, Fast, Best} {
		var err error
		if compressors[c], err = NewCompressor(c); err != nil {
			t.Fatal(err)
		}
	}
	d, err := newDecompressor()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		content []byte
		stored  bool
	}{
		{"noise", noise(large), true},
		{"noise of the largest frame", noise(wire.MaxContent), true},
		{"noise between words", append(append(words(large), noise(large)...), words(large)...), true},
		{"words", words(large), false},
		{"words between noise", append(append(noise(large), words(large)...), noise(large)...), false},
		{"words, few", words(4*sample - 1), false},
		{"noise and a seventh of words", append(noise(large*6/7), words(large/7)...), true},
		{"a byte", noise(1), false},
	} {
		stored := compressors[None].AppendFrame(nil, c.content)
		for name, compressor := range compressors {
			frame := compressor.AppendFrame(nil, c.content)
			if again := compressor.AppendFrame(nil, c.content); !bytes.Equal(frame, again) {
				t.Errorf("%s, %s: two frames of one content differ", c.name, name)
			}
			if got, err := d.of(frame); err != nil || !bytes.Equal(got, c.content) {
				t.Errorf("%s, %s: another content, %v", c.name, name, err)
			}
			if want := name == None || name == Fast && c.stored; name != Best && bytes.Equal(frame, stored) != want {
				t.Errorf("%s, %s: stored is %v, want %v", c.name, name, !want, want)
			}
			if name == Best && bytes.Contains(c.content, words(100)) && len(frame) >= len(stored) {
				t.Errorf("%s, best: %d bytes, stored %d", c.name, len(frame), len(stored))
			}
		}
	}
}
