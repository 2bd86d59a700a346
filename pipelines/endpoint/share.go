package endpoint

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A Partition is one stream of an input, and knows the output for its answers. It skips rounds that were answered
// before.
type Partition struct {
	*StreamReader
	Header *wire.Header

	output    string // the output; unused if topic is set
	topic     *topic.Location
	member    topic.Member // nil: the input has no group
	partition int
	fail      context.CancelCauseFunc // cancels the context of the work
}

// CreateStream begins the stream of answers for this partition.
func (p *Partition) CreateStream(ctx context.Context, h *wire.Header, compression string) (*StreamWriter, error) {
	if p.topic == nil {
		return CreateStream(ctx, p.output, h, compression)
	}
	if err := checkSide(p.topic, h.Side); err != nil {
		return nil, err
	}
	if _, err := tails(p.topic, h); err != nil {
		return nil, err
	}
	appenders, err := topic.Of(p.topic).Append(p.log.Context(), p.topic)
	if err != nil {
		return nil, err
	}
	// the work may wait long for something else, and must still notice that its output failed
	for _, a := range appenders {
		context.AfterFunc(a.Context(), func() {
			defer exit.Guard()
			if cause := context.Cause(a.Context()); cause != context.Canceled {
				p.fail(cause)
			}
		})
	}
	writers, err := appendStreams(appenders, h, compression)
	if err != nil {
		return nil, err
	}
	return writers[0], nil
}

// Answered does the same as StreamReader.Answered, but notes the round as a member of the group.
func (p *Partition) Answered(round uint32) {
	_, planned := p.rounds()
	p.note(topic.Hint{Round: round, Planned: planned})
}

func (p *Partition) note(h topic.Hint) {
	if p.member != nil {
		h.Offset = p.log.Next()
		p.member.Note(p.log.Context(), p.partition, h)
	}
}

// Share calls work concurrently for each stream of an input, until all calls return. The first error cancels the other
// calls. If the input names a consumer group, a rebalance may assign a partition to another member. That partition's
// call is then cancelled, and its error is ignored. A call that returns nil has written all of its answers durably.
func Share(ctx context.Context, input string, wanted Wanted, output string,
	work func(context.Context, *Partition) error) error {
	if !topic.Is(input) {
		r, h, err := OpenStream(ctx, input, wanted)
		if err != nil {
			return err
		}
		defer r.Close()
		return work(ctx, &Partition{StreamReader: r, Header: h, output: output})
	}
	s := &sharing{wanted: wanted, work: work}
	var err error
	if s.input, err = inputTopic(ctx, input, wanted); err != nil {
		return err
	}
	if !topic.Is(output) {
		return s.single(ctx, output)
	}
	if s.output, err = writtenTopic(output); err != nil {
		return err
	}
	in, err := topic.Of(s.input).Partitions(ctx, s.input)
	if err != nil {
		return err
	}
	for partition := range in {
		if s.input.Partition < 0 || s.input.Partition == partition {
			s.partitions = append(s.partitions, partition)
		}
	}
	if err := create(ctx, s.output, in); err != nil {
		return err
	}
	out, err := topic.Of(s.output).Partitions(ctx, s.output)
	if err != nil {
		return err
	}
	if in != out {
		return exit.Errorf(exit.Usage,
			"%s has %d partitions and %s has %d: the answers to partition p go to partition p, so the numbers must "+
				"be equal",
			s.input, in, s.output, out)
	}
	if err := noneAdded(ctx, s.input, wanted); err != nil {
		return err
	}
	if s.input.Group != "" {
		if s.input.Partition >= 0 {
			return exit.Errorf(exit.Usage, "%s: a group distributes all partitions, so it excludes partition=%d",
				s.input, s.input.Partition)
		}
		return s.grouped(ctx)
	}
	return s.all(ctx)
}

