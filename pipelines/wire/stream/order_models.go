package stream

import (
	"errors"
	"fmt"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
)

// scored checks a score or a prediction. Its round is the round of the parameters behind it. A round may repeat, but
// not go back.
func (o *order) scored(r *wire.Record, kind wire.Kind) error {
	if err := o.belongs(r, kind); err != nil {
		return err
	}
	if r.Round < o.round {
		return fmt.Errorf("%s of round %d comes after one of round %d", bodyName(r), r.Round, o.round)
	}
	if r.Round > event.MaxRounds {
		return fmt.Errorf("round %d is beyond %d", r.Round, event.MaxRounds)
	}
	o.round, o.started = r.Round, true
	return nil
}

func (o *order) prediction(r *wire.Record) error {
	if o.words != o.header.VocabularySize {
		return errors.New("prediction comes before the names of all columns")
	}
	return o.scored(r, wire.Kind_PREDICTIONS)
}

func (o *order) vocabulary(r *wire.Record, w *wire.Words) error {
	kind := wire.Kind_PARAMETERS
	if o.header.Kind == wire.Kind_PREDICTIONS {
		kind = wire.Kind_PREDICTIONS
	}
	if err := o.outside(r, kind); err != nil {
		return err
	}
	if o.started {
		return errors.New("words come after the parameters or predictions that they name")
	}
	if w.First != o.words {
		return fmt.Errorf("words from %d on are missing", o.words)
	}
	o.words += uint32(len(w.Words))
	return nil
}
