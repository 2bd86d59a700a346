package papers

import (
	"math"
	"testing"

	"privpipe/account/internal/renyi"
)

// TestEfficiencyIncreases: log I(γ) − log γ does not fall, as the moment of 1−γ+γL is convex in γ with slope 0 at 0, so
// log I grows at least as log γ does. Each log I is above the exact one by its rounding, and not below it, so a
// difference is off by one rounding at most, and steps of log γ are above that: growth is strict.
func TestEfficiencyIncreases(t *testing.T) {
	for _, order := range []int{2, 3, 5, 8, 14, 20, 32, 100, mostOrder} {
		for _, sigma := range []float64{leastWords, 0.3, 1, 1.8708286933869707, 5, 40, 1e4, mostWords} {
			s := newStudy(order, sigma, 1, nil)
			points := 1000
			if order > 32 {
				points = 100
			}
			gamma, before := 1e-8, s.LogEfficiency(1e-8, s.Loss)
			for k := 1; k <= points; k++ {
				next := float64(k) / float64(points)
				log := s.LogEfficiency(next, s.Loss)
				step := math.Log(next / gamma)
				// subLDA.Loss is rounded up by at most 2^-47·α·(1+log(1/γ)), relatively, for γ from 1e-8.
				n := float64(order)
				rounding := (n-1)*s.Loss(next)*n*(1-math.Log(gamma))/(1<<47) + 1e-14*(1+math.Abs(log))
				if step <= rounding || log-before < step-rounding {
					t.Fatalf("α %d σ %v: log I is %v at γ %v, %v at %v", order, sigma, before, gamma, log, next)
				}
				gamma, before = next, log
			}
			if before != float64(order-1)*s.Loss(1) {
				t.Errorf("α %d σ %v: log I(1) is %v, want (α−1)·ε(α)", order, sigma, before)
			}
		}
	}
}

// TestEfficiencyExtremum: without the last term of equation 3 there is an extremum inside, near α/(α+1) where the loss
// is large.
func TestEfficiencyExtremum(t *testing.T) {
	for _, order := range []int{2, 5, 14, 32} {
		for _, sigma := range []float64{0.3, 1, 5, 1e4} {
			s, near := newStudy(order, sigma, 1, nil), float64(order)/float64(order+1)
			cut := s.Extremum(s.Printed)
			if !(cut > 0.5 && cut < 1) || order >= 5 && sigma <= 1 && !almost(cut, near, 0.02) {
				t.Errorf("α %d σ %v: without the last term I is largest at %v", order, sigma, cut)
			}
			if whole := s.Extremum(s.Loss); whole != 1 {
				t.Errorf("α %d σ %v: I is largest at %v", order, sigma, whole)
			}
		}
	}
}

// TestEfficiencyTable3: the table has the columns of the golden rows sublda|g0.1 to sublda|g1. One column is eq. 3 by
// mpmath (40 digits). Another is the loss of the same noise by dp_accounting's privacy loss distributions at δ = 1e-5.
func TestEfficiencyTable3(t *testing.T) {
	delta := 1e-5
	a, err := table3(&delta)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct{ gamma, loss, cut, total, epsilon float64 }{
		{0.1, 0.04645655024722449, 0.04637420094625341, 4.274002622744653, 2.4560344429734564},
		{0.3, 0.7719047060157229, 0.7312524136386844, 64.068090599305, 7.81890659755417},
		{0.5, 1.2809335502108177, 1.1882343469418974, 89.66534851475724, 12.623386008829112},
		{0.7, 1.6273384562031599, 1.4751597251198005, 107.40433810940854, 17.918420343529974},
		{0.9, 1.889464385819255, 1.6366231127314974, 115.25732753497456, 22.82142839944735},
		{1, 2, 0, 84, 20.125023624028874},
	}
	for i, w := range want {
		row := a.Rows[i]
		if row.Gamma != w.gamma || !almost(float64(row.Loss), w.loss, 1e-9) ||
			!almost(float64(row.Total), w.total, 1e-9) {
			t.Errorf("γ %v: ε_sub %v, in all %v, want %v and %v", row.Gamma, row.Loss, row.Total, w.loss, w.total)
		}
		if cut := row.Claim.Loss; w.cut != 0 && !almost(*cut, w.cut, 1e-9) || w.cut == 0 && cut != nil {
			t.Errorf("γ %v: without the last term %s, want %v", row.Gamma, claimed(cut), w.cut)
		}
		// The paper's digits are cut or rounded to two places, and its totals are made from those.
		if cut := row.Claim; w.cut != 0 &&
			(math.Abs(*cut.Loss-cut.PrintedLoss) > 0.01 ||
				!almost(float64(row.Rounds)*cut.PrintedLoss, cut.PrintedTotal, 0.02)) {
			t.Errorf("γ %v: without the last term %v, the paper has %v", row.Gamma, *cut.Loss, *cut)
		}
		if !almost(float64(*row.Epsilon), w.epsilon, 1e-3) {
			t.Errorf("γ %v: ε %v, want %v", row.Gamma, *row.Epsilon, w.epsilon)
		}
	}
}