// noneAdded refuses a topic of rounds if one partition never had a message while other partitions have several rounds.
// The empty partition was added later: sample ends a round in every partition before it begins the next round.
func noneAdded(ctx context.Context, input *topic.Location, wanted Wanted) error {
	if !slices.Contains(wanted.Kinds, wire.Kind_ROUNDS) {
		return nil
	}
	reached := uint32(0)
	// sample may write between the two looks, so only rounds that the first look found count at the second.
	for range 2 {
		tails, err := topic.Of(input).Tails(ctx, input)
		if err != nil {
			return err
		}
		for i, t := range tails {
			if reached > 1 && t.Frame == nil && t.Offset == 0 {
				return exit.Errorf(exit.Malformed, "%s: partition %d was added to the topic during the run", input,
					max(input.Partition, i)).
					WithHint("go on with new private topics; topics.sh makes them")
			}
		}
		for _, t := range tails {
			reached = max(reached, closed(t.Mark))
		}
	}
	return nil
}

// sharing distributes the work on a topic's partitions.
type sharing struct {
	input, output *topic.Location
	partitions    []int // the partitions to work on, if there is no group
	wanted        Wanted
	work          func(context.Context, *Partition) error
}

// single writes the answers for a topic's only partition to a file or a pipe.
func (s *sharing) single(ctx context.Context, output string) error {
	if s.input.Group != "" {
		return exit.Errorf(exit.Usage, "%s: the answers of a group go to a topic with as many partitions", s.input)
	}
	logs, err := topic.Of(s.input).Open(ctx, s.input)
	if err != nil {
		return err
	}
	log, err := one(s.input.String(), logs, drop)
	if err != nil {
		return err
	}
	streams, h, err := openAll(ctx, []topic.Log{log}, s.wanted, []place{{}})
	if err != nil {
		return err
	}
	defer streams[0].Close()
	return s.work(ctx, &Partition{StreamReader: streams[0], Header: h, output: output})
}

// part does the work of one partition, from the position that an earlier program left. This position comes from two
// hints: the group's note and the last message among the answers. The last message is only a hint since it may be a
// duplicate of an older one. If a round is answered again, it gets an equal answer.
func (s *sharing) part(ctx context.Context, member topic.Member, partition int) error {
	from, to := *s.input, *s.output
	from.Partition, to.Partition = partition, partition
	answers, err := topic.Of(&to).Tails(ctx, &to)
	if err != nil {
		return err
	}
	hint := topic.Hint{Offset: -1}
	if member != nil {
		hints, err := topic.Of(&from).Hints(ctx, &from)
		if err != nil {
			return err
		}
		hint = hints[0]
	}
	ended := answers[0].Ends
	if hint.Ended && !ended { // a duplicate may stand after the end record
		if ended, err = endedIn(ctx, &to); err != nil {
			return err
		}
	} else if ended && !hint.Ended { // the writer of the end died before its note, or was no stage of privpipe
		if err := sameRun(ctx, &from, answers[0].Frame); err != nil {
			return err
		}
		if err := allAnswered(ctx, &from, &to); err != nil {
			return err
		}
		if member != nil {
			member.Note(ctx, partition, topic.Hint{Offset: max(0, hint.Offset), Ended: true})
		}
	}
	if ended {
		return nil
	}
	if hint, err = believed(ctx, &from, partition, hint, &to); err != nil {
		return err
	}
	log, err := topic.Of(&from).OpenAt(ctx, &from, partition, hint.Offset)
	if exit.Code(err) == exit.Malformed {
		log, err = openAnswered(ctx, from, partition, closed(answers[0].Mark), err)
	}
	if err != nil {
		return err
	}
	after := place{max(closed(answers[0].Mark), hint.Round), hint.Planned}
	streams, h, err := openAll(ctx, []topic.Log{log}, s.wanted, []place{after})
	if err != nil {
		return err
	}
	defer streams[0].Close()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	p := &Partition{StreamReader: streams[0], Header: h, topic: &to, member: member, partition: partition, fail: fail}
	if err := s.work(ctx, p); err != nil {
		return err
	}
	p.note(topic.Hint{Ended: true})
	return nil
}

// openAnswered opens a partition at its oldest message, although retention has deleted messages after the starting
// point. The starting point is the group's note or the location's From. A worker that is killed may leave a note that
// is some rounds old. openAnswered succeeds only if the oldest message belongs to a round that is answered already:
// then no message of another round is missing. Otherwise it returns the error gone.
func openAnswered(ctx context.Context, from topic.Location, partition int, answered uint32,
	gone error) (topic.Log, error) {
	from.From = topic.Oldest
	log, err := topic.Of(&from).OpenAt(ctx, &from, partition, -1)
	if err != nil {
		return nil, err
	}
	if oldest, err := oldestRound(ctx, &from, partition); err != nil || oldest == 0 || oldest > answered {
		log.Close()
		return nil, cmp.Or(err, gone)
	}
	return log, nil
}

