package stream

import (
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"privpipe/pipelines/wire"
)

// lettered returns a group of documents for each word of ids, whose letters are their ids.
func lettered(ids string) (groups [][]*wire.Record) {
	for _, group := range strings.Fields(ids) {
		var records []*wire.Record
		for _, id := range group {
			records = append(records,
				&wire.Record{Body: &wire.Record_Document{Document: &wire.Document{Id: string(id)}}})
		}
		groups = append(groups, records)
	}
	return groups
}

// TestMessages: each frame is read on its own. One that is malformed, or that came before, costs nothing but its own
// documents, and its error says where it is. Frames that are missing are nobody's loss but their own.
func TestMessages(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	h := header(wire.Kind_DOCUMENTS)
	one, two := write(t, "a1", h, lettered("a b c"), random), write(t, "a2", h, lettered("d ef"), random)
	rounds := write(t, "a3", header(wire.Kind_ROUNDS), nil, random)
	broken := one[1]
	broken.Data = append([]byte(nil), broken.Data...)
	broken.Data[len(broken.Data)-1] ^= 1
	unwanted := header(wire.Kind_DOCUMENTS)
	unwanted.Run = "unwanted"
	others := write(t, "a4", unwanted, lettered("x"), random)
	for name, c := range map[string]struct {
		frames []written
		want   string
	}{
		"in turn":         {[]written{one[0], two[0], one[1], one[2], one[3]}, "a d b c"},
		"delivered again": {[]written{one[0], one[0], one[1], one[0], one[1]}, "a b"},
		"missing":         {[]written{one[2], two[1]}, "c"},
		"damaged":         {[]written{one[0], broken, one[2]}, "a 1:damaged frame: CRC check failed c"},
		"of rounds": {[]written{rounds[0], one[0]},
			"0:a stream of ROUNDS, whose records do not stand for themselves a"},
		"unwanted": {[]written{one[0], others[0], one[1]}, "a 1:unwanted b"},
	} {
		m, err := NewMessages(&logOf{frames: c.frames}, "topic[0]", func(h *wire.Header) error {
			if h.Run == "unwanted" {
				return errors.New("unwanted")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for {
			records, err := m.Next()
			if err == io.EOF {
				break
			}
			if of := (*FormatError)(nil); errors.As(err, &of) {
				got = append(got, string(rune('0'+of.Offset))+":"+of.Err.Error())
			} else if err != nil {
				t.Fatal(err)
			}
			for _, r := range records {
				if id := r.GetDocument().Id; id < "e" { // how many of the last group are in a frame is of chance
					got = append(got, id)
				}
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", name, strings.Join(got, " "), c.want)
		}
	}
}

// FuzzMessageFrames: whatever a frame holds, Messages return only records that its header allows, or say that the frame
// is malformed, and go on.
func FuzzMessageFrames(f *testing.F) {
	random := rand.New(rand.NewPCG(2, 2))
	good := write(f, "a1", header(wire.Kind_DOCUMENTS), lettered("a bc"), random)
	for _, frame := range good {
		f.Add(frame.Data)
	}
	f.Add(write(f, "a2", header(wire.Kind_ROUNDS), nil, random)[0].Data)
	f.Fuzz(func(t *testing.T, data []byte) {
		frames := []written{{Frame: Frame{Data: data, Writer: "b0"}}, good[0]}
		var of *wire.Header
		m, err := NewMessages(&logOf{frames: frames}, "topic[0]", func(h *wire.Header) error { of = h; return nil })
		if err != nil {
			t.Fatal(err)
		}
		records, err := m.Next()
		if err != nil && !errors.As(err, new(*FormatError)) || err != nil && records != nil {
			t.Fatalf("%d records, %v", len(records), err)
		}
		for _, r := range records {
			if err := wire.Check(of, r); err != nil {
				t.Error(err)
			}
		}
		if records, err := m.Next(); err != nil || len(records) != 1 {
			t.Errorf("after it: %d records, %v", len(records), err)
		}
	})
}
