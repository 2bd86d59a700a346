package endpoint

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// IsTopic says whether a name is a topic name.
func IsTopic(name string) bool { return topic.Is(name) }

// IsShared says whether several programs may divide an input among themselves: it must be a topic, without partition=
// in its name.
func IsShared(name string) bool {
	if !topic.Is(name) {
		return false
	}
	l, err := topic.Parse(name)
	return err == nil && l.Partition < 0 // a later open returns the error
}

// CheckOne refuses a topic with several partitions, since each of them holds only a part of each round.
func CheckOne(ctx context.Context, name string) error {
	if !topic.Is(name) {
		return nil
	}
	l, err := topic.Parse(name)
	if err != nil {
		return err
	}
	if n, err := topic.Of(l).Partitions(ctx, l); err != nil || n == 1 {
		return err
	}
	return exit.Errorf(exit.Usage,
		"%s: has several partitions, and this model answers all documents of a round together", l).
		WithHint("make the topics of the run with one partition")
}

// FromTime says whether an input is a topic that is read from a given time on.
func FromTime(name string) bool {
	if !topic.Is(name) {
		return false
	}
	l, err := topic.Parse(name)
	return err == nil && l.FromTime() // a later open returns the error
}

// inputTopic parses an input topic's name.
func inputTopic(ctx context.Context, name string, wanted Wanted) (*topic.Location, error) {
	l, err := topic.Parse(name)
	if err != nil {
		return nil, err
	}
	if wanted.Side == wire.Side_PUBLIC && l.IsPrivate() {
		return nil, exit.Errorf(exit.Usage, "%s: a private topic, but this stage stands outside the privacy wall", l).
			WithHint("only privatize turns private records into public ones")
	}
	if wanted.Whole && l.Partition >= 0 {
		return nil, exit.Errorf(exit.Usage,
			"%s: partition=%d holds only a part of each round, and this stage needs whole rounds", l, l.Partition)
	}
	if wanted.Ended && slices.Contains([]string{topic.Oldest, topic.Newest, topic.End}, l.From) {
		return nil, exit.Errorf(exit.Usage,
			"%s: from=%s depends on the time of reading, and so would the number of documents", l, l.From)
	}
	l.BrokerTime = (wanted.Timed || wanted.Ended && l.FromTime()) && !Of(ctx).TrustStamps
	l.Whole = slices.Contains(wanted.Kinds, wire.Kind_DOCUMENTS) && (!wanted.Timed || l.FromTime())
	if l.From == "" && wanted.Newest {
		l.From = topic.Newest
	}
	return l, nil
}

// outputTopic parses an output topic's name. The topic must be for records of the given side of the wall.
func outputTopic(name string, side wire.Side) (*topic.Location, error) {
	l, err := writtenTopic(name)
	if err != nil {
		return nil, err
	}
	return l, checkSide(l, side)
}

// writtenTopic parses an output topic's name.
func writtenTopic(name string) (*topic.Location, error) {
	l, err := topic.Parse(name)
	if err != nil {
		return nil, err
	}
	if l.Group != "" || l.From != "" || l.UntilEnd {
		return nil, exit.Errorf(exit.Usage,
			"%s: group, from and until say how a topic is read, and this one is written", l)
	}
	return l, nil
}

// CheckOutput refuses an output topic for records of the other side of the wall. It asks no broker.
func CheckOutput(name string, side wire.Side) error {
	if !topic.Is(name) {
		return nil
	}
	_, err := outputTopic(name, side)
	return err
}

// CheckPublic checks inputs of text that the user calls public. It refuses private topics among them. It asks no
// broker.
func CheckPublic(inputs ...string) error {
	for _, name := range inputs {
		if !topic.Is(name) {
			continue
		}
		if l, err := topic.Parse(name); err != nil {
			return err
		} else if l.IsPrivate() {
			return exit.Errorf(exit.Usage, "%s: a private topic, and --public says that the text is public", l).
				WithHint(naming, topic.Private)
		}
	}
	return nil
}

// checkSide refuses private records for a public topic, and public records for a private topic.
func checkSide(l *topic.Location, side wire.Side) error {
	private := side != wire.Side_PUBLIC
	if private == l.IsPrivate() {
		return nil
	}
	return exit.Errorf(exit.Usage, "%s: the topic is for %s records, but these are %s", l, sides[!private],
		sides[private]).
		WithHint(naming, topic.Private)
}

