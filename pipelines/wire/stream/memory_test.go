package stream

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"privpipe/pipelines/wire"
)

// taken returns how many bytes f takes in all, and how many of them are still held when it has returned what it holds.
func taken(f func() (held any)) (all, kept int64) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	held := f()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(held)
	return int64(after.TotalAlloc - before.TotalAlloc), int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

// a bomb is a small frame of a large content: a header and a document of one word id after the other.
func bomb(t *testing.T) []byte {
	t.Helper()
	h := header(wire.Kind_DOCUMENTS)
	h.VocabularySize = wire.MaxVocabulary
	frame := encode(t, h, Fast, true, documentRecord("d", 400_000))
	frames, err := SplitFrames(frame)
	if err != nil {
		t.Fatal(err)
	}
	return frames[0]
}

// TestManyWriters: what a log's writers leave behind is no content of theirs, however many they are.
func TestManyWriters(t *testing.T) {
	const writers = 200
	frame := bomb(t)
	log := new(logOf)
	for i := range writers {
		log.frames = append(log.frames, written{Frame: Frame{Data: frame, Writer: fmt.Sprint("w", i)}})
	}
	_, kept := taken(func() any {
		r, err := NewMergedReader(log, "log", 0)
		if err != nil {
			t.Fatal(err)
		}
		for range writers {
			if _, err := r.Next(); err != nil {
				t.Fatal(err)
			}
		}
		return r
	})
	if kept > 16<<20 {
		t.Errorf("a reader holds %d MiB after %d frames of %d bytes", kept>>20, writers, len(frame))
	}
}

// TestFramesInOneMessage: what a log takes for one frame must be one, however little of memory several would take by
// themselves.
func TestFramesInOneMessage(t *testing.T) {
	frame := bomb(t)
	for what, data := range map[string][]byte{
		"a thousand frames": bytes.Repeat(frame, 1000),
		"a skippable frame": slices.Concat([]byte{0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 9}, frame),
		"a cut frame":       frame[:len(frame)-1],
		"no frame":          {},
	} {
		all, _ := taken(func() any {
			r, err := NewMergedReader(&logOf{frames: []written{{Frame: Frame{Data: data, Writer: "w"}}}}, "log", 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Next(); err == nil || err == io.EOF {
				t.Errorf("%s: %v, want an error", what, err)
			}
			// A message of another program may have several frames, of which the first has the header, too.
			if h, err := HeaderOf(data); (err == nil) != (what == "a thousand frames") || err == nil &&
				h.Kind != wire.Kind_DOCUMENTS {
				t.Errorf("%s: header %v, %v", what, h, err)
			}
			return nil
		})
		if all > 32<<20 {
			t.Errorf("%s: reading %d bytes takes %d MiB", what, len(data), all>>20)
		}
	}
}

// TestWindows: a window of 8 MiB is read, with and without the size of the content, and takes no more than contents do.
// A larger one is refused before memory is taken for it.
func TestWindows(t *testing.T) {
	content := largest()
	for _, window := range []int{1 << 10, 1 << 20, 2 << 20, wire.MaxWindow, 2 * wire.MaxWindow, 512 << 20} {
		encoder, err := zstd.NewWriter(nil, zstd.WithWindowSize(window), zstd.WithEncoderCRC(true),
			zstd.WithEncoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		encoder.Reset(&out)
		for half := range slices.Chunk(content, len(content)/2) { // in two, or else the encoder knows the size
			if _, err = encoder.Write(half); err == nil {
				err = encoder.Flush()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := encoder.Close(); err != nil {
			t.Fatal(err)
		}
		frame := out.Bytes()
		var head zstd.Header
		if err := head.Decode(frame); err != nil || head.HasFCS || head.WindowSize != uint64(window) {
			t.Fatalf("a frame of another form than this test is about: %+v, %v", head, err)
		}
		all, _ := taken(func() any {
			z, err := newDecompressor()
			if err != nil {
				t.Fatal(err)
			}
			got, err := z.of(frame)
			if fits := window <= wire.MaxWindow; (err == nil) != fits || fits && !bytes.Equal(got, content) {
				t.Errorf("window of %d bytes: %d bytes of %d, error %v", window, len(got), len(content), err)
			}
			return nil
		})
		if all > 8<<20 {
			t.Errorf("window of %d bytes: takes %d MiB", window, all>>20)
		}
	}
}

// largest is a content of as many bytes as one may have.
func largest() []byte {
	b := make([]byte, wire.MaxContent)
	for i := range b {
		b[i] = byte(i * i >> 9)
	}
	return b
}

// TestContentWithoutSize: a frame that does not say how large its content is may have the largest, and no byte more.
func TestContentWithoutSize(t *testing.T) {
	for _, more := range []int{0, 1, wire.MaxContent, 64 * wire.MaxContent} {
		var out bytes.Buffer
		encoder, err := zstd.NewWriter(&out, zstd.WithEncoderCRC(true), zstd.WithEncoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range [][]byte{largest(), make([]byte, more)} {
			if _, err = encoder.Write(part); err == nil {
				err = encoder.Flush()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := encoder.Close(); err != nil {
			t.Fatal(err)
		}
		all, _ := taken(func() any {
			z, err := newDecompressor()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := z.of(out.Bytes()); (err == nil) != (more == 0) {
				t.Errorf("%d bytes too many: %v", more, err)
			}
			return nil
		})
		if all > 8<<20 {
			t.Errorf("%d bytes too many: takes %d MiB", more, all>>20)
		}
	}
}
