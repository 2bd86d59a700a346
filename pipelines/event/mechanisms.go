package event

import (
	"fmt"
	"maps"
	"slices"
)

// A mechanism is an entry in the table. The zero value belongs to a name that is not there: no claim follows from it.
type mechanism struct {
	pure      bool     // a pure ε, which is a guarantee with δ = 0
	l2        bool     // the noise hides an L2 norm
	bounding  string   // the clipping for grants that name none
	clippings []string // all clippings that a grant may have; "" stands for bounding
}

// mechanisms has each mechanism that a charge may name. A grant may name all except None. A package that turns a grant
// or a charge into noise, or into a loss, has a case for each name that it knows. It refuses all others. Its tests go
// over Mechanisms.
var mechanisms = map[string]mechanism{
	Gaussian: {
		l2: true, bounding: ClipUnit,
		clippings: []string{"", ClipUnit, ClipUnitL1, ClipBatch, ClipProved, ClipUnbounded},
	},
	Laplace: {
		pure: true, bounding: ClipUnitL1,
		clippings: []string{"", ClipUnitL1, ClipProved, ClipUnbounded}, // its noise hides an L1 norm
	},
	Select:             {l2: true, bounding: ClipUnit, clippings: []string{""}},
	RandomizedResponse: {pure: true, bounding: ClipUnit, clippings: []string{""}},
	None:               {clippings: []string{""}},
	Objective:          {l2: true, bounding: ClipUnbounded, clippings: []string{ClipUnbounded}},
}

// Mechanisms returns the names of all mechanisms that a charge may name, in order.
func Mechanisms() []string { return slices.Sorted(maps.Keys(mechanisms)) }

// granted returns the mechanisms that a grant may name, in order.
func granted() []string {
	return slices.DeleteFunc(Mechanisms(), func(name string) bool { return name == None })
}

// Pure says whether a mechanism has a pure ε, which is a guarantee with δ = 0.
func Pure(name string) bool { return mechanisms[name].pure }

// Bounding returns how g bounds a unit's contribution. It names the default if Clipping is empty.
func (g *Grant) Bounding() string {
	if g.Clipping != "" {
		return g.Clipping
	}
	return mechanisms[g.Mechanism].bounding
}

// checkClipping checks that the mechanism may use the clipping.
func checkClipping(name, clipping string) error {
	return oneOf("clipping for "+name, clipping, mechanisms[name].clippings...)
}

// checkMechanism checks that g has the members that its mechanism needs, and no others.
func (g *Grant) checkMechanism() error {
	if err := oneOf("claim", g.Claim, "", PaperClaim); err != nil {
		return err
	}
	if g.Mechanism != Objective && (g.Regularisation != 0 || g.ClaimedEpsilon != 0) {
		return fmt.Errorf("regularisation and claimed_epsilon do not belong to %s", g.Mechanism)
	}
	if g.Mechanism != RandomizedResponse && g.ReportWords != 0 {
		return fmt.Errorf("report_words does not belong to %s", g.Mechanism)
	}
	switch g.Mechanism {
	case Gaussian, Laplace:
		return g.checkSums()
	case Select:
		return g.checkSelect()
	case RandomizedResponse:
		return g.checkRandomizedResponse()
	case Objective:
		return g.checkObjective()
	}
	return fmt.Errorf("no rule for the members of a grant for %s", g.Mechanism)
}
