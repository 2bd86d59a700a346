package wire

import (
	"errors"

	"privpipe/pipelines/event"
)

var methods = map[Scheme_Method]string{
	Scheme_ALL:      event.All,
	Scheme_POISSON:  event.Poisson,
	Scheme_FIXED:    event.Fixed,
	Scheme_ALLOCATE: event.Allocate,
	Scheme_EPOCH:    event.Epoch,
}

// Event returns s in the form that grants and charges use. The error names the first rule that s breaks.
func (s *Scheme) Event() (event.Scheme, error) {
	if s == nil {
		return event.Scheme{}, errors.New("sampling scheme is missing")
	}
	e := event.Scheme{
		Method: methods[s.Method], Rate: s.Rate, Size: s.Size, Population: s.Population,
		Rounds: int(s.Rounds), Epochs: int(s.Epochs), Secret: s.Secret, Coins: s.Coins,
	}
	return e, e.Check()
}

// SchemeOf returns e as a record. The error names the first rule that e breaks.
func SchemeOf(e event.Scheme) (*Scheme, error) {
	if err := e.Check(); err != nil {
		return nil, err
	}
	s := &Scheme{
		Rate: e.Rate, Size: e.Size, Population: e.Population,
		Rounds: uint32(e.Rounds), Epochs: uint32(e.Epochs), Secret: e.Secret, Coins: e.Coins,
	}
	for method, name := range methods {
		if name == e.Method {
			s.Method = method
		}
	}
	return s, nil
}