// TestEfficiencyAdaptive: lemma 5.1 is above what amplification gives for public rates, which is what a single
// iteration costs at least, and V = 1 is the uniform ratio.
func TestEfficiencyAdaptive(t *testing.T) {
	delta := 1e-6
	for _, sigma := range []float64{0.5, 1.87, 30} {
		s := newStudy(14, sigma, 1, &delta)
		for _, gamma := range []float64{1e-3, 0.1, 0.25} {
			for _, v := range []float64{1, 1.5, 4} {
				row, err := s.adaptive(gamma, v)
				if err != nil {
					t.Fatal(err)
				}
				if !(row.Lemma >= row.Round) || !almost(float64(row.Epsilon), float64(row.Round), 2e-3) {
					t.Errorf("σ %v γ %v V %v: lemma 5.1 %v, amplified %v, by losses %v",
						sigma, gamma, v, row.Lemma, row.Round, row.Epsilon)
				}
				if loss := s.Loss(v * gamma); float64(row.Loss) != loss {
					t.Errorf("σ %v γ %v V %v: Rényi loss %v, want %v", sigma, gamma, v, row.Loss, loss)
				}
			}
		}
	}
}

// TestEfficiencyDraws: draws and counts cost at least what either does, and at most both by linear composition.
func TestEfficiencyDraws(t *testing.T) {
	delta := 1e-5
	for _, rounds := range []int{1, 50} {
		s := newStudy(14, 5, rounds, &delta)
		row, err := s.draws(1, 1)
		if err != nil {
			t.Fatal(err)
		}
		counts := renyi.GaussianEpsilon(renyi.JointSigma(5/math.Sqrt2, uint64(rounds)), delta)
		pure := renyi.Guarantee{Epsilon: inherentLoss(1, 1)}.Linear(uint64(rounds)).Epsilon
		if e := float64(*row.Epsilon); !(e >= counts) || !(e <= (counts+pure)*1.001) {
			t.Errorf("%d rounds: ε %v, of the counts %v, of the draws at most %v", rounds, e, counts, pure)
		}
		// 14/25·2/2 + at most ε_I
		if l := float64(row.Loss); !(l > 0.56) || !(l < 0.56+float64(row.Inherent)) {
			t.Errorf("%d rounds: Rényi loss %v", rounds, l)
		}
	}
}

// TestExponential: numbers beyond float64 keep their digits.
func TestExponential(t *testing.T) {
	for _, c := range []struct {
		log  float64
		want string
	}{
		{math.Log(0.1829), "0.1829"}, {1000 * math.Ln10, "1.000e+1000"}, {-1000.5 * math.Ln10, "3.162e-1001"},
		{1000*math.Ln10 + math.Log(9.99996), "1.000e+1001"},
	} {
		if got := exponential(c.log); got != c.want {
			t.Errorf("e^%v is %s, want %s", c.log, got, c.want)
		}
	}
}

func almost(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance*math.Abs(want) }
