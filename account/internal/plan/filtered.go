package plan

import (
	"privpipe/account/internal/ledgers"
	"privpipe/account/internal/search"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/rounded"
)

// roundedUp leaves room for the privatizer, which rounds each sum up.
const roundedUp = 1 + 1e-9

// solveFiltered completes a grant for a ledger with a filter. Unless the noise is given, it sets the least noise that
// keeps the cost of all releases within their share of the limit. It also sets the cost of one release.
func (s *solver) solveFiltered() error {
	f, grant := filterOf(s.Ledger), s.Grant
	cost := func(x float64) (float64, error) {
		s.set(x)
		one, err := ledgers.Cost(f, grant)
		return one * float64(grant.Releases) * roundedUp / (s.Share * f.Limit), err
	}
	if s.Unknown == "noise" {
		low, high, err := s.extent()
		if err != nil {
			return err
		}
		most, err := cost(high)
		if err != nil {
			return err
		}
		if most > 1 {
			return exit.Errorf(exit.Refused, "no noise of %s keeps all releases within the part %v of the filter",
				grant.Mechanism, s.Share)
		}
		least, err := search.Least(low, high, search.Within(1e-6), cost)
		if err != nil {
			return err
		}
		s.set(least)
	}
	one, err := ledgers.Cost(f, grant)
	if err != nil {
		return err
	}
	grant.Cost = one
	spent, err := ledgers.FilterSpent(s.Ledger)
	if err != nil {
		return err
	}
	if after := (spent + one*float64(grant.Releases)) * roundedUp; after > f.Limit {
		return exit.Errorf(exit.Refused, "all releases of this grant would take the filter to %s, its limit is %s",
			rounded.Up(after), rounded.Up(f.Limit))
	}
	return nil
}
