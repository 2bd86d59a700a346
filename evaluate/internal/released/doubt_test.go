package released

import (
	"math"
	"math/rand/v2"
	"testing"

	"privpipe/pipelines/event"
)

// TestThreshold: the numbers of a formula worked out by hand.
func TestThreshold(t *testing.T) {
	cells := []int64{5, -3, 0, 7}
	for _, c := range []struct {
		name   string
		noises []Noise
		want   float64 // at α = 4/e², so that L = 2
	}{
		{"one Gaussian", []Noise{{event.Gaussian, 10}}, 10 * 2},                                   // √(2·100·2)
		{"two, weights 1 and 2", []Noise{{event.Gaussian, 10}, {event.Gaussian, 10}}, 44.7213595}, // √(2·500·2)
		{"Laplace", []Noise{{event.Laplace, 10}}, 48.2842712},                                     // √(2·200·2) + 10·2
		{"none", []Noise{{event.None, 0}}, 0},
	} {
		m := new(Mean)
		for i, n := range c.noises {
			if err := m.Add(cells, n, float64(i+1)); err != nil {
				t.Fatal(err)
			}
		}
		if h := m.Threshold(4 / math.E / math.E); math.Abs(h-c.want) > 1e-6 {
			t.Errorf("%s: threshold %v, want %v", c.name, h, c.want)
		}
	}
}

func TestAddRefuses(t *testing.T) {
	m := new(Mean)
	if err := m.Add([]int64{1, 2}, Noise{event.Select, 3}, 1); err == nil {
		t.Error("took noise that no sum has")
	}
	if err := m.Add([]int64{1, 2, 3}, Noise{event.Gaussian, 3}, 1); err == nil {
		t.Error("took a release of another size")
	}
}

// TestFalsePositives: over many training runs, at most a share α of the runs has a marked absent word. An adversary
// chooses the sums after it saw the noise of earlier rounds, as topics that follow noise do. The adversary must leave
// absent words at 0. The rule marks all words with sums twice the threshold, so it is not a rule that marks nothing.
func TestFalsePositives(t *testing.T) {
	const cells, rounds, runs, alpha = 200, 12, 4000, 0.3
	for _, noise := range []Noise{{event.Gaussian, 3}, {event.Laplace, 3}} {
		random := rand.New(rand.NewPCG(7, uint64(len(noise.Mechanism))))
		draw := sampler(noise, random)
		wrong, missed := 0, 0
		for range runs {
			m := new(Mean)
			absent := [cells]bool{}
			for i := range absent {
				absent[i] = i >= 10
			}
			for round := range rounds {
				y := make([]int64, cells)
				for i := range y {
					y[i] = draw()
					switch {
					case i < 10:
						y[i] += 40
					// it gives up on absent words if their noise so far would not mark them
					case m.Sum != nil && m.Sum[i] < 0:
						absent[i] = false
						y[i]++
					}
				}
				if err := m.Add(y, noise, float64(round+1)); err != nil {
					t.Fatal(err)
				}
			}
			any := false
			for i, marked := range m.Marked(alpha) {
				any = any || marked && absent[i]
				if i < 10 && !marked {
					missed++
				}
			}
			if any {
				wrong++
			}
		}
		// Four standard deviations of a binomial number.
		if most := alpha*runs + 4*math.Sqrt(alpha*(1-alpha)*runs); float64(wrong) > most {
			t.Errorf("%s: absent words were marked in %d of %d runs, may be in %.0f", noise.Mechanism, wrong, runs,
				most)
		}
		if missed > 0 {
			t.Errorf("%s: %d words far above the noise were not marked", noise.Mechanism, missed)
		}
		t.Logf("%s: absent words marked in %.2f %% of the runs, at most %.0f %%", noise.Mechanism,
			100*float64(wrong)/runs, 100*alpha)
	}
}

// sampler draws the discrete noise by its probabilities, cell by cell of the integers from −60 to 60.
func sampler(n Noise, random *rand.Rand) func() int64 {
	const most = 60
	var sums []float64
	total := 0.0
	for x := -most; x <= most; x++ {
		z := math.Abs(float64(x)) / float64(n.Scale)
		if n.Mechanism == event.Gaussian {
			z = z * z / 2
		}
		total += math.Exp(-z)
		sums = append(sums, total)
	}
	return func() int64 {
		u := random.Float64() * total
		for i, s := range sums {
			if u < s {
				return int64(i - most)
			}
		}
		return most
	}
}
