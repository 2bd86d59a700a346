package loss

// Largest is the profile of releases from data sets that share no unit, of which each has a profile of its own. Neighbours differ
// in one data set, and only the releases of that data set lose anything: see pipelines/event/claim.md. So ε at a δ is the largest of theirs, and so is
// δ at an ε. A lower bound of one is a lower bound of all, for some neighbours differ in that one. At least one is given.
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

// Larger returns the bound of the larger of two losses of which two are bounds.
func Larger(a, b Bound) Bound {
	lower := max(a.Lower, b.Lower)
	if a.Upper > b.Upper {
		b = a
	}
	b.Lower = lower
	return b
}
