package pld

import (
	"slices"
	"sync"
)

// recent are the last allocations: a search asks for its last one again, and so does the answer after it.
var recent allocations

const mostRecent = 16

type allocations struct {
	sync.Mutex
	pairs []*Pair // the last one first
}

// pair returns the pair with this name. make works it out, with cells so far apart.
func (a *allocations) pair(id string, make func(apart float64) *Pair) *Pair {
	a.Lock()
	defer a.Unlock()
	p := &Pair{
		id:    id,
		exact: sync.OnceValue(func() *Pair { return make(fineness) }),
		rough: sync.OnceValue(func() *Pair { return make(roughness) }),
	}
	if i := slices.IndexFunc(a.pairs, func(p *Pair) bool { return p.id == id }); i >= 0 {
		p = a.pairs[i]
		a.pairs = slices.Delete(a.pairs, i, i+1)
	}
	a.pairs = slices.Insert(a.pairs, 0, p)
	a.pairs = a.pairs[:min(len(a.pairs), mostRecent)]
	return p
}