// oldestRound returns the oldest message's round; 0 if the partition has no message.
func oldestRound(ctx context.Context, from *topic.Location, partition int) (uint32, error) {
	tails, err := topic.Of(from).Tails(ctx, from)
	if err != nil || tails[0].Frame == nil {
		return 0, err
	}
	log, err := topic.Of(from).OpenAt(ctx, from, partition, -1)
	if err != nil {
		return 0, err
	}
	defer log.Close()
	oldest, err := log.Found()
	return oldest.Round, err
}

// endedIn says whether a partition holds an end record.
func endedIn(ctx context.Context, l *topic.Location) (bool, error) {
	m, err := topic.Of(l).Search(ctx, l, func(m stream.Mark) bool { return m.Ends })
	return m != nil, err
}

// allAnswered refuses answers if their end record comes before the answer to the input's last round: another program
// wrote that end record.
func allAnswered(ctx context.Context, input, answers *topic.Location) error {
	foreign := exit.Errorf(exit.Malformed,
		"%s: the answers of partition %d have ended, and not all of %s is answered: another program wrote the end "+
			"record",
		answers, answers.Partition, input).WithHint("find who else writes the topic, and go on with new private topics")
	if ended, err := endedIn(ctx, input); err != nil || !ended {
		return cmp.Or[error](err, foreign)
	}
	last, err := topic.Of(input).
		Search(ctx, input, func(m stream.Mark) bool { return m.Closes && !m.Ends && m.Round > 0 })
	if err != nil || last == nil {
		return err
	}
	answer, err := topic.Of(answers).Search(ctx, answers, func(m stream.Mark) bool { return closed(m) >= last.Round })
	if err == nil && answer == nil {
		err = foreign
	}
	return err
}

// sameRun refuses answers if their last frame belongs to another run than the input.
func sameRun(ctx context.Context, input *topic.Location, answer []byte) error {
	asked, err := topic.Of(input).Tails(ctx, input)
	if err != nil {
		return err
	}
	if last := asked[0]; last.Frame != nil {
		h, err := stream.HeaderOf(last.Frame)
		if err != nil {
			return exit.Errorf(exit.Malformed, "%s[%d]: the message at offset %d: %w", input.Topic, input.Partition,
				last.Offset, err)
		}
		if answered, err := stream.HeaderOf(answer); err == nil && answered.Run == h.Run {
			return nil
		}
	}
	return exit.Errorf(exit.Usage,
		"%s: the existing answers are of another run, or answer messages that are gone", input).
		WithHint("each run needs topics of its own, which topics.sh makes")
}

// all does the work of all partitions.
func (s *sharing) all(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ended := make(chan error)
	for _, partition := range s.partitions {
		go func() {
			defer exit.Guard()
			ended <- s.part(ctx, nil, partition)
		}()
	}
	var first error
	for range s.partitions {
		if err := <-ended; err != nil && first == nil {
			first = err
			cancel(err)
		}
	}
	return first
}

// grouped does the work of the partitions that the consumer group assigns to this program.
func (s *sharing) grouped(ctx context.Context) error {
	member, err := topic.Of(s.input).Join(s.input, s.output.Topic)
	if err != nil {
		return err
	}
	work := func(ctx context.Context, partition int) error { return s.part(ctx, member, partition) }
	finished := func(ctx context.Context) (bool, error) {
		hints, err := topic.Of(s.input).Hints(ctx, s.input)
		for _, h := range hints {
			if !h.Ended {
				return false, err
			}
		}
		for partition := range hints { // the answers must confirm the notes
			to := *s.output
			to.Partition = partition
			if ended, err := endedIn(ctx, &to); err != nil || !ended {
				return false, err
			}
		}
		return err == nil, err
	}
	return errors.Join(member.Share(ctx, work, finished), member.Close())
}
