package kafka

import (
	"context"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/wire/stream"
)

func init() { topic.Register(Scheme, transport{}) }

// transport implements topic.Transport for names that begin with kafka://.
type transport struct{}

func (transport) Parse(name string) (*Location, error)                     { return Parse(name) }
func (transport) Find(ctx context.Context, l *Location) error              { return Find(ctx, l) }
func (transport) Partitions(ctx context.Context, l *Location) (int, error) { return Partitions(ctx, l) }
func (transport) Create(ctx context.Context, l *Location, p Plan) error    { return Create(ctx, l, p) }
func (transport) Tails(ctx context.Context, l *Location) ([]Tail, error)   { return Tails(ctx, l) }
func (transport) Hints(ctx context.Context, l *Location) ([]Hint, error)   { return Hints(ctx, l) }

func (transport) Open(ctx context.Context, l *Location) ([]topic.Log, error) {
	logs, err := Open(ctx, l)
	return each[topic.Log](logs), err
}

func (transport) OpenAt(ctx context.Context, l *Location, partition int, offset int64) (topic.Log, error) {
	log, err := OpenAt(ctx, l, partition, offset)
	if err != nil {
		return nil, err
	}
	return log, nil
}

func (transport) OpenText(ctx context.Context, l *Location) (topic.Texts, error) {
	text, err := OpenText(ctx, l)
	if err != nil {
		return nil, err
	}
	return text, nil
}

func (transport) Append(ctx context.Context, l *Location) ([]topic.Appender, error) {
	appenders, err := Append(ctx, l)
	return each[topic.Appender](appenders), err
}

func (transport) OpenJournal(ctx context.Context, l *Location) (topic.Journal, error) {
	journal, err := OpenJournal(ctx, l)
	if err != nil {
		return nil, err
	}
	return journal, nil
}

func (transport) Search(ctx context.Context, l *Location, wanted func(stream.Mark) bool) (*stream.Mark, error) {
	return Search(ctx, l, wanted)
}

func (transport) Join(l *Location, answers string) (topic.Member, error) {
	member, err := Join(l, answers)
	if err != nil {
		return nil, err
	}
	return member, nil
}

func (transport) Stands(ctx context.Context, l *Location, h Hint) (bool, error) {
	return Stands(ctx, l, h)
}

// each converts values to an interface that they implement.
func each[I any, T any](values []T) []I {
	all := make([]I, len(values))
	for i, v := range values {
		all[i] = any(v).(I)
	}
	return all
}
