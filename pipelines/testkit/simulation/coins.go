package simulation

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"privpipe/pipelines/testkit/simulation/effect"
)

// Coins give processes their random bytes. The bytes depend on the seed, the process and the place in the code. If
// Again is nil, they depend on the life of the process, too: a second noise for one round is another noise. Otherwise
// each life draws the same, and the bytes depend on Again: then a run with kills makes what a run without them makes.
type Coins struct {
	Seed  uint64
	Again func(process string) int

	mutex   sync.Mutex
	streams map[string]*rand.ChaCha8
}

// unique are the places with bytes that must only be unique: names of temporary files, fences.
var unique = []string{"/endpoint.", "/endpoint/"}

// Read implements rand.Source.
func (c *Coins) Read(p *effect.Process, place string, b []byte) {
	name, life, round := p.Name, p.Life, 0
	if c.Again != nil {
		round = c.Again(p.Name)
		if !slices.ContainsFunc(unique, func(u string) bool { return strings.Contains(place, u) }) {
			name, life = program(p), 0
		}
	}
	purpose := fmt.Sprint(c.Seed, name, life, round, place)
	key := fmt.Sprint(p.Name, p.Life, purpose)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.streams == nil {
		c.streams = make(map[string]*rand.ChaCha8)
	}
	if c.streams[key] == nil {
		c.streams[key] = rand.NewChaCha8(sha256.Sum256([]byte(purpose)))
	}
	c.streams[key].Read(b)
}
