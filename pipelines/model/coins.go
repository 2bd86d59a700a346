package model

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"privpipe/pipelines/wire"
)

// Coins are where a worker takes the random numbers for one document. A model names each use of them, to keep it apart from its
// other uses.
type Coins struct {
	// Document is the one that the coins are for.
	Document *wire.Document

	// Key is the secret of Secret, and Scope all that a use is kept apart by besides the document: run and round.
	Key   []byte
	Scope string
}

// Scope returns the scope of the coins of a round.
func Scope(run string, round uint32) string { return fmt.Sprintf("%d\n%s", round, run) }

// Public returns random numbers that are no secret. They follow from the words of the document and their counts alone: not from
// its id or its user, which may depend on other documents. So they are the same in every round, and equal documents have the
// same.
func (c *Coins) Public(use string) *rand.Rand {
	b := append([]byte("privpipe coins\n"), use...)
	b = append(b, '\n')
	for i, count := range c.Document.Counts {
		b = binary.AppendUvarint(b, uint64(c.Document.WordGaps[i]))
		b = binary.AppendUvarint(b, uint64(count))
	}
	sum := sha256.Sum256(b)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])))
}

// Secret returns random numbers that nobody can tell from independent uniform ones who lacks the key: ChaCha8 under
// HMAC-SHA256 of use, scope, user and id. They are the same when a document comes again in the same round, and others in
// another round or run. Equal documents have independent ones. The names only tell documents apart: whatever they are, numbers
// of different names are independent, so a name does not matter for the distribution of a contribution.
func (c *Coins) Secret(use string) *rand.Rand {
	if len(c.Key) == 0 {
		panic("no key for secret coins")
	}
	mac := hmac.New(sha256.New, c.Key)
	for _, part := range []string{"privpipe secret coins", use, c.Scope, c.Document.User, c.Document.Id} {
		mac.Write(binary.AppendUvarint(nil, uint64(len(part))))
		mac.Write([]byte(part))
	}
	return rand.New(rand.NewChaCha8([32]byte(mac.Sum(nil))))
}
