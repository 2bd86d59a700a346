package model

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"

	"privpipe/pipelines/wire"
)

// Coins returns the random numbers of a document for a use, which a model names to keep it apart from its other uses. They
// follow from the words of the document and their counts alone: not from its id or its user, which may depend on other
// documents. So they are the same in every round, and equal documents have the same. They are no secret.
func Coins(d *wire.Document, use string) *rand.Rand {
	b := append([]byte("privpipe coins\n"), use...)
	b = append(b, '\n')
	for i, count := range d.Counts {
		b = binary.AppendUvarint(b, uint64(d.WordGaps[i]))
		b = binary.AppendUvarint(b, uint64(count))
	}
	sum := sha256.Sum256(b)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])))
}
