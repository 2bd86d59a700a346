package denoise

import (
	"math"
	"testing"
)

// TestEach: each cell is in one batch of its group's weights, whatever number of cells that is.
func TestEach(t *testing.T) {
	const tau = 5
	m := Mixture{Ratios: cellRatios, Groups: 3}
	for _, n := range []int{1, 7, 64, 1000, 40_000} {
		_, expected, noisy := sparse(n, tau)
		noisy[0] = 1e3 * tau
		weights, edges := m.first(), m.groupEdges(expected)
		batches := make([]int32, n) // of each cell
		m.each(weights, edges, noisy, expected, tau, func(_ int, b *batch, of []float64) {
			if b.n < 1 || b.n > most {
				t.Errorf("%d cells: a batch of %d", n, b.n)
			}
			for at, i := range b.index[:b.n] {
				batches[i]++
				if &of[0] != &weights[groupOf(edges, expected[i])][0] {
					t.Errorf("%d cells: cell %d has the weights of another group", n, i)
				}
				if b.y[at] != min(noisy[i]/tau, surely) || b.pull[at] != tau/expected[i] {
					t.Errorf("%d cells: cell %d is %v and %v in its batch", n, i, b.y[at], b.pull[at])
				}
			}
		})
		for i, got := range batches {
			if got != 1 {
				t.Fatalf("%d cells: cell %d is in %d batches", n, i, got)
			}
		}
	}
}

func groupOf(edges []float64, expected float64) int {
	bits := ordered(edges)
	return group(&bits, expected)
}

// TestGroup: a group begins at its edge.
func TestGroup(t *testing.T) {
	edges := []float64{1, 2, 2, 5}
	for expected, want := range map[float64]int{0.5: 0, 1: 1, 1.5: 1, 2: 3, 4.9: 3, 5: 4, 1e9: 4} {
		if got := groupOf(edges, expected); got != want {
			t.Errorf("group of %v is %d, want %d", expected, got, want)
		}
	}
}

// TestEvidence: it is the mean over cells of the logarithm of what the fitted mixture gives them.
func TestEvidence(t *testing.T) {
	const tau, n = 5, 3000
	_, expected, noisy := sparse(n, tau)
	m := Mixture{Ratios: cellRatios, Groups: 3, Steps: 5}
	weights, edges := m.first(), m.groupEdges(expected)
	m.fit(weights, edges, noisy, expected, tau)
	want := 0.0
	for i, e := range expected {
		total := 0.0
		for j, share := range shares(m.Ratios, noisy[i], e, tau) {
			total += weights[groupOf(edges, e)][j] * share
		}
		want += math.Log(total/e) / n
	}
	near(t, "evidence", m.Evidence(noisy, expected, tau), want, 1e-12)
}

// TestKernels: estimates are the same bits without vector instructions, but for those by which weights are fitted.
func TestKernels(t *testing.T) {
	const tau, n = 5, 3001
	_, expected, noisy := sparse(n, tau)
	m := Mixture{Ratios: cellRatios, Groups: 3}
	var first []float64
	eachKernel(func(name string) {
		estimate := make([]float64, n)
		m.Shrink(estimate, noisy, expected, tau)
		if first == nil {
			first = estimate
		}
		for i, e := range estimate {
			if e != first[i] {
				t.Fatalf("%s: estimate %d is %v, by the kernel of this machine %v", name, i, e, first[i])
			}
		}
	})
}
