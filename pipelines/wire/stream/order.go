package stream

import (
	"errors"
	"fmt"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
)

// order checks the order of records in one stream: the grammar that SPEC.md gives for each kind.
type order struct {
	header *wire.Header

	round   uint32             // the open round or set of matrices, or the last one
	started bool               // round is set
	open    bool               // ROUNDS, CONTRIBUTIONS, SUMS, STATE: between RoundOpen and RoundClose
	records uint64             // in the open round
	more    *wire.Contribution // the record before, if the contribution goes on in this one
	parts   partOrder          // the order of the parts in the current contribution

	members uint64 // SUMS: number of units that the round names so far
	last    []byte // the key of the last unit
	summed  bool   // the round's Sum came

	matrix int    // RELEASES, PARAMETERS, CHECKPOINT, SUMS: the matrix that the next block must belong to
	offset uint64 // the next block's first cell
	words  uint32 // PARAMETERS, PREDICTIONS: the word that the next Words must begin with
}

func newOrder(h *wire.Header) order { return order{header: h, matrix: len(h.Matrices)} }

// admit checks that r may come next, and takes it.
func (o *order) admit(r *wire.Record) error {
	switch body := r.Body.(type) {
	case *wire.Record_Document:
		return o.document(r)
	case *wire.Record_RoundOpen:
		return o.roundOpen(r)
	case *wire.Record_RoundClose:
		return o.roundClose(r, body.RoundClose)
	case *wire.Record_Contribution:
		return o.contribution(r, body.Contribution)
	case *wire.Record_Release:
		return o.set(r, wire.Kind_RELEASES)
	case *wire.Record_Parameters:
		if o.header.Kind == wire.Kind_CHECKPOINT {
			return o.set(r, wire.Kind_CHECKPOINT)
		}
		return o.set(r, wire.Kind_PARAMETERS)
	case *wire.Record_Block:
		return o.block(r, body.Block)
	case *wire.Record_Words:
		return o.vocabulary(r, body.Words)
	case *wire.Record_Score:
		return o.scored(r, wire.Kind_SCORES)
	case *wire.Record_Prediction:
		return o.prediction(r)
	case *wire.Record_Terms:
		return o.outside(r, wire.Kind_TERMS)
	case *wire.Record_Members:
		return o.namedMembers(r, body.Members)
	case *wire.Record_Sum:
		return o.sum(r)
	}
	return fmt.Errorf("record %T is not allowed here", r.Body)
}

// finish checks that the stream may end here.
func (o *order) finish() error {
	switch {
	case o.open:
		return fmt.Errorf("stream ends inside round %d", o.round)
	case o.matrix < len(o.header.Matrices):
		return o.missingBlocks()
	case o.header.Kind == wire.Kind_STATE && !o.started:
		return errors.New("a state has no round")
	case o.words != 0 && o.words != o.header.VocabularySize:
		return fmt.Errorf("stream has %d words of a vocabulary of %d", o.words, o.header.VocabularySize)
	}
	return nil
}

// between says whether no round and no set of matrices is open.
func (o *order) between() bool { return !o.open && o.matrix == len(o.header.Matrices) }

func (o *order) belongs(r *wire.Record, kind wire.Kind) error {
	if o.header.Kind != kind {
		return fmt.Errorf("%s record in a stream of %s", bodyName(r), o.header.Kind)
	}
	return nil
}

// outside checks a record that belongs to no round.
func (o *order) outside(r *wire.Record, kind wire.Kind) error {
	if err := o.belongs(r, kind); err != nil {
		return err
	}
	if r.Round != 0 {
		return fmt.Errorf("%s of round %d is outside the rounds", bodyName(r), r.Round)
	}
	return nil
}

func bodyName(r *wire.Record) string {
	m := r.ProtoReflect()
	return string(m.WhichOneof(m.Descriptor().Oneofs().ByName("body")).Name())
}

func (o *order) document(r *wire.Record) error {
	if o.header.Kind == wire.Kind_DOCUMENTS {
		return o.outside(r, wire.Kind_DOCUMENTS)
	}
	if err := o.belongs(r, wire.Kind_ROUNDS); err != nil {
		return err
	}
	return o.inRound(r)
}

func (o *order) inRound(r *wire.Record) error {
	if !o.open || r.Round != o.round {
		return fmt.Errorf("%s of round %d is outside that round", bodyName(r), r.Round)
	}
	o.records++
	return nil
}

