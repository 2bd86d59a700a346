package coin

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
	"privpipe/sample/internal/corpus"
)

// alpha is the false-rejection rate of each statistical test here. Their coins are seeded, so they are deterministic.
const alpha = 1e-6

// likely fails where a χ² statistic is in either tail: too far from what was expected, or suspiciously close.
func likely(t *testing.T, what string, statistic, degrees float64) {
	t.Helper()
	chi := distuv.ChiSquared{K: degrees}
	if low, high := chi.Quantile(alpha/2), chi.Quantile(1-alpha/2); !(statistic >= low && statistic <= high) {
		t.Errorf("%s: got χ² = %v of %v degrees of freedom, want one in [%.3g, %.3g]", what, statistic, degrees, low,
			high)
	}
}

// evenly compares counts with equal expectations.
func evenly(t *testing.T, what string, counts []float64) {
	t.Helper()
	sum, statistic := 0.0, 0.0
	for _, c := range counts {
		sum += c
	}
	want := sum / float64(len(counts))
	for _, c := range counts {
		statistic += (c - want) * (c - want) / want
	}
	likely(t, what, statistic, float64(len(counts)-1))
}

// independent tests the 2×2 table of two events that have the probability q each.
func independent(t *testing.T, what string, table [2][2]float64, q float64) {
	t.Helper()
	n := table[0][0] + table[0][1] + table[1][0] + table[1][1]
	p := [2]float64{1 - q, q}
	statistic := 0.0
	for i := range table {
		for j, c := range table[i] {
			want := n * p[i] * p[j]
			statistic += (c - want) * (c - want) / want
		}
	}
	likely(t, what, statistic, 3) // q is given, not fitted
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}

// units returns the digests and keys of n units.
func units(n int) (digests []uint64, keys []corpus.Key) {
	for i := range n {
		name := string(binary.AppendUvarint(nil, uint64(i)+1))
		digests, keys = append(digests, wire.UnitDigest(name)), append(keys, corpus.KeyOf(name))
	}
	return digests, keys
}

// secret is the secret that begins with v.
func secret(v uint64) (s Secret) {
	binary.LittleEndian.PutUint64(s[:], v)
	return s
}

