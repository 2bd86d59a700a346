package job

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
)

// Keyed are the flags for a model with secret coins.
type Keyed struct {
	Secret string `placeholder:"FILE" group:"Coins" help:"Read the key of the model's coins from FILE: 32 random bytes, the same for all workers of a run. Use a key for one run only: with the same key, run and round, a document gets the same coins again. The rounds must name their run (sample --run). By default the key is new and random. A topic needs --secret, because a redelivered document must get the same coins."`

	drawn bool
}

// Coins marks a model with secret coins.
func (k Keyed) Coins() Keyed {
	k.drawn = true
	return k
}

// keySize is the key's length in bytes.
const keySize = 32

// named refuses rounds that do not name their run if the key is stored in a file. Two runs without a name would throw
// the same coins.
func (k Keyed) named(run string) error {
	if k.Secret == "" || run != "" {
		return nil
	}
	return exit.Errorf(exit.Usage,
		"--secret needs rounds that name their run, because runs without a name have the same coins").
		WithHint("sample --run NAME")
}

// key returns the key of the coins. It is nil for a model without coins.
func (k Keyed) key(ctx context.Context, j *Job) ([]byte, error) {
	switch {
	case !k.drawn:
		return nil, nil
	case k.Secret == "" && endpoint.IsTopic(j.Input):
		return nil, exit.Errorf(exit.Usage, "this model needs --secret to answer a topic").
			WithHint("(umask 077; head -c %d /dev/urandom > FILE); it is as secret as the documents", keySize)
	case k.Secret == "":
		key := make([]byte, keySize)
		rand.Read(key) // never fails: it ends the process instead
		return key, nil
	}
	key, err := endpoint.ReadKey(ctx, k.Secret, keySize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, exit.Errorf(exit.Missing, "--secret: %w", err).
			WithHint("(umask 077; head -c %d /dev/urandom > %s)", keySize, k.Secret)
	}
	return key, err
}
