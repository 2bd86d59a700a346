package score

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func total(cost [][]float64, assigned []int) float64 {
	sum := 0.0
	for row, column := range assigned {
		sum += cost[row][column]
	}
	return sum
}

// best tries all assignments.
func best(cost [][]float64, used []bool) float64 {
	if len(cost) == 0 {
		return 0
	}
	least := math.Inf(1)
	for j, c := range cost[0] {
		if !used[j] {
			used[j] = true
			least = min(least, c+best(cost[1:], used))
			used[j] = false
		}
	}
	return least
}

// TestMatching against all assignments, with many equal costs among them, square and not.
func TestMatching(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		rows := random.IntN(6)
		columns := rows + random.IntN(3)
		cost := make([][]float64, rows)
		for i := range cost {
			for range columns {
				cost[i] = append(cost[i], float64(random.IntN(8))/4)
			}
		}
		got := Matching(cost)
		if sorted := slices.Compact(slices.Sorted(slices.Values(got))); len(got) != rows || len(sorted) != rows {
			t.Fatalf("%v: %v is no assignment", cost, got)
		}
		if want := best(cost, make([]bool, columns)); total(cost, got) != want {
			t.Fatalf("%v: %v costs %v, the best %v", cost, got, total(cost, got), want)
		}
	}
}

// TestGreedyLoses: the nearest pair first would cost 0 + 9.
func TestGreedyLoses(t *testing.T) {
	if got := Matching([][]float64{{0, 1}, {1, 9}}); !slices.Equal(got, []int{1, 0}) {
		t.Errorf("got %v", got)
	}
}

// TestPermutation: a shuffled copy of many points is found again.
func TestPermutation(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const n = 200
	points, order := make([]float64, n), random.Perm(n)
	for i := range points {
		points[i] = random.Float64()
	}
	cost := make([][]float64, n)
	for i := range cost {
		for _, j := range order {
			cost[i] = append(cost[i], math.Pow(points[i]-points[j], 2))
		}
	}
	for row, column := range Matching(cost) {
		if order[column] != row {
			t.Fatalf("row %d is matched with %d", row, order[column])
		}
	}
}

// TestDistances by hand. The Jensen–Shannon divergence of (1, 0) and (1/2, 1/2) is h(1/4) − 1/2 bits, h(1/4) = 2 −
// (3/4) log₂ 3.
func TestDistances(t *testing.T) {
	for _, c := range []struct {
		p, q                  []float64
		jensenShannon, cosine float64
	}{
		{[]float64{0.2, 0.8}, []float64{0.2, 0.8}, 0, 0},
		{[]float64{1, 0}, []float64{0, 1}, 1, 1},
		{[]float64{1, 0}, []float64{0.5, 0.5}, math.Sqrt(1.5 - 0.75*math.Log2(3)), 1 - math.Sqrt(0.5)},
		{[]float64{0.5, 0.5}, []float64{1, 0}, math.Sqrt(1.5 - 0.75*math.Log2(3)), 1 - math.Sqrt(0.5)},
	} {
		if got := JensenShannon(c.p, c.q); math.Abs(got-c.jensenShannon) > 1e-12 {
			t.Errorf("Jensen–Shannon of %v and %v is %v, want %v", c.p, c.q, got, c.jensenShannon)
		}
		if got := Cosine(c.p, c.q); math.Abs(got-c.cosine) > 1e-12 {
			t.Errorf("cosine of %v and %v is %v, want %v", c.p, c.q, got, c.cosine)
		}
	}
}
