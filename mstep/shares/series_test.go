package shares

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestQuantile compares with a table of the studentized maximum modulus for infinitely many degrees of freedom (Miller,
// Simultaneous statistical inference, 1981, table III; 1.960 is that of one number).
func TestQuantile(t *testing.T) {
	for n, want := range map[int]float64{1: 1.960, 2: 2.236, 5: 2.569, 10: 2.800, 20: 3.016} {
		if got := quantile(0.95, n); math.Abs(got-want) > 0.001 {
			t.Errorf("%d numbers: %v, want %v", n, got, want)
		}
	}
}

// TestShareSolves: the ends of a band of a share are where |y − s·total| is exactly z deviations, and the total of a
// window that is lost in noise allows all shares.
func TestShareSolves(t *testing.T) {
	const deviation, m, z = 4.2, 51, 3.
	for _, y := range []float64{3, 40, 200, 990} {
		b := share(y, 1000, deviation, m, z)
		for _, s := range []float64{b.Low, b.High} {
			if s == 0 || s == 1 {
				continue
			}
			off := math.Abs(y - s*1000)
			want := z * deviation * math.Sqrt(1-2*s+m*s*s)
			if math.Abs(off-want) > 1e-9*want {
				t.Errorf("y %v: at %v the distance is %v, want %v", y, s, off, want)
			}
		}
	}
	for _, total := range []float64{50, -3, 0} {
		if b := share(10, total, deviation, m, z); b.Low != 0 || b.High != 1 {
			t.Errorf("total %v: band %v", total, b)
		}
	}
	if b := share(25, 100, 0, 4, z); b != (Band{0.25, 0.25, 0.25}) {
		t.Errorf("without noise the band is %v", b)
	}
}

// A flow makes windows of documents from one distribution over topics, and releases of them.
type flow struct {
	*rand.Rand
	shares    []float64 // of topics
	sharp     float64   // share of a document's mass on its first topic; the rest is on another
	documents int
	deviation float64
}

// window draws a window. It returns the exact sums and the release. Some documents more are of one topic.
func (s *flow) window(burst, topic int) (exact []float64, w Window) {
	exact = make([]float64, len(s.shares)+1)
	draw := func() int {
		at, u := 0, s.Float64()
		for u -= s.shares[0]; u >= 0 && at < len(s.shares)-1; u -= s.shares[at] {
			at++
		}
		return at
	}
	for range s.documents {
		exact[draw()] += s.sharp
		exact[draw()] += 1 - s.sharp
	}
	exact[topic] += float64(burst)
	w = Window{Deviation: s.deviation, Sums: make([]float64, len(exact))}
	for i, x := range exact {
		w.Sums[i] = x + s.deviation*s.NormFloat64()
	}
	return exact, w
}

// zipf returns shares of topics as they are in texts: few large and many small.
func zipf(n int) []float64 {
	shares, sum := make([]float64, n), 0.
	for k := range shares {
		shares[k] = 1 / float64(k+1)
		sum += shares[k]
	}
	for k := range shares {
		shares[k] /= sum
	}
	return shares
}

// TestBandsCover: all bands of a window, of documents and of shares, hold the exact numbers together in 95 % of
// windows. Few topics of equal size need it most. The draws are seeded. By fresh draws the test would fail with a
// probability below 1e-6, as 4.9 deviations of the binomial are allowed.
func TestBandsCover(t *testing.T) {
	even := slices.Repeat([]float64{0.2}, 5)
	for _, c := range []struct {
		shares    []float64
		documents int
		windows   float64
	}{{zipf(20), 300, 2000}, {zipf(20), 5000, 2000}, {even, 5000, 10_000}} {
		s := &flow{rand.New(rand.NewPCG(1, 2)), c.shares, 0.8, c.documents, 6}
		covered := 0.
		for range int(c.windows) {
			exact, w := s.window(0, 0)
			series := &Series{Windows: []Window{w}, Topics: len(c.shares), Groups: []string{""}, Confidence: 0.95,
				Test: Test{Rate: 0.05, Baseline: 1}}
			in := true
			for i, r := range series.Rows() {
				x, of := float64(c.documents), 1.
				if i > 0 {
					x, of = exact[i-1], exact[i-1]/float64(c.documents)
				}
				in = in && r.Documents.Low <= x && x <= r.Documents.High
				in = in && r.Share.Low <= of+1e-12 && of-1e-12 <= r.Share.High
			}
			if in {
				covered++
			}
		}
		t.Logf("%d topics, %d documents: all bands hold in %.1f%%", len(c.shares), c.documents, 100*covered/c.windows)
		if covered < c.windows*0.95-4.9*math.Sqrt(c.windows*0.95*0.05) {
			t.Errorf("%d topics, %d documents: all bands hold in %v of %v windows", len(c.shares), c.documents, covered,
				c.windows)
		}
	}
}

// TestFalseAlarms: where nothing changes, at most the stated share of windows has an alarm, for few and for many
// documents, with noise and without, and for documents of one topic, whose sums vary most. The draws are seeded. By
// fresh draws the test would fail with a probability below 1e-6.
func TestFalseAlarms(t *testing.T) {
	for _, s := range []flow{
		{documents: 400, sharp: 1, deviation: 4.2}, {documents: 10_000, sharp: 1, deviation: 37},
		{documents: 10_000, sharp: 0.6, deviation: 4.2}, {documents: 2000, sharp: 1, deviation: 0},
	} {
		s.Rand, s.shares = rand.New(rand.NewPCG(3, 4)), zipf(50)
		const windows, rate = 1500, 0.05
		series := &Series{Topics: 50, Groups: []string{""}, Confidence: 0.95, Test: Test{Rate: rate, Baseline: 8}}
		for range windows {
			_, w := s.window(0, 0)
			series.Windows = append(series.Windows, w)
		}
		alarmed := make(map[int]bool)
		for i, r := range series.Rows() {
			if r.Alarm != nil {
				alarmed[i/52] = true
			}
		}
		t.Logf("%d documents, noise %v: a false alarm in %.2f%% of windows", s.documents, s.deviation,
			100*float64(len(alarmed))/windows)
		// A window is the baseline of eight others, so alarms come together: the variance is up to nine times that of
		// independent windows.
		if most := windows*rate + 4.9*3*math.Sqrt(windows*rate); float64(len(alarmed)) > most {
			t.Errorf("%d documents, noise %v: a false alarm in %d of %d windows", s.documents, s.deviation,
				len(alarmed), windows)
		}
	}
}

// TestBurst: a burst of 2 % of 10,000 documents a week is found in its week at ε = 0.1 (noise 37), and names its topic.
// It is 200 documents, where noise and chance have a deviation of 41 and an alarm needs 3.3 of them, so 94 of 100
// bursts are found on average. The draws are seeded; by fresh draws the test would fail with a probability below 1e-4.
func TestBurst(t *testing.T) {
	found, elsewhere := 0, 0
	const streams = 100
	for seed := range uint64(streams) {
		s := &flow{rand.New(rand.NewPCG(seed, 5)), zipf(50), 0.8, 10_000, 37}
		series := &Series{Topics: 50, Groups: []string{""}, Confidence: 0.95, Test: Test{Rate: 0.05, Baseline: 8}}
		const at, topic = 20, 30
		for week := range 26 {
			burst := 0
			if week == at {
				burst = 200
			}
			_, w := s.window(burst, topic)
			series.Windows = append(series.Windows, w)
		}
		for i, r := range series.Rows() {
			switch {
			case r.Alarm == nil:
			case i/52 == at && r.Topic == "30":
				found++
			default:
				elsewhere++
			}
		}
	}
	t.Logf("found %d of %d bursts, %d other alarms in %d weeks", found, streams, elsewhere, streams*26)
	if found < 84 {
		t.Errorf("found %d of %d bursts", found, streams)
	}
}

// TestFew: a window with less than half of the documents before is told where noise does not explain it.
func TestFew(t *testing.T) {
	series := func(deviation float64, totals ...float64) *Series {
		s := &Series{Topics: 1, Groups: []string{""}, Test: Test{Baseline: 2}}
		for _, total := range totals {
			s.Windows = append(s.Windows, Window{Name: "w", Sums: []float64{total, 0}, Deviation: deviation})
		}
		return s
	}
	for _, c := range []struct {
		name string
		s    *Series
		told bool
	}{
		{"half", series(4, 1000, 500), false}, {"less", series(4, 1000, 480), true},
		{"much noise", series(200, 1000, 0), false}, {"none", series(4, 200, -6), true},
		{"first", series(4, 3), false}, {"noise alone", series(4, 3, -2), false},
		{"as few as before", series(4, 5000, 500, 510, 490), false},
	} {
		lines := c.s.few("documents")
		if told := lines[len(lines)-1] != ""; told != c.told {
			t.Errorf("%s: told %v, %q", c.name, told, lines)
		}
	}
}
