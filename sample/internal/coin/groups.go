package coin

import (
	"privpipe/sample/internal/corpus"
)

// A groups draws the rounds of event.Poisson from a throw. One pass over the units throws the coins for the round asked
// for and for the later rounds in its group. groups keeps the rounds that were not asked for yet: at most three, with
// one bit per unit each.
type groups struct {
	throw  Throw
	keys   []corpus.Key
	rate   float64
	rounds int // the scheme's number of rounds; a later round is drawn only if it is asked for

	group int // the group that sets belongs to
	sets  [GroupRounds]Set
}

// round draws the given round, from 1. It is fastest if rounds are asked for in their order.
func (g *groups) round(round int) Set {
	group, place := GroupOf(round)
	if group != g.group || g.sets[place] == nil {
		g.draw(group, place)
	}
	set := g.sets[place]
	g.sets[place] = nil
	return set
}

// draw draws the group's rounds from place from on.
func (g *groups) draw(group, from int) {
	g.group, g.sets = group, [GroupRounds]Set{}
	end := max(from+1, min(g.rounds-group*GroupRounds, GroupRounds))
	for place := from; place < end; place++ {
		g.sets[place] = NewSet(len(g.keys))
	}
	coins := g.throw.Group(group, g.rate)
	for at := 0; at < len(g.keys); at += 64 {
		falls := coins.Falls(g.keys[at:min(at+64, len(g.keys))])
		for place := from; place < end; place++ {
			g.sets[place][at/64] = falls[place]
		}
	}
}