// next checks that the record's round comes after the round before. Rounds may be left out, as a resumed run does.
func (o *order) next(r *wire.Record) error {
	if o.started && r.Round <= o.round {
		return fmt.Errorf("round %d comes after round %d", r.Round, o.round)
	}
	if r.Round > event.MaxRounds {
		return fmt.Errorf("round %d is beyond %d", r.Round, event.MaxRounds)
	}
	o.round, o.started = r.Round, true
	return nil
}

func (o *order) roundOpen(r *wire.Record) error {
	switch o.header.Kind {
	case wire.Kind_CONTRIBUTIONS, wire.Kind_SUMS:
	case wire.Kind_STATE:
		if o.started {
			return errors.New("a state has a second round")
		}
	default:
		if err := o.belongs(r, wire.Kind_ROUNDS); err != nil {
			return err
		}
	}
	if o.open {
		return fmt.Errorf("round %d opens inside round %d", r.Round, o.round)
	}
	if r.Round == 0 {
		return errors.New("rounds are counted from 1")
	}
	o.open, o.records = true, 0
	o.members, o.last, o.summed = 0, nil, false
	return o.next(r)
}

func (o *order) roundClose(r *wire.Record, c *wire.RoundClose) error {
	if !o.open || r.Round != o.round {
		return fmt.Errorf("close of round %d, which is not open", r.Round)
	}
	if o.more != nil {
		return errors.New("round closes inside a contribution")
	}
	if o.header.Kind == wire.Kind_SUMS {
		if err := o.sumClose(c); err != nil {
			return err
		}
	} else if c.Records != o.records {
		return fmt.Errorf("round %d does not hold the records that it announces: records were lost or added", r.Round)
	}
	if c.Units > c.Records {
		return fmt.Errorf("round %d announces more units than records", r.Round)
	}
	o.open = false
	return nil
}

func (o *order) contribution(r *wire.Record, c *wire.Contribution) error {
	if o.header.Kind != wire.Kind_STATE {
		if err := o.belongs(r, wire.Kind_CONTRIBUTIONS); err != nil {
			return err
		}
	}
	if o.more != nil {
		if c.Unit != o.more.Unit || c.Record != o.more.Record || r.Round != o.round {
			return errors.New("contribution is not whole: another one follows before its last part")
		}
	} else if err := o.inRound(r); err != nil {
		return err
	}
	o.more = nil
	if c.More {
		o.more = c
	}
	return o.parts.take(o.header, c)
}

// partOrder checks that the parts in one contribution share no cell.
type partOrder struct {
	matrix, row uint32 // the last part's matrix and the first row after it
	more        bool   // the contribution goes on in the next record
}

// take takes the parts from the next contribution record.
func (o *partOrder) take(h *wire.Header, c *wire.Contribution) error {
	if !o.more {
		*o = partOrder{}
	}
	for _, p := range c.Parts {
		if err := o.admit(h, p); err != nil {
			return err
		}
	}
	o.more = c.More
	return nil
}

func (o *partOrder) admit(h *wire.Header, p *wire.Part) error {
	first, next := uint32(0), h.Matrices[p.Matrix].Rows
	if len(p.RowGaps) > 0 {
		first, next = p.RowGaps[0], 1
		for _, gap := range p.RowGaps {
			next += gap
		}
	}
	if p.Matrix < o.matrix || p.Matrix == o.matrix && first < o.row {
		return errors.New("parts of a contribution are not in ascending order of matrices and rows")
	}
	o.matrix, o.row = p.Matrix, next
	return nil
}

func (o *order) set(r *wire.Record, kind wire.Kind) error {
	if err := o.belongs(r, kind); err != nil {
		return err
	}
	if o.matrix < len(o.header.Matrices) {
		return o.missingBlocks()
	}
	if kind == wire.Kind_RELEASES && r.Round == 0 {
		return errors.New("rounds are counted from 1")
	}
	o.matrix, o.offset = 0, 0
	return o.next(r)
}

func (o *order) missingBlocks() error {
	return fmt.Errorf("blocks of matrix %q of round %d are missing from cell %d on", o.header.Matrices[o.matrix].Name,
		o.round, o.offset)
}

func (o *order) block(r *wire.Record, b *wire.Block) error {
	if o.matrix >= len(o.header.Matrices) || r.Round != o.round {
		return errors.New("block belongs to no announced matrix")
	}
	if int(b.Matrix) != o.matrix || b.Offset != o.offset {
		return o.missingBlocks()
	}
	m := o.header.Matrices[o.matrix]
	o.offset += uint64(len(b.Values) / m.Element.Size())
	if o.offset == uint64(m.Cells()) {
		o.matrix, o.offset = o.matrix+1, 0
	}
	return nil
}