// checkNamed refuses a stream if its header and its topic's name state different sides of the wall. Whoever can write
// to a private topic could otherwise call its records public, and have their exact sums released.
func checkNamed(log topic.Log, h *wire.Header) error {
	private := h.Side != wire.Side_PUBLIC
	if private == log.Location().IsPrivate() {
		return nil
	}
	return exit.Errorf(exit.Malformed, "%s: a %s stream in a topic whose name says that it is %s", log.Name(),
		sides[private], sides[!private]).
		WithHint(naming, topic.Private)
}

const naming = "topics of private records end in %s, and no others do"

var sides = map[bool]string{true: "private", false: "public"}

// openLog opens a partition's stream after the rounds that are done.
func openLog(ctx context.Context, log topic.Log, wanted Wanted, after place) (*StreamReader, *wire.Header, error) {
	r, err := stream.NewMergedReader(awaitedLog{log, scopeOf(ctx).run}, log.Name(), after.closed)
	if err != nil {
		log.Close()
		return nil, nil, err
	}
	if wanted.Ended {
		r.WantEnd()
	}
	if wanted.untilEnd && !wanted.Ended { // a reader that wants the end gets the same records at any time
		r.PassEnds()
	}
	return openReader(&StreamReader{Reader: r, log: log, after: after, amid: after.closed > 0 || log.Next() > 0},
		wanted)
}

// openTopic opens one stream for each partition in a topic.
func openTopic(ctx context.Context, name string, wanted Wanted) ([]*StreamReader, *wire.Header, error) {
	l, err := inputTopic(ctx, name, wanted)
	if err != nil {
		return nil, nil, err
	}
	wanted.untilEnd = l.UntilEnd
	logs, after, err := openLogs(ctx, l, wanted)
	if err != nil {
		return nil, nil, err
	}
	return openAll(ctx, logs, wanted, after)
}

// A place is a stage's progress in a stream before the stream is opened: the last closed round, and the number of
// planned rounds. Both are 0 if they are not known.
type place struct{ closed, planned uint32 }

// Missing formats the names of inputs that have not come yet, for a message. An empty name means that the input has
// come.
func Missing(names []string) string {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" })
	if len(names) == 0 {
		return ""
	}
	return "; waiting for " + strings.Join(names, ", ")
}

// openAll opens the streams of partitions, each after the rounds in its place.
func openAll(ctx context.Context, logs []topic.Log, wanted Wanted,
	after []place) (_ []*StreamReader, _ *wire.Header, err error) {
	type opened struct {
		reader *StreamReader
		header *wire.Header
		err    error
	}
	streams, arrived := make([]opened, len(logs)), make(chan int)
	stop := func(cause error) {
		for _, log := range logs {
			log.Stop(cause)
		}
	}
	var mutex sync.Mutex
	missing := make([]string, len(logs))
	for i, log := range logs {
		missing[i] = log.Name()
	}
	if wanted.Within > 0 {
		defer time.AfterFunc(wanted.Within, func() {
			mutex.Lock()
			defer mutex.Unlock()
			defer exit.Guard()
			stop(exit.Errorf(exit.Malformed, "nothing came for %v%s", wanted.Within, Missing(missing)).
				WithHint("see that sample, mstep and all workers run; a partition that was added to a topic gets " +
					"nothing"))
		}).Stop()
	}
	for i, log := range logs { // concurrently: each waits for its first frame
		go func() {
			defer exit.Guard()
			o := &streams[i]
			o.reader, o.header, o.err = openLog(ctx, log, wanted, after[i])
			arrived <- i
		}()
	}
	var first *opened
	for range logs {
		i := <-arrived
		o := &streams[i]
		mutex.Lock()
		missing[i] = ""
		mutex.Unlock()
		switch {
		case o.err == nil && first == nil:
			first = o
		case o.err == nil && wire.OtherSettings(o.header, first.header):
			err = MixedSettings(first.reader.Name(), o.reader.Name())
		case o.err == nil && !proto.Equal(o.header, first.header):
			err = exit.Errorf(exit.Malformed, "%s and %s hold different streams", first.reader.Name(), o.reader.Name())
		case o.err != nil && err == nil:
			err = o.err
		}
		if err != nil {
			stop(err)
		}
	}
	readers := make([]*StreamReader, len(logs))
	for i, o := range streams {
		readers[i] = o.reader
		if err != nil && o.err == nil {
			o.reader.Close()
		}
	}
	if err != nil {
		return nil, nil, err
	}
	return readers, first.header, nil
}