func chooser(t *testing.T, scheme event.Scheme, n int, by Secret) *Chooser {
	t.Helper()
	if err := scheme.Check(); err != nil {
		t.Fatal(err)
	}
	digests, keys := units(n)
	c, err := NewChooser(scheme, digests, keys, by.Throw(Purpose(scheme, "run", event.Document, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// choosers returns one for each kind of coins.
func choosers(t *testing.T, scheme event.Scheme, n int) map[string]*Chooser {
	t.Helper()
	digests, keys := units(n)
	seeded, err := NewSeeded(scheme, digests, keys, 1)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*Chooser{"secret": chooser(t, scheme, n, secret(1)), "seed": seeded}
}

func poisson(q float64) event.Scheme { return event.Scheme{Method: event.Poisson, Rate: q, Rounds: 10} }

func fixed(size, population uint64) event.Scheme {
	return event.Scheme{
		Method: event.Fixed, Size: size, Population: population, Rate: float64(size) / float64(population), Rounds: 10,
	}
}

func disjoint(method string, rounds int) event.Scheme {
	return event.Scheme{Method: method, Rate: 1 / float64(rounds), Rounds: rounds}
}

// TestPoisson checks each unit's rate, and that the coins of a unit in two rounds, and of two units in a round, are
// independent.
func TestPoisson(t *testing.T) {
	const units, rounds, q = 130, 2000, 0.3
	for name, c := range choosers(t, poisson(q), units) {
		var included [units]float64
		var twoRounds, twoUnits [2][2]float64
		var before Set
		for round := 1; round <= rounds; round++ {
			set := c.Round(round)
			for i := range units {
				if set.Has(i) {
					included[i]++
				}
				// Pairs that overlap in neither unit nor round: their cells are independent.
				if round%2 == 0 {
					twoRounds[index(before.Has(i))][index(set.Has(i))]++
				}
				if i%2 == 1 {
					twoUnits[index(set.Has(i-1))][index(set.Has(i))]++
				}
			}
			before = set
		}
		statistic := 0.0
		for _, n := range included {
			statistic += (n - rounds*q) * (n - rounds*q) / (rounds * q * (1 - q))
		}
		likely(t, name+": rate of each unit", statistic, units)
		independent(t, name+": one unit in two rounds", twoRounds, q)
		independent(t, name+": two units in one round", twoUnits, q)
	}
}

func TestPoissonOfRateOneIsAll(t *testing.T) {
	for _, scheme := range []event.Scheme{poisson(1), {Method: event.All, Rate: 1, Rounds: 10}} {
		for name, c := range choosers(t, scheme, 67) {
			for round := range 10 {
				if got := c.Round(round + 1).Len(); got != 67 {
					t.Errorf("%v of %s: got %d units of 67", scheme, name, got)
				}
			}
		}
	}
}

// TestFixed checks that every set of 3 of 9 units is as likely as every other, also given that of the round before.
func TestFixed(t *testing.T) {
	const rounds = 84 * 200 // 84 sets
	for name, c := range choosers(t, fixed(3, 9), 9) {
		sets := make(map[uint64]float64)
		var overlap [4]float64
		before := uint64(0)
		for round := 1; round <= rounds; round++ {
			set := c.Round(round)
			if set.Len() != 3 || set[0] >= 1<<9 {
				t.Fatalf("%s: got the set %b, want 3 of 9 units", name, set)
			}
			sets[set[0]]++
			if round%2 == 0 {
				overlap[Set{set[0] & before}.Len()]++
			}
			before = set[0]
		}
		var counts []float64
		for _, n := range sets {
			counts = append(counts, n)
		}
		if len(counts) != 84 {
			t.Errorf("%s: got %d different sets, want 84", name, len(counts))
		}
		evenly(t, name+": sets", counts)
		statistic := 0.0
		for common, ways := range []float64{20, 45, 18, 1} { // C(3, common)·C(6, 3−common)
			want := rounds / 2 * ways / 84
			statistic += (overlap[common] - want) * (overlap[common] - want) / want
		}
		likely(t, name+": units in common with the round before", statistic, 3)
	}
}

func TestFixedSizes(t *testing.T) {
	for _, c := range []struct{ size, population int }{
		{1, 1}, {5, 5}, {1, 1000}, {64, 64}, {64, 65}, {999, 1000}, {500, 1000},
	} {
		for name, by := range choosers(t, fixed(uint64(c.size), uint64(c.population)), c.population) {
			set, distinct := by.Round(1), 0
			for i := range c.population {
				distinct += index(set.Has(i))
			}
			if distinct != c.size || set.Len() != c.size {
				t.Errorf("%d of %d by %s: got %d units, Len says %d", c.size, c.population, name, distinct, set.Len())
			}
		}
	}
}

func TestNewRefusesAnotherPopulation(t *testing.T) {
	digests, keys := units(10)
	_, err := NewChooser(fixed(3, 9), digests, keys, secret(1).Throw(""))
	_, seeded := NewSeeded(fixed(3, 9), digests, keys, 1)
	if err == nil || seeded == nil {
		t.Error("want an error of a scheme for another number of units")
	}
}

// roundsOf returns the round of each unit. It fails where a unit is in none or in two.
func roundsOf(t *testing.T, c *Chooser, units, rounds int) []int {
	t.Helper()
	of := make([]int, units)
	for round := 1; round <= rounds; round++ {
		set := c.Round(round)
		for i := range units {
			if !set.Has(i) {
				continue
			}
			if of[i] != 0 {
				t.Fatalf("unit %d is in the rounds %d and %d", i, of[i], round)
			}
			of[i] = round
		}
	}
	if i := slices.Index(of, 0); i >= 0 {
		t.Fatalf("unit %d is in no round", i)
	}
	return of
}

// TestOneRound checks that schemes of disjoint rounds throw each unit into exactly one, and units evenly over them.
func TestOneRound(t *testing.T) {
	const units, rounds = 8000, 7
	for _, method := range []string{event.Allocate, event.Epoch} {
		of := roundsOf(t, chooser(t, disjoint(method, rounds), units, secret(1)), units, rounds)
		counts := make([]float64, rounds)
		pairs := make([]float64, rounds*rounds)
		for i, round := range of {
			counts[round-1]++
			if i%2 == 1 {
				pairs[(of[i-1]-1)*rounds+round-1]++
			}
		}
		evenly(t, method+": units over rounds", counts)
		evenly(t, method+": pairs of units over rounds", pairs)
	}
}

// TestAllocateOverKeys checks that a unit's round is uniform over keys, and independent of another unit's.
func TestAllocateOverKeys(t *testing.T) {
	const rounds, keys = 5, 25 * 200
	counts := make([]float64, rounds)
	pairs := make([]float64, rounds*rounds)
	for key := range uint64(keys) {
		of := roundsOf(t, chooser(t, disjoint(event.Allocate, rounds), 2, secret(key)), 2, rounds)
		counts[of[0]-1]++
		pairs[(of[0]-1)*rounds+of[1]-1]++
	}
	evenly(t, "rounds of a unit", counts)
	evenly(t, "rounds of two units", pairs)
}

// epochs is an allocation of so many epochs.
func epochs(number, rounds int) event.Scheme {
	return event.Scheme{Method: event.Allocate, Rate: 1 / float64(rounds), Rounds: number * rounds, Epochs: number}
}

// slotsOf returns the round of each unit in each epoch, from 0. It fails where a unit is in none or in two rounds of an
// epoch.
func slotsOf(t *testing.T, c *Chooser, units int) [][]int {
	t.Helper()
	length := c.scheme.EpochRounds()
	slots := make([][]int, c.scheme.Epochs)
	for epoch := range slots {
		slots[epoch] = slices.Repeat([]int{-1}, units)
		for slot := range length {
			set := c.Round(epoch*length + slot + 1)
			for i := range units {
				if !set.Has(i) {
					continue
				}
				if slots[epoch][i] >= 0 {
					t.Fatalf("unit %d is in two rounds of epoch %d", i, epoch)
				}
				slots[epoch][i] = slot
			}
		}
		if i := slices.Index(slots[epoch], -1); i >= 0 {
			t.Fatalf("unit %d is in no round of epoch %d", i, epoch)
		}
	}
	return slots
}

// TestEpochsAreIndependent: each unit is in one round of each epoch, and all combinations of its rounds in three epochs
// are equally likely: over units, and over keys for one unit. So are the combinations of two units in two epochs.
func TestEpochsAreIndependent(t *testing.T) {
	const rounds = 5
	cell := func(slots ...int) (cell int) {
		for _, slot := range slots {
			cell = cell*rounds + slot
		}
		return cell
	}
	for name, c := range choosers(t, epochs(3, rounds), 125*200) {
		slots, combinations := slotsOf(t, c, 125*200), make([]float64, 125)
		for i := range slots[0] {
			combinations[cell(slots[0][i], slots[1][i], slots[2][i])]++
		}
		evenly(t, name+": rounds of a unit in three epochs, over units", combinations)
	}
	one, two := make([]float64, 125), make([]float64, 625)
	for key := range uint64(625 * 40) {
		slots := slotsOf(t, chooser(t, epochs(3, rounds), 2, secret(key)), 2)
		one[cell(slots[0][0], slots[1][0], slots[2][0])]++
		two[cell(slots[0][0], slots[0][1], slots[1][0], slots[1][1])]++
	}
	evenly(t, "rounds of a unit in three epochs, over keys", one)
	evenly(t, "rounds of two units in two epochs, over keys", two)
}

// TestEveryRoundIsItsOwn: rounds whose numbers differ in any one bit hold different units, and so do epochs. Two such
// sets of 128 units at rate 1/2 are equal by chance with a probability of 2^-128 (of 2^-124 at a fixed size).
func TestEveryRoundIsItsOwn(t *testing.T) {
	const most = 1 << 30
	for _, scheme := range []event.Scheme{
		{Method: event.Poisson, Rate: 0.5, Rounds: most},
		{Method: event.Fixed, Rate: 0.5, Size: 64, Population: 128, Rounds: most},
		{Method: event.Allocate, Rate: 0.5, Rounds: most, Epochs: most / 2},
	} {
		for name, c := range choosers(t, scheme, 128) {
			numbers := make(map[string]int)
			for number := 0; number < most/2; number = max(1, 2*number) {
				round := number + 1
				if scheme.Method == event.Allocate { // number is of an epoch
					round = number*scheme.EpochRounds() + 1
				}
				set := fmt.Sprint(c.Round(round))
				if other, known := numbers[set]; known {
					t.Errorf("%s by %s: the numbers %d and %d have the same units", scheme.Method, name, other, number)
				}
				numbers[set] = number
			}
		}
	}
}

// TestNumbersOfEpochs: the epochs take the numbers 0, 1, … of the throw, as a resumed run must, in whichever version.
// So one epoch has the rounds that an allocation had before there were epochs.
func TestNumbersOfEpochs(t *testing.T) {
	const rounds, of = 4, 300
	_, keys := units(of)
	for number := 1; number <= 3; number++ {
		scheme := disjoint(event.Allocate, rounds)
		if number > 1 {
			scheme = epochs(number, rounds)
		}
		c := chooser(t, scheme, of, secret(5))
		throw := secret(5).Throw(Purpose(scheme, "run", event.Document, nil))
		for round := 1; round <= number*rounds; round++ {
			set, numbers := c.Round(round), throw.Round((round-1)/rounds)
			for i, key := range keys {
				high, _ := numbers(&key)
				// of 4 rounds the first 2 bits are the round
				if want := int(high>>62) == (round-1)%rounds; set.Has(i) != want {
					t.Fatalf("%d epochs: unit %d is in round %d: %v, want %v", number, i, round, set.Has(i), want)
				}
			}
		}
	}
}

// TestPurpose: runs of other rounds or epochs have other throws, although the purpose holds only the rate and the
// number of all rounds. An allocation of one epoch has the purpose that it had before there were epochs, and a round of
// a fixed size the one it always had.
func TestPurpose(t *testing.T) {
	const once = "run r\nunit document\nallocate rate 3fd0000000000000 size 0 population 0 rounds 4" // 1/4 in IEEE 754
	if got := Purpose(disjoint(event.Allocate, 4), "r", event.Document, nil); got != once {
		t.Errorf("%q, want %q", got, once)
	}
	for _, c := range []struct {
		scheme event.Scheme
		want   string
	}{
		{fixed(1, 4), "run r\nunit document\nfixed rate 3fd0000000000000 size 1 population 4 rounds 10"},
		// Older programs threw coins under this purpose without its last line, by another rule. Under one name a round
		// must have one set.
		{poisson(0.25), "run r\nunit document\npoisson rate 3fd0000000000000 size 0 population 0 rounds 10\n" +
			"groups of 4 rounds"},
	} {
		if got := Purpose(c.scheme, "r", event.Document, nil); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		if got, want := Purpose(c.scheme, "r", event.Document, []byte{1, 255}), c.want+"\nsettings 01ff"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	// Whatever differs, in whichever bit or byte, is another throw.
	large, long := fixed(1<<40|5, 1<<41), strings.Repeat("r", 100)
	of := func(scheme event.Scheme) string { return Purpose(scheme, long+"r", event.User, []byte{1, 2}) }
	base := of(large)
	size, population, rounds, rate := large, large, large, large
	size.Size, population.Population, rounds.Rounds, rate.Rate = 5, 1<<42, 11, math.Nextafter(large.Rate, 1)
	for what, other := range map[string]string{
		"size": of(size), "population": of(population), "rounds": of(rounds), "rate": of(rate),
		"run":      Purpose(large, long+"s", event.User, []byte{1, 2}),
		"unit":     Purpose(large, long+"r", event.Document, []byte{1, 2}),
		"settings": Purpose(large, long+"r", event.User, []byte{1, 3}),
	} {
		if other == base {
			t.Errorf("another %s has the same purpose", what)
		}
	}
	purposes := make(map[string]bool)
	for rounds := 1; rounds <= 50; rounds++ {
		purposes[Purpose(disjoint(event.Allocate, rounds), "r", event.Document, nil)] = true
		for number := 2; number <= 50; number++ {
			purposes[Purpose(epochs(number, rounds), "r", event.Document, nil)] = true
		}
	}
	if len(purposes) != 50*50 {
		t.Errorf("%d schemes have %d purposes", 50*50, len(purposes))
	}
}

// TestRoundOf pins the round of a unit by its digest or its number, which a resumed run must find again, in whichever
// version.
func TestRoundOf(t *testing.T) {
	for _, c := range []struct {
		number uint64 // XXH64 of "", "a", "b" by xxhsum
		rounds [4]int // of 1, 4, 7 and 1000 rounds, computed with Python's integers
	}{
		{0xef46db3751d8e999, [4]int{1, 4, 7, 935}},
		{0xd24ec4f1a98c6e5b, [4]int{1, 4, 6, 822}},
		{0x78452aa11af39f9b, [4]int{1, 2, 4, 470}},
		{0, [4]int{1, 1, 1, 1}},
		{math.MaxUint64, [4]int{1, 4, 7, 1000}},
	} {
		for i, rounds := range []int{1, 4, 7, 1000} {
			of := Chooser{scheme: disjoint(event.Epoch, rounds)}
			if got := of.roundOf(c.number); got != c.rounds[i] {
				t.Errorf("%x over %d rounds: got %d, want %d", c.number, rounds, got, c.rounds[i])
			}
		}
	}
	// Each bit counts, where there are as many rounds: 2^n numbers make a round of 2^(64-n).
	for n := 64 - 31; n < 64; n++ {
		of := Chooser{scheme: disjoint(event.Epoch, 1<<(64-n))}
		if last, next := of.roundOf(1<<n-1), of.roundOf(1<<n); last != 1 || next != 2 {
			t.Errorf("of 2^%d rounds, 2^%d − 1 is in %d and the next number in %d", 64-n, n, last, next)
		}
	}
}
