package loss

// Largest returns the joint profile of several data sets that share no unit, from a profile for each. Neighbours differ
// in one data set, and only its releases lose anything: see pipelines/event/claim.md. So ε at a δ is the largest over
// the data sets, and so is δ at an ε. A lower bound for one data set is a lower bound for all, because some neighbours
// differ in this one. At least one profile is needed.
func Largest(profiles []Profile) Profile {
	if len(profiles) == 1 {
		return profiles[0]
	}
	return largest(profiles)
}

type largest []Profile

func (l largest) Epsilon(delta float64) (Bound, error) {
	return l.of(func(p Profile) (Bound, error) { return p.Epsilon(delta) })
}

func (l largest) Delta(epsilon float64) (Bound, error) {
	return l.of(func(p Profile) (Bound, error) { return p.Delta(epsilon) })
}

func (l largest) of(ask func(Profile) (Bound, error)) (most Bound, err error) {
	for _, p := range l {
		bound, err := ask(p)
		if err != nil {
			return Bound{}, err
		}
		most = Larger(most, bound)
	}
	return most, nil
}

// Larger returns the bound on the larger of two losses, from their bounds.
func Larger(a, b Bound) Bound {
	lower := max(a.Lower, b.Lower)
	if a.Upper > b.Upper {
		b = a
	}
	b.Lower = lower
	return b
}
