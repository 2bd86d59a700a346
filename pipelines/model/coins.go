package model

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
)

// Coins give a worker random numbers for one document. A model names each use, so that different uses get independent
// numbers.
type Coins struct {
	// Document is the document that the coins are for.
	Document *wire.Document

	// Key is Secret's key. Scope separates rounds, and runs with different names under one key.
	Key   []byte
	Scope string
}

// Scope returns the scope for a round's coins. Two runs with the same name have the same scopes, and so have two runs
// without a name.
func Scope(run string, round uint32) string { return fmt.Sprintf("%d\n%s", round, run) }

// Public returns random numbers that are not secret. They depend only on the document's words and their counts or
// values. They do not depend on its id or its user, which may depend on other documents. So they are the same in every
// round, and the same for equal documents.
func (c *Coins) Public(use string) *rand.Rand {
	b := append([]byte("privpipe coins\n"), use...)
	b = append(b, '\n')
	for i, gap := range c.Document.WordGaps {
		b = binary.AppendUvarint(b, uint64(gap))
		if len(c.Document.Counts) > 0 {
			b = binary.AppendUvarint(b, uint64(c.Document.Counts[i]))
		}
	}
	b = append(b, c.Document.Values...)
	sum := sha256.Sum256(b)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])))
}

// Secret returns random numbers that are indistinguishable from independent uniform numbers without the key: ChaCha8
// under HMAC-SHA256 of use, scope, user and id. A document that is delivered again in the same round gets the same
// numbers. Every other round, and every run with another name or key, has other numbers. Equal documents have
// independent numbers. Names only distinguish documents: different names give independent numbers, so a contribution's
// distribution does not depend on a name.
//
// Without a key it returns an error: Keyed in job.Work makes one.
func (c *Coins) Secret(use string) (*rand.Rand, error) {
	if len(c.Key) == 0 {
		return nil, exit.Errorf(exit.Internal,
			"a bug: the model draws secret coins without a key: its command must set Keyed in job.Work")
	}
	mac := hmac.New(sha256.New, c.Key)
	for _, part := range []string{"privpipe secret coins", use, c.Scope, c.Document.User, c.Document.Id} {
		mac.Write(binary.AppendUvarint(nil, uint64(len(part))))
		mac.Write([]byte(part))
	}
	return rand.New(rand.NewChaCha8([32]byte(mac.Sum(nil)))), nil
}
