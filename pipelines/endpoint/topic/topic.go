// Package topic is the interface between endpoints and message brokers. A topic has partitions; a partition is a log of
// messages; a message is a frame of one stream. A transport registers itself under a scheme, the beginning of its
// names. TestConformance of package kafka tests a transport.
package topic

import (
	"context"
	"io"
	"strings"
	"time"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire/stream"
)

// Private is the suffix of each private topic's name. No other name has this suffix.
const Private = ".private"

// A Location names a topic and says how to read it: SCHEME://HOST[:PORT][,…]/TOPIC[?KEY=VALUE[&…]].
type Location struct {
	Scheme  string   // the beginning of the name, with ://
	Brokers []string // HOST:PORT of some brokers in the cluster
	Topic   string
	// Group is the consumer group of an input. Programs with the same group share the partitions.
	Group string
	// Session limits a group member's silence. A member that is silent for longer loses its partitions to others.
	Session time.Duration
	// Partition selects one partition; -1 selects all.
	Partition int
	// From says where an input begins: Start, Oldest, Newest, End, an offset or a time (RFC 3339). Empty means Start.
	From string
	// BrokerTime refuses messages that their writer stamped. Where times decide which messages count, a writer could
	// move the messages of other writers.
	BrokerTime bool
	// Whole says that the program reads the input to its end before it goes on.
	Whole bool
	// UntilEnd ends an input at the topic's end when it was opened, not at the end record.
	UntilEnd bool
	// Patience limits how long a broker may be away before the program gives up.
	Patience time.Duration
}

// Values of Location.From.
const (
	Start  = "start"  // the topic's first message; an error if retention has deleted it
	Oldest = "oldest" // the first message that retention has left
	Newest = "newest" // the newest set of parameters
	End    = "end"    // after the last message
)

// String returns the topic's name without the query.
func (l *Location) String() string { return l.Scheme + strings.Join(l.Brokers, ",") + "/" + l.Topic }

// FromTime says whether From is a time.
func (l *Location) FromTime() bool {
	_, err := time.Parse(time.RFC3339, l.From)
	return err == nil
}

// IsPrivate says whether the topic is for private records, by its name.
func (l *Location) IsPrivate() bool { return strings.HasSuffix(l.Topic, Private) }

// A Transport reaches the topics of one kind of broker.
type Transport interface {
	// Parse parses a topic name. Its error does not show a password that the name may hold.
	Parse(name string) (*Location, error)

	// Find returns an error if a topic for streams or for text is missing. Partitions returns the number of partitions.
	// Create creates a missing topic, and refuses an existing topic that differs from the plan.
	Find(context.Context, *Location) error
	Partitions(context.Context, *Location) (int, error)
	Create(context.Context, *Location, Plan) error

	// Open opens the location's partitions at the position that From names. OpenAt opens one partition at an offset; a
	// negative offset means the position that From names.
	Open(context.Context, *Location) ([]Log, error)
	OpenAt(ctx context.Context, l *Location, partition int, offset int64) (Log, error)

	// OpenText opens all partitions in a text topic.
	OpenText(context.Context, *Location) (Texts, error)

	// Append begins a stream in each partition of the location.
	Append(context.Context, *Location) ([]Appender, error)

	// OpenJournal opens a topic with one partition as a Journal.
	OpenJournal(context.Context, *Location) (Journal, error)

	// Tails returns the last message of each partition. Search returns the last wanted mark in a partition, nil if
	// there is none. The frames decide which marks exist: the headers of messages are hints, which anybody may write.
	Tails(context.Context, *Location) ([]Tail, error)
	Search(ctx context.Context, l *Location, wanted func(stream.Mark) bool) (*stream.Mark, error)

	// Join makes the program a member of the location's group; all members write to the topic answers. Hints returns
	// the group's note for each partition. Stands says whether a partition's messages confirm such a note.
	Join(l *Location, answers string) (Member, error)
	Hints(context.Context, *Location) ([]Hint, error)
	Stands(context.Context, *Location, Hint) (bool, error)
}

