package command

import (
	"context"
	"errors"
	"os"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
	"privpipe/sample/internal/coin"
	"privpipe/sample/internal/corpus"
)

// scheme is the sampling scheme that the flags ask for, over a number of units.
func (s *Command) scheme(units int) event.Scheme {
	flags := s.Flags
	if flags.Fixed.Size != 0 {
		flags.Fixed.Of = uint64(units)
	}
	return flags.Scheme(s.Rounds, s.Seed == nil)
}

// chooser prepares the scheme for a corpus. settings come from the header of the documents. begun says that the output
// already has rounds of the run.
func (s *Command) chooser(ctx context.Context, documents *corpus.Corpus, settings []byte,
	begun bool) (*coin.Chooser, *wire.Scheme, error) {
	digests := documents.Digests()
	if s.Fixed.Size > uint64(len(digests)) {
		// The number of units is private, and the scheme's own check would name it.
		return nil, nil, exit.Errorf(exit.Usage, "--fixed %d is more units than the corpus has", s.Fixed.Size)
	}
	scheme := s.scheme(len(digests))
	var throw coin.Throw
	switch {
	case scheme.Secret:
		secret, err := s.secret(ctx, begun)
		if err != nil {
			return nil, nil, err
		}
		throw = secret.Throw(coin.Purpose(scheme, s.RunName, s.Unit, settings))
		scheme.Coins = throw.Name()
	case s.Allocate:
		scheme.Coins = coin.Seed(*s.Seed).Name()
	}
	record, err := wire.SchemeOf(scheme)
	if err != nil {
		return nil, nil, exit.Errorf(exit.Usage, "%w", err)
	}
	if s.Seed != nil {
		chooser, err := coin.NewSeeded(scheme, digests, documents.Keys(), coin.Seed(*s.Seed))
		return chooser, record, err
	}
	chooser, err := coin.NewChooser(scheme, digests, documents.Keys(), throw)
	return chooser, record, err
}

// secret returns the key of the coins: the key in the file of --secret, otherwise a new key.
func (s *Command) secret(ctx context.Context, begun bool) (coin.Secret, error) {
	fresh := coin.NewSecret()
	if s.Secret == "" {
		return fresh, nil
	}
	stored, err := endpoint.ReadKey(ctx, s.Secret, len(fresh))
	if errors.Is(err, os.ErrNotExist) {
		if begun {
			return fresh, exit.Errorf(exit.Missing, "%s: the key is missing, but earlier rounds were drawn with it",
				s.Secret)
		}
		return fresh, endpoint.WriteFile(ctx, s.Secret, wire.Side_PRIVATE, fresh[:])
	}
	if err != nil {
		return fresh, err
	}
	return coin.Secret(stored), nil
}