// MixedSettings is the error when two inputs hold contributions that were made under different settings.
func MixedSettings(one, other string) error {
	return exit.Errorf(exit.Malformed, "%s and %s hold contributions that were made under different settings of estep",
		one, other).
		WithHint("all workers of a run need the same flags and the same version; begin the run again, " +
			"with topics or files of its own")
}

// openLogs opens a topic's partitions, and returns the place of each. If the name has a group, a partition opens after
// the rounds that the group noted, provided that believed confirms the note.
func openLogs(ctx context.Context, l *topic.Location, wanted Wanted) ([]topic.Log, []place, error) {
	ctx = context.WithoutCancel(ctx)
	if l.Group == "" {
		logs, err := topic.Of(l).Open(ctx, l)
		return logs, make([]place, len(logs)), err
	}
	if wanted.Answers == "" {
		return nil, nil, exit.Errorf(exit.Usage,
			"%s: a group is for estep and privatize, from a topic to a topic: else a stage reads its input from the "+
				"start", l)
	}
	hints, err := topic.Of(l).Hints(ctx, l)
	if err != nil {
		return nil, nil, err
	}
	// only stages that share the partitions note an end
	if slices.ContainsFunc(hints, func(h topic.Hint) bool { return h.Ended }) {
		return nil, nil, exit.Errorf(exit.Usage, "%s: group %s is another stage's, which has finished a partition", l,
			l.Group).
			WithHint("give each stage a group of its own")
	}
	answers, err := writtenTopic(wanted.Answers)
	if err != nil {
		return nil, nil, err
	}
	logs, after := make([]topic.Log, len(hints)), make([]place, len(hints))
	for i, h := range hints {
		h, err := believed(ctx, l, max(l.Partition, i), h, answers)
		if err != nil {
			return nil, nil, err
		}
		after[i] = place{h.Round, h.Planned}
		if logs[i], err = topic.Of(l).OpenAt(ctx, l, max(l.Partition, i), h.Offset); err != nil {
			for _, open := range logs[:i] {
				open.Close()
			}
			return nil, nil, err
		}
	}
	return logs, after, nil
}

// believed returns a group's hint for a partition if two facts confirm it. The partition confirms the hint
// (Transport.Stands), and the answers hold the noted round or a later one. Otherwise believed returns an empty hint,
// with offset -1. So no round is skipped because of a recreated topic, a reset offset or another program's offset. The
// caller checks a note of the end.
func believed(ctx context.Context, input *topic.Location, partition int, h topic.Hint,
	answers *topic.Location) (topic.Hint, error) {
	none := topic.Hint{Offset: -1}
	if h.Ended || h.Round == 0 { // another program committed the offset, or no offset is committed
		return none, nil
	}
	from := *input
	from.Partition = partition
	if stands, err := topic.Of(&from).Stands(ctx, &from, h); err != nil || !stands {
		return none, err
	}
	reached, err := topic.Of(answers).Search(ctx, answers, func(m stream.Mark) bool { return closed(m) >= h.Round })
	if Of(ctx).NewTopics > 0 && exit.Code(err) == exit.Missing {
		return none, nil
	}
	if err != nil || reached != nil {
		return h, err
	}
	tails, err := topic.Of(answers).Tails(ctx, answers)
	if err != nil || slices.ContainsFunc(tails, func(t topic.Tail) bool { return t.Frame != nil || t.Offset == 0 }) {
		return none, err
	}
	return h, nil // retention has deleted all answers
}

// OpenJournal opens a topic with one partition. Programs append entries to it, and all programs read the entries in the
// same order.
func OpenJournal(name string) (topic.Journal, error) {
	l, err := topic.Parse(name)
	if err != nil {
		return nil, err
	}
	return topic.Of(l).OpenJournal(context.Background(), l)
}

// create creates a missing topic with the given number of partitions, if NewTopics is not 0.
func create(ctx context.Context, l *topic.Location, partitions int) error {
	if Of(ctx).NewTopics == 0 {
		return nil
	}
	return topic.Of(l).Create(context.Background(), l, topic.Plan{Partitions: partitions, Retention: retention})
}

// retention is the retention time for private topics that a stage creates. An operator has this day to repair a failed
// run.
const retention = 24 * time.Hour