// Texts are the messages of a text topic. Read them either by Read, as lines, or by Message, never by both.
type Texts interface {
	io.ReadCloser
	// the next message; io.EOF after the last one; without wait, nil if none has come yet
	Message(wait bool) (*Text, error)
}

// A Text is a message in a text topic.
type Text struct {
	Partition string // the name of topic and partition, for error messages
	Offset    int64
	Key       []byte // nil: none; the caller may keep it, the headers and the content
	Headers   []Header
	Content   []byte
}

// A Header is a header of a message. A message may have several of one name.
type Header struct {
	Name  string
	Value []byte // nil: none
}

// A Log is a partition that is open for reading. Read it either by Frame or by Found, never by both.
type Log interface {
	stream.Source
	io.Closer
	// summarizes the frame in a stage's next message; skips messages of programs that are no stages, and after the
	// first call messages that close and end nothing by their headers
	Found() (stream.Found, error)

	Name() string // the name of topic and partition, for error messages
	Location() *Location
	Partition() int
	Next() int64                // the offset after the last frame that was read
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

// A Member shares a topic's partitions with the other members of its consumer group.
type Member interface {
	io.Closer
	// Note commits the progress in a partition.
	Note(ctx context.Context, partition int, h Hint)
	// Share calls work concurrently for each partition that is assigned to this member. It cancels a call when its
	// partition is assigned to another member. It returns when finished says that no member has work left, or when work
	// fails.
	Share(ctx context.Context, work func(ctx context.Context, partition int) error,
		finished func(context.Context) (bool, error)) error
}

// A Journal is a topic with one partition. Programs append entries to it, and all programs read the entries in the same
// order.
type Journal interface {
	io.Closer
	// Append waits until all replicas have the entry. A retry may store the entry twice; after an error the entry may
	// or may not be stored.
	Append(entry []byte) error
	// Read returns the entries that were appended before the call, and perhaps later ones. It leaves out the first, as
	// many as the number says.
	Read(first int) ([][]byte, error)
	Name() string
}

// A Plan describes a topic to create.
type Plan struct {
	Partitions int
	Replicas   int           // copies of each partition, each on a separate broker; 0: the cluster's default
	Retention  time.Duration // how long a private topic keeps its messages; a public topic keeps them for ever
}

// A Tail is a partition's last message. Messages with only a header are skipped: they say nothing about the stream's
// progress. For an end record, Round is the last round or set before it.
type Tail struct {
	Frame  []byte // nil: the partition is empty
	Offset int64
	stream.Mark
}

// A Hint is the progress in a partition that a group commits to the broker. Other programs may commit offsets, too. So
// a hint decides nothing by itself: see Transport.Stands.
type Hint struct {
	Offset  int64  // the offset of the next message; negative: there is no hint
	Round   uint32 // the last round that is done; 0: no stage wrote a note
	Planned uint32 // the number of planned rounds; 0 if it is not known
	Ended   bool   // the whole stream is done
}

// transports has the linked transports by scheme, with ://.
var transports = make(map[string]Transport)

// Register registers a transport for names that begin with a scheme, such as "kafka://". A transport's package calls
// Register in its init function, and a program links the package by an import.
func Register(scheme string, t Transport) { transports[scheme] = t }

// Any says whether this program has a transport for topics.
func Any() bool { return len(transports) > 0 }

// Is says whether a name is a topic name, also if this program lacks the transport.
func Is(name string) bool { return scheme(name) != "" }

// known has the schemes of all transports in this project.
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

// Parse parses a topic name.
func Parse(name string) (*Location, error) {
	t, ok := transports[scheme(name)]
	if !ok && !Is(name) {
		return nil, exit.Errorf(exit.Usage, "not the name of a topic").WithHint("%sHOST[:PORT]/TOPIC", known[0])
	}
	if !ok {
		return nil, exit.Errorf(exit.Usage, "%s…: this program has no transport for topics", scheme(name)).
			WithHint("stages beside program networked have one, and evaluate has none: see pipelines/install/README.md")
	}
	return t.Parse(name)
}

// Of returns the transport of a location that Parse returned.
func Of(l *Location) Transport { return transports[l.Scheme] }
