package parallel

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

func counting(n int) func() (int, bool, error) {
	i := -1
	return func() (int, bool, error) { i++; return i, i < n, nil }
}

func TestMapKeepsOrder(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		var got []int
		err := Map(t.Context(), workers, counting(500), func(_, i int) (int, error) {
			time.Sleep(time.Duration((i*7919)%13) * time.Microsecond)
			return i * i, nil
		}, func(v int) error { got = append(got, v); return nil })
		if err != nil {
			t.Fatal(err)
		}
		want := make([]int, 500)
		for i := range want {
			want[i] = i * i
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d workers: results out of order", workers)
		}
	}
}

func TestMapGivesEachWorkerItsNumber(t *testing.T) {
	busy := make([]int, 3) // the race detector finds two goroutines of one number
	err := Map(t.Context(), len(busy), counting(100), func(w, i int) (int, error) { busy[w]++; return i, nil },
		func(int) error { return nil })
	if err != nil || busy[0]+busy[1]+busy[2] != 100 {
		t.Errorf("got %v, %v", busy, err)
	}
}

// TestMapHoldsFewResults: memory must not grow with the input where emit is slower than work.
func TestMapHoldsFewResults(t *testing.T) {
	const workers = 3
	var taken atomic.Int64
	next := counting(200)
	emitted, most := int64(0), int64(0)
	err := Map(t.Context(), workers, func() (int, bool, error) { taken.Add(1); return next() },
		func(_, i int) (int, error) { return i, nil },
		func(int) error {
			time.Sleep(50 * time.Microsecond)
			most = max(most, taken.Load()-emitted)
			emitted++
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	if limit := int64(2*workers + 2); most > limit { // those that wait, the one in emit, and the one in next
		t.Errorf("%d inputs were under way at a time, want at most %d", most, limit)
	}
}

func TestMapEndsItsWorkBeforeItReturns(t *testing.T) {
	broken := errors.New("broken")
	var running atomic.Int64
	err := Map(t.Context(), 4, counting(1000), func(_, i int) (int, error) {
		running.Add(1)
		defer running.Add(-1)
		time.Sleep(100 * time.Microsecond)
		return i, nil
	}, func(int) error { return broken })
	if left := running.Load(); err != broken || left != 0 {
		t.Errorf("%d pieces of work go on after %v", left, err)
	}
}

func TestMapStopsAtTheFirstErrorInOrder(t *testing.T) {
	broken := errors.New("broken")
	var emitted []int
	emit := func(v int) error { emitted = append(emitted, v); return nil }
	identity := func(_, i int) (int, error) { return i, nil }

	t.Run("work", func(t *testing.T) {
		emitted = nil
		err := Map(t.Context(), 4, counting(1000), func(_, i int) (int, error) {
			if i >= 10 {
				return 0, broken
			}
			return i, nil
		}, emit)
		if err != broken || len(emitted) != 10 {
			t.Errorf("got %v after %d results, want broken after 10", err, len(emitted))
		}
	})
	t.Run("next", func(t *testing.T) {
		emitted = nil
		i := 0
		err := Map(t.Context(), 4, func() (int, bool, error) {
			if i++; i > 5 {
				return 0, false, broken
			}
			return i, true, nil
		}, identity, emit)
		if err != broken || len(emitted) != 5 {
			t.Errorf("got %v after %d results, want broken after 5", err, len(emitted))
		}
	})
	t.Run("emit", func(t *testing.T) {
		n := 0
		err := Map(t.Context(), 4, counting(1000), identity, func(int) error {
			if n++; n == 3 {
				return broken
			}
			return nil
		})
		if err != broken || n != 3 {
			t.Errorf("got %v after %d results", err, n)
		}
	})
	t.Run("cancel", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		block := make(chan struct{})
		defer close(block)
		err := Map(ctx, 2, func() (int, bool, error) { cancel(); <-block; return 0, false, nil }, identity, emit)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled while next is blocked", err)
		}
	})
}
