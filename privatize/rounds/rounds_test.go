package rounds

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
	"privpipe/privatize/internal/release"
)

// TestBegins: a privatizer that died between the notes of two partitions begins one of them after a round that another
// still has, perhaps the last one. A round that was released is passed over; any other must be in all.
func TestBegins(t *testing.T) {
	for name, c := range map[string]struct {
		streams  []partition
		released uint32 // the last one
		rounds   []uint32
		refused  string // the end of the message
	}{
		"together":                {[]partition{{0, 3}, {0, 3}}, 0, []uint32{1, 2, 3}, ""},
		"the first one later":     {[]partition{{2, 3}, {1, 3}}, 2, []uint32{3}, ""},
		"the second one later":    {[]partition{{0, 3}, {2, 3}}, 2, []uint32{3}, ""},
		"the first one at an end": {[]partition{{3, 3}, {2, 3}}, 3, nil, ""},
		"the second at an end":    {[]partition{{2, 3}, {3, 3}, {1, 3}}, 3, nil, ""},
		"others far from the end": {[]partition{{3, 3}, {0, 3}, {1, 3}}, 3, nil, ""},
		"both at an end":          {[]partition{{3, 3}, {3, 3}}, 3, nil, ""},
		"later, not released":     {[]partition{{0, 3}, {1, 3}}, 0, nil, "two its rounds are not those of one"},
		"at an end, not released": {[]partition{{2, 3}, {3, 3}}, 2, nil, "two its rounds are not those of one"},
		"ends too soon": {[]partition{{0, 3}, {0, 2}}, 0, []uint32{1, 2},
			"two its rounds are not those of one"},
		"ends too soon, again": {[]partition{{0, 3}, {0, 2}}, 3, []uint32{1, 2}, "two its rounds are not those of one"},
		"without rounds":       {[]partition{{0, 3}, {0, 0}}, 3, nil, "two its rounds are not those of one"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &Sources{deadline: newDeadline(0)}
			for i, p := range c.streams {
				s.streams = append(s.streams, &supplied{partition: p, name: []string{"one", "two", "three"}[i]})
			}
			var rounds []uint32
			var err error
			for err == nil {
				var open *wire.Record
				if open, err = s.next(upTo(c.released)); err == nil {
					rounds = append(rounds, open.Round)
					for _, in := range s.streams {
						if err := skip(in); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			if refused := err != io.EOF; refused != (c.refused != "") || refused &&
				!strings.HasSuffix(err.Error(), c.refused) {
				t.Errorf("ended with %v, want %q", err, c.refused)
			}
			if len(rounds) != len(c.rounds) || len(rounds) > 0 && rounds[0] != c.rounds[0] {
				t.Errorf("rounds %v, want %v", rounds, c.rounds)
			}
		})
	}
}

// upTo says that rounds up to one were released.
type upTo uint32

func (u upTo) Released(number uint32) bool { return number <= uint32(u) }
func (u upTo) Begin(uint32, *wire.RoundOpen, event.Scheme) (*release.Collector, error) {
	return nil, nil
}
func (u upTo) End(number uint32, announced release.Announced) (err error) { return nil }

// A partition holds the rounds after `after`, up to the last.
type partition struct{ after, last uint32 }

// supplied is a partition as a supplier: of each round the first and the last record.
type supplied struct {
	supplier
	partition
	name   string
	scheme *wire.Scheme // nil: everyUnit
	read   uint32       // records
}

func (s *supplied) Name() string { return s.name }
func (s *supplied) Amid() bool   { return s.after > 0 }

func (s *supplied) Complete() error { return nil }

func (s *supplied) Errorf(format string, args ...any) error {
	return exit.Errorf(exit.Malformed, s.name+" "+strings.TrimPrefix(format, "it "), args...)
}

func (s *supplied) Next() (*wire.Record, error) {
	round := s.after + 1 + s.read/2
	if round > s.last {
		return nil, io.EOF
	}
	s.read++
	if s.read%2 == 1 {
		return &wire.Record{Round: round,
			Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{Scheme: cmp.Or(s.scheme, everyUnit)}}}, nil
	}
	return &wire.Record{Round: round, Body: &wire.Record_RoundClose{RoundClose: &wire.RoundClose{}}}, nil
}

var everyUnit = &wire.Scheme{Method: wire.Scheme_ALL, Rate: 1, Rounds: 9}

// TestOtherUnits: partitions and shards must have one scheme and one name of coins in a round. Otherwise the sum would
// be of the units of two throws, and charged as a batch of one of them: a second release of the other batch would be
// charged as its first.
func TestOtherUnits(t *testing.T) {
	coins := func(name string, rate float64) *wire.Scheme {
		return &wire.Scheme{Method: wire.Scheme_POISSON, Rate: rate, Rounds: 9, Secret: true, Coins: name}
	}
	for _, c := range []struct {
		one, two *wire.Scheme
		refused  bool
	}{
		{coins("a", 0.5), coins("a", 0.5), false}, {coins("a", 0.5), coins("b", 0.5), true},
		{coins("a", 0.5), coins("", 0.5), true}, {coins("a", 0.5), coins("a", 0.25), true},
	} {
		s := &Sources{deadline: newDeadline(0), streams: []supplier{
			&supplied{partition: partition{0, 3}, name: "one", scheme: c.one},
			&supplied{partition: partition{0, 3}, name: "two", scheme: c.two},
		}}
		_, err := s.next(upTo(0))
		if refused := exit.Code(err) == exit.Malformed; refused != c.refused || !refused && err != nil {
			t.Errorf("%v and %v: %v", c.one, c.two, err)
		}
	}
}

// TestEndWithoutRounds: only the end is right where rounds were released before, and none is left to answer.
func TestEndWithoutRounds(t *testing.T) {
	for _, c := range []struct {
		fresh, begun bool
		of           partition
		refused      bool
	}{
		{true, false, partition{0, 0}, true}, {true, true, partition{0, 0}, true},
		{false, true, partition{0, 0}, false},
		{true, true, partition{3, 3}, false}, {true, false, partition{3, 3}, true},
		{false, false, partition{3, 3}, false},
		{false, false, partition{0, 0}, true},
	} {
		s := &Sources{
			deadline: newDeadline(0), Fresh: c.fresh, Unspent: !c.begun,
			streams: []supplier{&supplied{partition: c.of, name: "one"}},
		}
		_, err := s.next(upTo(0))
		if refused := exit.Code(err) == exit.Malformed; refused != c.refused || !refused && err != io.EOF {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestAnsweredAfterSent: a round is not noted as answered if its release could not be sent. A later start would pass
// the round over.
func TestAnsweredAfterSent(t *testing.T) {
	in := &answers{supplied: supplied{partition: partition{0, 3}, name: "one"}}
	s := &Sources{deadline: newDeadline(0), streams: []supplier{in}, headers: []*wire.Header{contributions}}
	if err := s.all(sendsUntil{last: 2}); !errors.Is(err, io.ErrClosedPipe) {
		t.Fatal(err)
	}
	if want := []uint32{1, 2}; !slices.Equal(in.rounds, want) {
		t.Errorf("answered %v, want %v", in.rounds, want)
	}
}

// answers records the rounds that are noted as answered.
type answers struct {
	supplied
	rounds []uint32
}

func (a *answers) Answered(round uint32) { a.rounds = append(a.rounds, round) }

// sendsUntil cannot send what comes after its last round.
type sendsUntil struct {
	upTo
	last uint32
}

func (s sendsUntil) Begin(number uint32, _ *wire.RoundOpen, _ event.Scheme) (*release.Collector, error) {
	if number > s.last {
		return nil, io.ErrClosedPipe
	}
	return nil, nil
}

// TestTogether takes from several streams at the same time. Each unit counts once and whole, though its records come
// between other streams' records. An error of any stream ends the round.
func TestTogether(t *testing.T) {
	const streams, units = 4, 10_000 // so many that all streams are under way at the same time
	terms := &release.Terms{Unit: event.Document,
		Subject: event.Subject{Matrices: []event.Matrix{{Name: "m", Rows: 1, Columns: streams * units}}}}
	for _, broken := range []bool{false, true} {
		to, err := release.NewCollector(terms)
		if err != nil {
			t.Fatal(err)
		}
		s := &Sources{deadline: newDeadline(0), headers: slices.Repeat([]*wire.Header{contributions}, streams)}
		var begun sync.WaitGroup
		begun.Add(streams)
		for i := range streams {
			in := &parted{begun: &begun, supplied: supplied{name: fmt.Sprint("stream ", i)}, first: i * units,
				units: units}
			if broken && i == streams-1 {
				in.units, in.then = units-1, io.ErrUnexpectedEOF
			}
			s.streams = append(s.streams, in)
		}
		got := &summed{collector: to}
		err = s.round(got, &wire.Record{Round: 1,
			Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{Scheme: everyUnit}}})
		if broken {
			if err != io.ErrUnexpectedEOF || got.cells != nil {
				t.Errorf("a stream is cut short: %d cells, %v", len(got.cells), err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, cell := range got.cells {
			if want := int64(float64(i+1) / to.Step()); cell != want {
				t.Fatalf("cell %d is %d, want %d", i, cell, want)
			}
		}
	}
}

// summed is a Taker that keeps the sum of a round.
type summed struct {
	upTo
	collector *release.Collector
	cells     []int64
}

func (s *summed) Begin(uint32, *wire.RoundOpen, event.Scheme) (*release.Collector, error) {
	s.collector.Open()
	return s.collector, nil
}

func (s *summed) End(_ uint32, announced release.Announced) (err error) {
	s.cells, _, err = s.collector.Sum(announced)
	return err
}

// parted is a supplier of units, each a contribution of two records: unit u has u+1 in cell u, in the first record if u
// is even, and else in the second one.
type parted struct {
	supplied
	first, units int
	read         int // records
	begun        *sync.WaitGroup
	then         error // after the units; nil: the round closes
	digest       uint64
}

func (p *parted) Next() (*wire.Record, error) {
	if p.read == 0 {
		p.begun.Done()
		p.begun.Wait()
	}
	if p.read == 2*p.units {
		return &wire.Record{Body: &wire.Record_RoundClose{RoundClose: &wire.RoundClose{
			Units: uint64(p.units), Records: uint64(p.units), UnitDigest: p.digest}}}, p.then
	}
	u := p.first + p.read/2
	c := &wire.Contribution{Unit: fmt.Sprint(u), More: p.read%2 == 0}
	if !c.More {
		p.digest += wire.UnitDigest(c.Unit)
	}
	if c.More == (u%2 == 0) {
		c.Parts = []*wire.Part{{RowGaps: []uint32{0}, ColumnGaps: []uint32{uint32(u)},
			Values: stream.AppendCells(nil, []float32{float32(u + 1)})}}
	}
	p.read++
	return &wire.Record{Body: &wire.Record_Contribution{Contribution: c}}, nil
}

// contributions is the header of streams in tests, of parts of one matrix.
var contributions = &wire.Header{
	Kind: wire.Kind_CONTRIBUTIONS, Matrices: []*wire.Matrix{{Element: wire.Element_FLOAT32}}}
