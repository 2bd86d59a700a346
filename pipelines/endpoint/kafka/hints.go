package kafka

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/segmentio/kafka-go"

	"privpipe/pipelines/endpoint/topic"
)

// A Hint is a group's note about its progress in a partition.
type Hint = topic.Hint

// noteOf encodes a hint as the text that is stored beside the committed offset.
func (c *client) noteOf(h Hint) string {
	note := "end"
	if !h.Ended {
		note = fmt.Sprintf("round %d of %d", h.Round, h.Planned)
	}
	if topic := c.identity.Load(); topic != nil && topic.id != (id{}) {
		note += noteTopic + topic.id.String()
	}
	return note
}

// noteTopic separates the progress in a note from the topic's id.
const noteTopic = " topic "

// readNote decodes a note into a hint. The note of another program cannot be decoded, and the hint then has no round. A
// note for another topic with the same name gives no hint.
func (c *client) readNote(h *Hint, note string) {
	note, of, named := strings.Cut(note, noteTopic)
	topic := c.identity.Load()
	if named && topic != nil && topic.id != (id{}) && of != topic.id.String() {
		*h = Hint{Offset: -1}
		return
	}
	h.Ended = note == "end"
	fmt.Sscanf(note, "round %d of %d", &h.Round, &h.Planned)
}

// Hints returns the note of the location's group for each partition. The offset is -1 where the group has committed
// none.
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
		if errors.Is(r.Error, kafka.GroupIdNotFound) { // the group has committed nothing
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
					c.readNote(&hints[i], f.Metadata)
					err = errors.Join(err, f.Error)
				}
			}
		}
		return err
	})
	return hints, err
}

// Note commits the position of the log to the location's group, if the location names a group. The group must have no
// members. Note reports no error, since the next note replaces a lost one.
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
		Topics: map[string][]kafka.OffsetCommit{c.Topic: {{Partition: partition, Offset: h.Offset,
			Metadata: c.noteOf(h)}}},
	})
	if err != nil {
		return err
	}
	for _, p := range r.Topics[c.Topic] {
		err = errors.Join(err, p.Error)
	}
	return err
}