// createTopic begins a stream in each of the topic's partitions. If the topic is not shared, it must hold no other
// stream.
func createTopic(ctx context.Context, name string, h *wire.Header, compression string,
	shared bool) ([]*StreamWriter, error) {
	l, err := outputTopic(name, h.Side)
	if err != nil {
		return nil, err
	}
	if err := create(ctx, l, Of(ctx).NewTopics); err != nil {
		return nil, err
	}
	if !shared {
		if _, err := tails(l, h); err != nil {
			return nil, err
		}
	}
	appenders, err := topic.Of(l).Append(context.Background(), l)
	if err != nil {
		return nil, err
	}
	return appendStreams(appenders, h, compression)
}

func appendStreams(appenders []topic.Appender, h *wire.Header, compression string) ([]*StreamWriter, error) {
	writers := make([]*StreamWriter, len(appenders))
	for i, a := range appenders {
		w, err := newStream(topicOutput{a}, h, compression)
		if err != nil {
			for _, a := range appenders {
				a.Close()
			}
			return nil, err
		}
		writers[i] = w
	}
	return writers, nil
}

// topicOutput writes a stream to a partition.
type topicOutput struct{ topic.Appender }

// Cheap implements output. What each round sends through a topic is stored: see SCALE.md of the recipes for Kafka,
// section 9, for bytes and times. Releases become much smaller, and a topic keeps them for ever; a topic of documents
// is written once.
func (o topicOutput) Cheap(kind wire.Kind) bool {
	return kind == wire.Kind_ROUNDS || kind == wire.Kind_CONTRIBUTIONS || kind == wire.Kind_PARAMETERS
}

// Sends implements output.
func (o topicOutput) Sends() bool { return true }

// Commit implements output. The end record's frame was flushed, and all frames before it.
func (o topicOutput) Commit() error { return o.Close() }

// Abort implements output.
func (o topicOutput) Abort() { o.Close() }

// A Tail says how far a stream has come in one partition.
type Tail struct {
	Closed uint32 // the last complete round or set
	Midway bool   // the partition has a part of the next round or set
	Ended  bool
	New    bool // the partition never had a message
}

// Tails returns how far the stream with header h has come in each partition. It refuses a topic that holds
// another stream. Other endpoints begin empty, and Tails returns nil for them.
func Tails(ctx context.Context, name string, h *wire.Header) ([]Tail, error) {
	if !topic.Is(name) {
		return nil, nil
	}
	l, err := outputTopic(name, h.Side)
	if err == nil {
		err = create(ctx, l, Of(ctx).NewTopics)
	}
	if err != nil {
		return nil, err
	}
	return tails(l, h)
}

func tails(l *topic.Location, h *wire.Header) ([]Tail, error) {
	last, err := topic.Of(l).Tails(context.Background(), l)
	if err != nil {
		return nil, err
	}
	tails := make([]Tail, len(last))
	for i, t := range last {
		if t.Frame == nil {
			tails[i].New = t.Offset == 0
			continue
		}
		there, err := stream.HeaderOf(t.Frame)
		if err != nil {
			return nil, exit.Errorf(exit.Malformed, "%s[%d]: the message at offset %d: %w", l.Topic,
				max(l.Partition, i), t.Offset, err)
		}
		if wire.OtherSettings(there, h) {
			return nil, exit.Errorf(exit.Usage,
				"%s: holds contributions that were made under other settings of estep than these", l).
				WithHint("all workers of a run need the same flags and the same version")
		}
		if !proto.Equal(there, h) {
			return nil, exit.Errorf(exit.Usage, "%s: holds another stream (%s of run %q): its %s",
				l, there.Kind, there.Run, wire.Differences(there, h)).
				WithHint("each run needs topics of its own, which topics.sh makes")
		}
		tails[i] = Tail{Closed: closed(t.Mark), Midway: !t.Closes && !t.Ends, Ended: t.Ends}
	}
	return tails, nil
}

// closed returns the last round that can be complete, by the mark of the last frame. If the frame is within round R,
// this is R-1: rounds may be missing, but the existing rounds are in order.
func closed(m stream.Mark) uint32 {
	if m.Closes || m.Ends {
		return m.Round
	}
	return m.Round - min(m.Round, 1)
}

// one returns a topic's only stream. If the topic has several partitions, one drops their streams and returns an error.
func one[T any](name string, streams []T, drop func(T)) (T, error) {
	if len(streams) != 1 {
		for _, s := range streams {
			drop(s)
		}
		return *new(T), exit.Errorf(exit.Usage, "%s: has %d partitions, and one stream needs one partition", name,
			len(streams)).
			WithHint("name one with partition=0, or make the topic with one")
	}
	return streams[0], nil
}

func drop[T io.Closer](input T) { input.Close() }
