// Package topic is the interface between endpoints and message brokers. A topic has partitions; a partition is a log of messages; a
// message is a frame of a stream. A transport registers itself under a scheme, the beginning of its names. Package conformance, below
// this one, tests a transport.
package topic

import (
	"context"
	"io"
	"strings"
	"time"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire/stream"
)

// Private is the end of the name of each topic of private records. No other name ends so.
const Private = ".private"

// A Location names a topic and says how to read it: SCHEME://HOST[:PORT][,…]/TOPIC[?KEY=VALUE[&…]].
type Location struct {
	Scheme  string   // the beginning of the name, with ://
	Brokers []string // HOST:PORT of some brokers of the cluster
	Topic   string
	// Group is the consumer group of an input. The programs that name it share the partitions.
	Group string
	// Session is how long a member of the group may be silent before its partitions go to others.
	Session time.Duration
	// Partition selects one partition; -1 selects all.
	Partition int
	// From is where an input begins: Start, Oldest, Newest, End, an offset or a time (RFC 3339). Empty is Start.
	From string
	// BrokerTime refuses messages with the time of their writer: where times decide which messages count, a writer could move those of others.
	BrokerTime bool
	// Whole says that the program reads the input to its end before it goes on.
	Whole bool
	// UntilEnd ends an input at the offset where the topic ended when it was opened, not at the end record.
	UntilEnd bool
	// Patience is how long a broker may be away before the program gives up.
	Patience time.Duration
}

// Values of Location.From.
const (
	Start  = "start"  // the topic's first message; an error if retention has deleted it
	Oldest = "oldest" // the first message that retention has left
	Newest = "newest" // the newest set of parameters
	End    = "end"    // after the last message
)

// String is the topic's name without the keys that say how to read it.
func (l *Location) String() string { return l.Scheme + strings.Join(l.Brokers, ",") + "/" + l.Topic }

// FromTime says whether From is a time.
func (l *Location) FromTime() bool {
	_, err := time.Parse(time.RFC3339, l.From)
	return err == nil
}

// IsPrivate says whether the topic's name is that of a topic of private records.
func (l *Location) IsPrivate() bool { return strings.HasSuffix(l.Topic, Private) }

// A Transport reaches the topics of one kind of broker.
type Transport interface {
	// Parse parses the name of a topic. Its error does not show a password that the name may hold.
	Parse(name string) (*Location, error)

	// Find returns an error if a topic of streams or of text is missing. Partitions returns the number of partitions. Create creates a
	// missing topic, and refuses an existing topic that differs from the plan.
	Find(context.Context, *Location) error
	Partitions(context.Context, *Location) (int, error)
	Create(context.Context, *Location, Plan) error

	// Open opens the partitions of a location at the position that From names. OpenAt opens one partition at an offset; a negative
	// offset means the position that From names.
	Open(context.Context, *Location) ([]Log, error)
	OpenAt(ctx context.Context, l *Location, partition int, offset int64) (Log, error)

	// OpenText opens all partitions of a topic whose messages are texts.
	OpenText(context.Context, *Location) (Texts, error)

	// Append begins a stream in each partition of the location.
	Append(context.Context, *Location) ([]Appender, error)

	// OpenJournal opens a topic of one partition as a Journal.
	OpenJournal(context.Context, *Location) (Journal, error)

	// Tails returns the last message of each partition. Search returns the last wanted mark of a partition, nil if there is none. The frames
	// decide what a mark is: the headers of messages are hints, which anybody may write.
	Tails(context.Context, *Location) ([]Tail, error)
	Search(ctx context.Context, l *Location, wanted func(stream.Mark) bool) (*stream.Mark, error)

	// Join makes the program a member of the location's group; answers is the topic to which all members write. Hints returns the note
	// of the group for each partition. Stands says whether a partition bears out such a note.
	Join(l *Location, answers string) (Member, error)
	Hints(context.Context, *Location) ([]Hint, error)
	Stands(context.Context, *Location, Hint) (bool, error)
}

// Texts are the messages of a topic. Read them by Read, as lines, or by Message, not by both.
type Texts interface {
	io.ReadCloser
	Message(wait bool) (*Text, error) // the next message; without wait nil if none is there yet; io.EOF after the last
}

// A Text is a message of a topic of texts.
type Text struct {
	Partition string // the name of topic and partition, for messages
	Offset    int64
	Content   []byte // the caller may keep it
}

// A Log is a partition that is open for reading. Read it by Frame or by Found, not by both.
type Log interface {
	stream.Source
	io.Closer
	Found() (stream.Found, error) // what the frame of the next message says; messages of other programs than stages are skipped

	Name() string // the name of topic and partition, for messages
	Location() *Location
	Partition() int
	Next() int64                // offset after the last frame that was read
	Drained() time.Time         // Frame has returned every message that the partition had at this time
	Note(round, planned uint32) // commits to the location's group that a round is done: a hint
	Context() context.Context   // ends with the log
	Stop(cause error)           // makes a waiting read return the cause
}

// An Appender writes a stream to a partition. Readers get each frame once, even if a retry stores it twice.
type Appender interface {
	stream.FrameWriter
	io.WriteCloser            // Write is not supported
	Flush() error             // waits until all replicas have all frames that were written
	Context() context.Context // ends with the appender, or when the partition lost frames that were written
}

// A Member shares the partitions of a topic with the other members of its consumer group.
type Member interface {
	io.Closer
	// Note commits the progress in a partition.
	Note(ctx context.Context, partition int, h Hint)
	// Share calls work concurrently for each partition that is assigned to this member. It cancels a call when its partition is
	// assigned to another member. It returns when finished says that no member has work left, or when a call of work fails.
	Share(ctx context.Context, work func(ctx context.Context, partition int) error, finished func(context.Context) (bool, error)) error
}

// A Journal is a topic of one partition, to which programs append entries. All programs read the entries in the same order.
type Journal interface {
	io.Closer
	Append(entry []byte) error // waits until all replicas have the entry. A retry may store it twice; after an error it may be stored or not
	Read() ([][]byte, error)   // all entries that were appended before the call, and perhaps later ones
	Name() string
}

// A Plan describes a topic to create.
type Plan struct {
	Partitions int
	Replicas   int           // copies of each partition, each on its own broker; 0: the default of the cluster
	Retention  time.Duration // how long a private topic keeps its messages; a public topic keeps them for ever
}

// A Tail is the last message of a partition. Messages with only a header are passed over: they say nothing of the stream's progress. The Round
// of an end is that of the last round or set before it.
type Tail struct {
	Frame  []byte // nil: the partition is empty
	Offset int64
	stream.Mark
}

// A Hint is the progress in a partition that a group commits to the broker. Other programs may commit offsets too, so a hint decides
// nothing by itself: see Transport.Stands.
type Hint struct {
	Offset  int64  // the offset of the next message; negative: there is no hint
	Round   uint32 // the last round that is done; 0: no stage wrote a note
	Planned uint32 // the number of planned rounds; 0 if it is not known
	Ended   bool   // the whole stream is done
}

// transports by the beginning of their names, with ://.
var transports = make(map[string]Transport)

// Register registers a transport for names that begin with a scheme, such as "kafka://". The package of a transport calls Register in
// its init function, and a program links the package by an import.
func Register(scheme string, t Transport) { transports[scheme] = t }

// Any says whether this program has a transport for topics.
func Any() bool { return len(transports) > 0 }

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
