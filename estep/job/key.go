package job

import (
	"crypto/rand"
	"errors"
	"io/fs"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
)

// Keyed are the flags of a model that throws secret coins.
type Keyed struct {
	Secret string `placeholder:"FILE" group:"Coins" help:"Key of the model's coins: 32 random bytes, the same for all workers of a run. A new one by default, which is of no use to topics: a document that comes again must get the same coins."`

	drawn bool
}

// Coins says that the model throws secret coins.
func (k Keyed) Coins() Keyed {
	k.drawn = true
	return k
}

// keySize is that of keys, in bytes.
const keySize = 32

// key returns the key of the coins, nil for a model that throws none.
func (k Keyed) key(j *Job) ([]byte, error) {
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
	key, err := endpoint.ReadKey(k.Secret, keySize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, exit.Errorf(exit.Missing, "--secret: %w", err).WithHint("(umask 077; head -c %d /dev/urandom > %s)", keySize, k.Secret)
	}
	return key, err
}
