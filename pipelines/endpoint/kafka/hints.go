package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/segmentio/kafka-go"

	"privpipe/pipelines/endpoint/topic"
)

// A Hint is what a group notes about a partition.
type Hint = topic.Hint

// noteOf is what a hint says beside its offset.
func noteOf(h Hint) string {
	if h.Ended {
		return "end"
	}
	return fmt.Sprintf("round %d of %d", h.Round, h.Planned)
}

// readNote reads a note into a hint. Where another program committed, there is none, and it says no round.
func readNote(h *Hint, note string) {
	h.Ended = note == "end"
	fmt.Sscanf(note, "round %d of %d", &h.Round, &h.Planned)
}

// Hints returns what the location's group has noted of each partition.
func Hints(ctx context.Context, l *Location) ([]Hint, error) {
	c, partitions, err := reach(ctx, l)
	if err != nil {
		return nil, err
	}
	defer c.leave()
	hints := make([]Hint, len(partitions))
	err = c.retry(ctx, "look for what group "+l.Group+" noted", func(ctx context.Context) error {
		r, err := c.kafka.OffsetFetch(ctx, &kafka.OffsetFetchRequest{
			GroupID: l.Group, Topics: map[string][]int{l.Topic: partitions},
		})
		if err != nil {
			return err
		}
		if errors.Is(r.Error, kafka.GroupIdNotFound) { // it has noted nothing
			for i := range hints {
				hints[i].Offset = -1
			}
			return nil
		}
		if r.Error != nil {
			return r.Error
		}
		found := r.Topics[l.Topic]
		if len(found) != len(partitions) {
			return errors.New("the broker answers about other partitions")
		}
		for i, partition := range partitions {
			for _, f := range found {
				if f.Partition == partition {
					hints[i] = Hint{Offset: f.CommittedOffset}
					readNote(&hints[i], f.Metadata)
					err = errors.Join(err, f.Error)
				}
			}
		}
		return err
	})
	return hints, err
}

// Note notes in the location's group, if it names one, that the log was worked off up to where it is. The group must have no
// members. What fails is made good by the next note.
func (l *Log) Note(round, planned uint32) {
	if l.client.Group != "" {
		l.client.note(l.context, l.partition, Hint{Offset: l.resume, Round: round, Planned: planned}, -1, "")
	}
}

func (c *client) note(ctx context.Context, partition int, h Hint, generation int, member string) error {
	ctx, cancel := context.WithTimeout(ctx, answer)
	defer cancel()
	r, err := c.kafka.OffsetCommit(ctx, &kafka.OffsetCommitRequest{
		GroupID: c.Group, GenerationID: generation, MemberID: member,
		Topics: map[string][]kafka.OffsetCommit{c.Topic: {{Partition: partition, Offset: h.Offset, Metadata: noteOf(h)}}},
	})
	if err != nil {
		return err
	}
	for _, p := range r.Topics[c.Topic] {
		err = errors.Join(err, p.Error)
	}
	return err
}
