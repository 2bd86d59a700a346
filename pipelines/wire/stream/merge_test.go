package stream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/wire"
)

// A written frame is one with the mark that a log keeps beside it.
type written struct {
	Frame
	Mark
}

// A logOf is a Source of frames, which have their places as offsets.
type logOf struct {
	frames []written
	next   int
}

func (l *logOf) Unit() string { return "offset" }

func (l *logOf) Frame() (Frame, error) {
	if l.next == len(l.frames) {
		return Frame{Offset: int64(l.next)}, io.EOF
	}
	f := l.frames[l.next].Frame
	f.Offset = int64(l.next)
	l.next++
	return f, nil
}

// A collector keeps what a Writer writes.
type collector struct {
	name   string
	frames []written
}

func (f *collector) Write([]byte) (int, error) { return 0, errors.ErrUnsupported }

func (f *collector) WriteFrame(frame []byte, mark Mark) error {
	f.frames = append(f.frames, written{Frame{Data: bytes.Clone(frame), Writer: f.name, Number: len(f.frames)}, mark})
	return nil
}

// write returns the frames of one stream. Each group of records is one round or one set. The stream is cut at random
// and at each group's end.
func write(t testing.TB, name string, h *wire.Header, groups [][]*wire.Record, random *rand.Rand) []written {
	t.Helper()
	compressor, err := NewCompressor(None)
	if err != nil {
		t.Fatal(err)
	}
	out := &collector{name: name}
	w, err := NewWriter(out, h, compressor)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range groups {
		for i, r := range group {
			err := w.Write(r)
			if err == nil && (i == len(group)-1 || random.IntN(3) == 0) {
				err = w.Flush()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.frames
}

// merged are the records of a log after a round, and the error that ended it.
func merged(t testing.TB, frames []written, closed ...uint32) ([]*wire.Record, error) {
	t.Helper()
	r, err := NewMergedReader(&logOf{frames: frames}, "topic[0]", append(closed, 0)[0])
	if err != nil {
		t.Fatal(err)
	}
	var records []*wire.Record
	for {
		record, err := r.Next()
		if err != nil {
			return records, err
		}
		records = append(records, record)
	}
}

// groupsOf returns some rounds or sets of a kind.
func groupsOf(kind wire.Kind, n uint32) [][]*wire.Record {
	var groups [][]*wire.Record
	for round := uint32(1); round <= n; round++ {
		var g []*wire.Record
		switch kind {
		case wire.Kind_ROUNDS:
			g = append(g, open(round))
			for i := range 5 {
				g = append(g, inRound(round, documentRecord(fmt.Sprint("d", i), 3)))
			}
			g = append(g, closing(round, 5))
		case wire.Kind_CONTRIBUTIONS:
			g = append(g, open(round))
			for i := range 5 {
				unit := fmt.Sprint("u", i)
				g = append(g, contribution(round, unit, true, rows(0, 0)), contribution(round, unit, false, rows(1, 0)))
			}
			g = append(g, closing(round, 5))
		case wire.Kind_RELEASES:
			g = append(g, release(round), block(round, 0, 0, 1), block(round, 0, 1, 3), block(round, 1, 0, 1))
		case wire.Kind_SUMS:
			g = append(g, open(round), members(round, byte(round)), sum(round), block(round, 0, 0, 3),
				block(round, 1, 0, 1),
				closing(round, 1))
		}
		groups = append(groups, g)
	}
	return groups
}

// history is a log that writers appended to who died, came back and went on beside their successors, and how it came
// about.
func history(t testing.TB, h *wire.Header, groups [][]*wire.Record, random *rand.Rand) []written {
	type writer struct {
		frames []written
		next   int
	}
	var all []written
	var writers []*writer
	closed := 0 // what a writer finds that looks at the log's last frames
	for names := 0; ; {
		if len(writers) == 0 || len(writers) < 3 && random.IntN(20) == 0 {
			from := closed
			if random.IntN(3) == 0 {
				from = random.IntN(closed + 1) // one that does not look
			}
			names++
			writers = append(writers, &writer{frames: write(t, fmt.Sprint("w", names), h, groups[from:], random)})
		}
		i := random.IntN(len(writers))
		w := writers[i]
		switch random.IntN(12) {
		case 0: // dies
			writers = append(writers[:i], writers[i+1:]...)
			continue
		case 1: // sends again what lost its acknowledgement
			if w.next > 0 {
				all = append(all, w.frames[w.next-1-random.IntN(min(w.next, 3))])
				continue
			}
		}
		f := w.frames[w.next]
		all = append(all, f)
		if f.Closes {
			closed = max(closed, int(f.Round))
		}
		if w.next++; w.next == len(w.frames) {
			return all
		}
	}
}

// TestMerge: whatever writers left in a log, its reader sees the stream that they would all have written: each record
// once, and a contribution at least once and whole. Seeds are fixed, so it passes or fails for good.
func TestMerge(t *testing.T) {
	for _, kind := range []wire.Kind{wire.Kind_ROUNDS, wire.Kind_CONTRIBUTIONS, wire.Kind_RELEASES, wire.Kind_SUMS} {
		h, groups := header(kind), groupsOf(kind, 4)
		var want []*wire.Record
		for _, g := range groups {
			want = append(want, g...)
		}
		again := 0
		for seed := range uint64(testkit.Repeats(t, "faults", 200, 20_000)) {
			random := rand.New(rand.NewPCG(seed, uint64(kind)))
			log := history(t, h, groups, random)
			got, err := merged(t, log)
			if err != io.EOF {
				t.Fatalf("%s, seed %d: %v", kind, seed, err)
			}
			if kind == wire.Kind_CONTRIBUTIONS {
				again += len(got) - len(want)
				got = withoutAgain(got)
			}
			if !equal(got, want) {
				t.Fatalf("%s, seed %d: %d records, want %d:\n%v", kind, seed, len(got), len(want), got)
			}
			// Without its last frame the log has no end.
			if _, err := merged(t, log[:len(log)-1]); !errors.Is(err, ErrTruncated) {
				t.Fatalf("%s, seed %d: a log without its end gives %v", kind, seed, err)
			}
		}
		if (kind == wire.Kind_CONTRIBUTIONS) != (again > 0) {
			t.Errorf("%s: %d records came again", kind, again)
		}
	}
}

// withoutAgain drops contributions that came before in their round.
func withoutAgain(records []*wire.Record) []*wire.Record {
	seen := make(map[string]bool)
	var once []*wire.Record
	for _, r := range records {
		if c := r.GetContribution(); c != nil {
			key := fmt.Sprint(r.Round, c.Unit, c.More)
			if seen[key] {
				continue
			}
			seen[key] = true
		}
		once = append(once, r)
	}
	return once
}

// TestMergeFromTheMiddle: a reader that begins at a frame after a closed round sees all rounds after it.
func TestMergeFromTheMiddle(t *testing.T) {
	for _, kind := range []wire.Kind{wire.Kind_ROUNDS, wire.Kind_RELEASES, wire.Kind_SUMS} {
		h, groups := header(kind), groupsOf(kind, 4)
		for seed := range uint64(testkit.Repeats(t, "faults", 50, 5000)) {
			random := rand.New(rand.NewPCG(seed, uint64(kind)))
			log := history(t, h, groups, random)
			closed := uint32(0)
			for i, f := range log {
				if !f.Closes || f.Ends || f.Round <= closed {
					continue
				}
				closed = f.Round
				got, err := merged(t, log[i+1:], closed)
				var want []*wire.Record
				for _, g := range groups[closed:] {
					want = append(want, g...)
				}
				if err != io.EOF || !equal(got, want) {
					t.Fatalf("%s, seed %d, after round %d: %d records, want %d, %v", kind, seed, closed, len(got),
						len(want), err)
				}
			}
		}
	}
}

// TestMergeRefuses: what several writers of one stream cannot have left.
func TestMergeRefuses(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	h, groups := header(wire.Kind_ROUNDS), groupsOf(wire.Kind_ROUNDS, 2)
	good := write(t, "a", h, groups, random)
	other := proto.CloneOf(h)
	other.Run = "other"
	coins := groupsOf(wire.Kind_ROUNDS, 2)
	coins[0][0].GetRoundOpen().Scheme = &wire.Scheme{Method: wire.Scheme_POISSON, Rate: 0.5, Rounds: 9, Secret: true,
		Coins: "new"}
	for name, c := range map[string]struct {
		frames []written
		want   string
	}{
		"a frame is missing": {append(good[:1:1], good[2:]...), "1 frames of this writer before it are missing"},
		"another run":        {append(good[:1:1], write(t, "b", other, groups, random)...), "two streams are mixed"},
		"other coins":        {append(good[:1:1], write(t, "b", h, coins, random)...), "begun again"},
		"a round left open": {append(good[:1:1], write(t, "b", h, groups[1:], random)...),
			"round 1 was never closed"},
		"nothing": {nil, "input is empty"},
		"a foreign message": {append(good[:1:1], written{Frame: Frame{Data: []byte("hello"), Writer: "c"}}),
			"not a Zstandard frame"},
		"a document too many": {append(append([]written{}, good[:1]...), stray(t, h)...), "is outside that round"},
	} {
		if _, err := merged(t, c.frames); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	_, err := merged(t, append(good[:3:3], good[4:]...))
	if want := "topic[0]: frame 4 at offset 3: "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want it to begin %q", err, want)
	}
}

// TestMergeMissing: from a round on that is read, no frame may be missing, except at the beginning of a round: who
// reads on after a round cannot tell it from a round that was sent again.
func TestMergeMissing(t *testing.T) {
	for _, kind := range []wire.Kind{wire.Kind_ROUNDS, wire.Kind_CONTRIBUTIONS, wire.Kind_RELEASES} {
		groups := groupsOf(kind, 3)
		var records [][]*wire.Record // each in a frame of its own
		for _, g := range groups {
			for _, record := range g {
				records = append(records, []*wire.Record{record})
			}
		}
		log := write(t, "a", header(kind), records, rand.New(rand.NewPCG(1, 2)))
		size := len(groups[0])
		for at := range 3 * size {
			frames := append(log[:at:at], log[at+1:]...)
			_, err := merged(t, frames, 1)
			lost := err != nil && strings.Contains(err.Error(), "1 frames of this writer before it are missing")
			if inRoundOne := at < size; inRoundOne && err != io.EOF || !inRoundOne && at != size && !lost {
				t.Errorf("%s after round 1, without frame %d: %v", kind, at, err)
			}
		}
	}
}

// stray is a writer's stream whose first record is of a round that it did not open.
func stray(t testing.TB, h *wire.Header) []written {
	t.Helper()
	c, err := NewCompressor(None)
	if err != nil {
		t.Fatal(err)
	}
	framer, err := NewFramer(h, c)
	if err != nil {
		t.Fatal(err)
	}
	body, err := wire.Append(nil, inRound(1, documentRecord("stray", 1)))
	if err != nil {
		t.Fatal(err)
	}
	frame := framer.compressor.AppendFrame(nil, slices.Concat(framer.header, body))
	return []written{{Frame: Frame{Data: frame, Writer: "b"}}}
}

// TestMergeSingles: of records that stand for themselves each writer has its own, and the last to end ends them.
func TestMergeSingles(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	h := header(wire.Kind_DOCUMENTS)
	a := write(t, "a", h, [][]*wire.Record{someDocuments(4)}, random)
	b := write(t, "b", h, [][]*wire.Record{someDocuments(6)[4:]}, random)
	log := append(append(append([]written{}, b[0]), a...), b[1:]...)
	got, err := merged(t, log)
	if err != io.EOF || len(got) != 6 {
		t.Errorf("%d documents, %v", len(got), err)
	}
	got, err = merged(t, log[:len(log)-1]) // documents that go on: what is there counts
	if err != io.EOF || len(got) != 6 {
		t.Errorf("%d documents, %v", len(got), err)
	}
	r, err := NewMergedReader(&logOf{frames: log[:len(log)-1]}, "topic[0]", 0)
	if err != nil {
		t.Fatal(err)
	}
	r.WantEnd() // but not where their number must not depend on time
	for err == nil {
		_, err = r.Next()
	}
	if !errors.Is(err, ErrTruncated) {
		t.Errorf("documents without the end that is wanted: %v", err)
	}
}

// TestPassEnds: with PassEnds a log goes on after the ends of its writers, and is whole only where all of them have
// ended.
func TestPassEnds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 4))
	h := header(wire.Kind_SCORES)
	score := func(id string) *wire.Record {
		return &wire.Record{Body: &wire.Record_Score{Score: &wire.Score{Id: id, Tokens: 1, Bound: -1}}}
	}
	a := write(t, "a", h, [][]*wire.Record{{score("a")}}, random)
	b := write(t, "b", h, [][]*wire.Record{{score("b")}, {score("c")}}, random)
	for _, c := range []struct {
		name  string
		log   []written
		want  int
		whole bool
	}{
		{"one writer", a, 1, true},
		{"a second one after the end", slices.Concat(a, b), 3, true},
		{"which has not ended", slices.Concat(a, b[:1]), 1, false},
		{"nor has it later", slices.Concat(a, b[:len(b)-1]), 3, false},
		{"and came before", slices.Concat(b[:1], a), 2, false},
	} {
		r, err := NewMergedReader(&logOf{frames: c.log}, "topic[0]", 0)
		if err != nil {
			t.Fatal(err)
		}
		r.PassEnds()
		got := 0
		for err == nil {
			if _, err = r.Next(); err == nil {
				got++
			}
		}
		if whole := err == io.EOF; whole != c.whole || !whole && !errors.Is(err, ErrTruncated) || c.whole &&
			got != c.want {
			t.Errorf("%s: %d scores, %v", c.name, got, err)
		}
	}
}

