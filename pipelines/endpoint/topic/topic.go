// Package topic says what endpoints want of a message broker: topics of partitions, each a log of messages, of which one is a
// frame of a stream. A transport registers itself under the beginning of its names; package conformance, below this one, checks
// what it must keep to.
package topic

import (
	"context"
	"io"
	"strings"
	"time"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire/stream"
)

// Private is how the names of topics end that hold private records, and of no others.
const Private = ".private"

// A Location is a topic and how to read it: SCHEME://HOST[:PORT][,…]/TOPIC[?KEY=VALUE[&…]].
type Location struct {
	Scheme  string   // how the name begins, with ://
	Brokers []string // HOST:PORT, some of the cluster's
	Topic   string
	// Group shares the partitions of an input among the programs that name it.
	Group string
	// Session is how long a member of the group may be silent before its partitions go to others.
	Session time.Duration
	// Partition is the one that is meant, -1 for all.
	Partition int
	// From is where an input begins: Start, Oldest, Newest, End, an offset or a time (RFC 3339). Empty is Start.
	From string
	// UntilEnd makes an input end where the topic ends at its opening, rather than at the end record.
	UntilEnd bool
	// Patience is how long a broker may be away before the program gives up.
	Patience time.Duration
}

// Values of Location.From.
const (
	Start  = "start"  // the topic's first message, which retention must not have taken yet
	Oldest = "oldest" // the first message that retention has left
	Newest = "newest" // the newest set of parameters
	End    = "end"    // after the last message
)

// String is the topic's name without how it is read.
func (l *Location) String() string { return l.Scheme + strings.Join(l.Brokers, ",") + "/" + l.Topic }

// IsPrivate says whether the topic's name allows private records in it, and no others.
func (l *Location) IsPrivate() bool { return strings.HasSuffix(l.Topic, Private) }

// A Transport reaches the topics of brokers of a kind.
type Transport interface {
	// Parse reads the name of a topic. The error does not show a password that may be in it.
	Parse(name string) (*Location, error)

	// Find says whether a topic is there, of streams or of text, and Partitions how many partitions it has. Create makes it, if
	// it is not there, and refuses one that is there and otherwise.
	Find(context.Context, *Location) error
	Partitions(context.Context, *Location) (int, error)
	Create(context.Context, *Location, Plan) error

	// Open opens the partitions that a location means, where it says; OpenAt one of them at an offset, which is negative for
	// where the location says.
	Open(context.Context, *Location) ([]Log, error)
	OpenAt(ctx context.Context, l *Location, partition int, offset int64) (Log, error)

	// OpenText opens a topic whose messages are lines of text, of all partitions together.
	OpenText(context.Context, *Location) (io.ReadCloser, error)

	// Append begins a stream in each partition that the location means.
	Append(context.Context, *Location) ([]Appender, error)

	// OpenJournal opens a topic of one partition, to which programs append entries that all read in one order.
	OpenJournal(context.Context, *Location) (Journal, error)

	// Tails returns the last message of each partition. Search returns the mark of the last message of one partition that is
	// wanted, nil where there is none.
	Tails(context.Context, *Location) ([]Tail, error)
	Search(ctx context.Context, l *Location, wanted func(stream.Mark) bool) (*stream.Mark, error)

	// Join makes the program a member of the location's group, whose answers go to a topic. Hints returns what the group has
	// noted of each partition; Stands says whether a partition bears out such a note.
	Join(l *Location, answers string) (Member, error)
	Hints(context.Context, *Location) ([]Hint, error)
	Stands(context.Context, *Location, Hint) (bool, error)
}

// A Log is a partition that is read. A log is read by Frame or by Labelled.
type Log interface {
	stream.Source
	io.Closer
	Labelled() (Labelled, error) // the next message of a program of ours; those of others are passed over

	Name() string // of topic and partition, for messages
	Location() *Location
	Partition() int
	Next() int64                // offset after the last frame that was read
	Drained() time.Time         // when the log was last found read to its end, by the broker's clock
	Note(round, planned uint32) // tells the location's group that a round is done: a hint
	Context() context.Context   // ends with the log
	Stop(cause error)           // makes what waits for a message return the cause
}

// An Appender writes a stream to a partition: each frame is there once, whatever is sent again.
type Appender interface {
	stream.FrameWriter
	io.WriteCloser            // Write is not supported
	Flush() error             // waits until all replicas have what was written
	Context() context.Context // ends with the appender, or when what was written can no longer be confirmed
}

// A Member shares the partitions of a topic with the other programs of its group.
type Member interface {
	io.Closer
	// Note notes how far a partition was worked off.
	Note(ctx context.Context, partition int, h Hint)
	// Share does the work of the partitions that are assigned to this member, side by side, and ends a work's context where its
	// partition is assigned to another. It goes on until finished says that nothing is left for anyone, or a work fails.
	Share(ctx context.Context, work func(ctx context.Context, partition int) error, finished func(context.Context) (bool, error)) error
}

// A Journal is a topic of one partition whose entries all programs read in one order.
type Journal interface {
	io.Closer
	Append(entry []byte) error // waits until all replicas have it. It may be there twice, and after an error once
	Read() ([][]byte, error)   // all entries, those that were appended before the call among them
	Name() string
}

// A Plan is what a topic is to be.
type Plan struct {
	Partitions int
	Replicas   int           // copies of each partition, on brokers of their own; 0: as many as the cluster makes unasked
	Retention  time.Duration // how long a private topic keeps its messages; public ones keep theirs
}

// A Tail is the last message of a partition.
type Tail struct {
	Frame  []byte // nil: the partition is empty
	Offset int64
	stream.Mark
}

// A Labelled is a message by its headers: what it holds is not looked at.
type Labelled struct {
	Frame []byte
	First bool // of a writer, and so with the stream's header
	stream.Mark
}

// A Hint is what a group notes about a partition with the broker: how far it was worked off. Others may commit offsets of their
// own, so it decides nothing by itself: see Transport.Stands.
type Hint struct {
	Offset  int64  // of the next message; negative: there is no hint
	Round   uint32 // the last round that was worked off; 0: there is no note of ours
	Planned uint32 // how many rounds are planned, 0 where that is not known
	Ended   bool   // the whole stream was worked off
}

// transports by the beginning of their names, with ://.
var transports = make(map[string]Transport)

// Register makes a transport the one of names that begin with a scheme, such as "kafka://". It is for the initialization of a
// transport's package, which a program links by an import.
func Register(scheme string, t Transport) { transports[scheme] = t }

// Is says whether a name is of a topic of some transport, which this program may lack.
func Is(name string) bool { return scheme(name) != "" }

// known are the schemes of all transports of this project.
var known = []string{"kafka://"}

func scheme(name string) string {
	for s := range transports {
		if strings.HasPrefix(name, s) {
			return s
		}
	}
	for _, s := range known {
		if strings.HasPrefix(name, s) {
			return s
		}
	}
	return ""
}

// Parse reads the name of a topic.
func Parse(name string) (*Location, error) {
	t, ok := transports[scheme(name)]
	if !ok && !Is(name) {
		return nil, exit.Errorf(exit.Usage, "not the name of a topic").WithHint("%sHOST[:PORT]/TOPIC", known[0])
	}
	if !ok {
		return nil, exit.Errorf(exit.Usage, "%s…: this program has no transport for topics", scheme(name)).
			WithHint("it was built with -tags pipes, for files and pipes only")
	}
	return t.Parse(name)
}

// Of returns the transport of a location that Parse returned.
func Of(l *Location) Transport { return transports[l.Scheme] }
