package audit

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire/stream"
)

// reruns is the number of runs in a series that are followed by two more runs with the same ledger. One is on the same
// input, the other on its neighbour.
const reruns = 5

// A series is all runs in one experiment.
type series struct {
	bench   *bench
	charges []*event.Charge // for each round, from the first run
	trials  []trial

	mutex sync.Mutex
	runs  int
	seen  map[[sha256.Size]byte]int // number of runs with the same releases
}

// try does run i.
func (s *series) try(ctx context.Context, i int, with bool) error {
	home := fmt.Sprintf("run-%d", i)
	defer s.bench.remove(home)
	o, err := s.bench.run(ctx, home, input(with))
	if err != nil {
		return err
	}
	charges, err := s.bench.charges(o, len(s.charges))
	if err != nil {
		return err
	}
	s.trials[i].with = with
	for _, statistic := range statistics {
		s.trials[i].values = append(s.trials[i].values, statistic.of(o.cells))
	}
	s.count(o)
	if err := s.bench.books(o, nil); err != nil {
		return fault{err}
	}
	for round, c := range charges {
		if c.Sensitivity != s.charges[round].Sensitivity || c.Scale != s.charges[round].Scale {
			return fault{errDiffer}
		}
	}
	if i < reruns {
		for _, other := range []bool{with, !with} {
			again, err := s.bench.run(ctx, home, input(other))
			if err != nil {
				return err
			}
			if err := s.bench.books(again, o); err != nil {
				return fault{fmt.Errorf("when run again: %w", err)}
			}
		}
	}
	return nil
}

// count counts the run among the runs with the same releases.
func (s *series) count(o *outcome) {
	var all []byte
	for _, c := range o.cells {
		all = stream.AppendCells(all, c)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.runs++
	s.seen[sha256.Sum256(all)]++
}

// verdict returns a fault if the noise is not fresh in each run, else an empty string.
func (s *series) verdict() string {
	for _, times := range s.seen {
		// Noise of scale 2 or more hits a given number with probability at most 1/4. So two runs agree in all 34 cells
		// by chance with a probability below 2^-68. n runs have n²/2 pairs.
		if times > 1 && s.charges[0].Scale >= 2 && s.charges[1].Scale >= 2 {
			return fmt.Sprintf("%d runs released the same numbers: the noise is not fresh", times)
		}
	}
	return ""
}