// TestMergePredictions: the columns are named once, by the writer whose names come first, and all predictions pass.
func TestMergePredictions(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 3))
	h := header(wire.Kind_PREDICTIONS)
	a := write(t, "a", h, [][]*wire.Record{{words(0, 60)}, {words(60, 40)}, {prediction(0), prediction(2)}}, random)
	b := write(t, "b", h, [][]*wire.Record{{words(0, 100)}, {prediction(1)}}, random)
	log := append(append(append([]written{}, a[0]), b...), a[1:]...)
	got, err := merged(t, log)
	if err != io.EOF {
		t.Fatal(err)
	}
	named, predicted := 0, 0
	for _, r := range got {
		named += len(r.GetWords().GetWords())
		if r.GetPrediction() != nil {
			predicted++
		}
	}
	if named != 100 || predicted != 3 {
		t.Errorf("%d columns are named and %d predictions made, want 100 and 3", named, predicted)
	}
}

// TestMergeOtherSettings: contributions from a worker with other settings are refused. So are contributions from a
// worker before settings were named. The message says so.
func TestMergeOtherSettings(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	settled := func(settings []byte) *wire.Header {
		h := header(wire.Kind_CONTRIBUTIONS)
		h.Settings = settings
		return h
	}
	groups := groupsOf(wire.Kind_CONTRIBUTIONS, 2)
	one, two := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	for name, settings := range map[string][2][]byte{"other": {one, two}, "none behind": {one, nil},
		"none before": {nil, one}} {
		a := write(t, "a", settled(settings[0]), groups, random)
		b := write(t, "b", settled(settings[1]), groups, random)
		_, err := merged(t, append(a[:1:1], b...))
		if err == nil || !strings.Contains(err.Error(),
			"frame 0 at offset 1, record 0: contributions made under other settings than those before") {
			t.Errorf("%s: %v", name, err)
		}
		if records, err := merged(t,
			append(a[:1:1], write(t, "b", settled(settings[0]), groups, random)...)); err != io.EOF ||
			len(records) == 0 {
			t.Errorf("%s: a worker with the same settings: %d records, %v", name, len(records), err)
		}
	}
}
