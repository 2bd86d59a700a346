package stream

import (
	"bytes"
	"errors"
	"fmt"

	"privpipe/pipelines/wire"
)

// sumClose checks that a partial sum is whole. Only its writer knows how many records went into it.
func (o *order) sumClose(c *wire.RoundClose) error {
	switch {
	case !o.summed:
		return fmt.Errorf("round %d closes without its sum", o.round)
	case o.matrix < len(o.header.Matrices):
		return o.missingBlocks()
	case c.Units != o.members:
		return fmt.Errorf("round %d does not name the units that it announces", o.round)
	}
	return nil
}

func (o *order) namedMembers(r *wire.Record, m *wire.Members) error {
	if err := o.belongs(r, wire.Kind_SUMS); err != nil {
		return err
	}
	if err := o.inRound(r); err != nil {
		return err
	}
	if o.summed {
		return errors.New("members come after their sum")
	}
	if o.last != nil && bytes.Compare(o.last, m.Keys[:wire.KeySize]) >= 0 {
		return errors.New("members are not in strictly ascending order")
	}
	o.members += uint64(len(m.Keys) / wire.KeySize)
	o.last = m.Keys[len(m.Keys)-wire.KeySize:]
	return nil
}

func (o *order) sum(r *wire.Record) error {
	if err := o.belongs(r, wire.Kind_SUMS); err != nil {
		return err
	}
	if err := o.inRound(r); err != nil {
		return err
	}
	if o.summed {
		return fmt.Errorf("round %d has a second sum", r.Round)
	}
	o.summed = true
	o.matrix, o.offset = 0, 0
	return nil
}
