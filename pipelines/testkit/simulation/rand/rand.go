// Package rand has the names of the standard library's package crypto/rand. Noise and coins come from the seed of the
// simulation, so no program outside of one may link it.
package rand

import (
	"io"

	"privpipe/pipelines/testkit/simulation/effect"
)

// A Source gives a process its random bytes.
type Source interface {
	// Read fills b for the code at a place: the name of a function.
	Read(p *effect.Process, place string, b []byte)
}

// sourceKey is the key of the process's source.
type sourceKey struct{}

// Give gives a process its source, before its first effect.
func Give(p *effect.Process, s Source) { p.Local(sourceKey{}, func() any { return s }) }

// Reader replaces crypto/rand.Reader.
var Reader io.Reader = reader{}

type reader struct{}

func (reader) Read(b []byte) (int, error) {
	p := effect.Current()
	source, ok := p.Local(sourceKey{}, func() any { panic("simulation: " + p.Name + " has no coins") }).(Source)
	if !ok {
		panic("simulation: no source")
	}
	source.Read(p, place(), b)
	return len(b), nil
}

// Read replaces crypto/rand.Read.
func Read(b []byte) (int, error) { return Reader.Read(b) }

// Text replaces crypto/rand.Text.
func Text() string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	b := make([]byte, 26)
	Read(b)
	for i := range b {
		b[i] = letters[b[i]%32]
	}
	return string(b)
}
