package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/segmentio/kafka-go"
)

// A Hint is what a group notes about a partition with the broker: how far it was worked off. Others may commit offsets of their
// own, so it decides nothing by itself: see Stands.
type Hint struct {
	Offset  int64  // of the next message; negative: there is no hint
	Round   uint32 // the last round that was worked off; 0: there is no note of ours
	Planned uint32 // how many rounds are planned, 0 where that is not known
	Ended   bool   // the whole stream was worked off
}

// note is what a hint says beside its offset.
func (h Hint) note() string {
	if h.Ended {
		return "end"
	}
	return fmt.Sprintf("round %d of %d", h.Round, h.Planned)
}

// readNote reads a note into a hint. Where another program committed, there is none, and it says no round.
func (h *Hint) readNote(note string) {
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
					hints[i].readNote(f.Metadata)
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
		Topics: map[string][]kafka.OffsetCommit{c.Topic: {{Partition: partition, Offset: h.Offset, Metadata: h.note()}}},
	})
	if err != nil {
		return err
	}
	for _, p := range r.Topics[c.Topic] {
		err = errors.Join(err, p.Error)
	}
	return err
}
