package report

import (
	"math"
	"testing"

	"privpipe/account/internal/accountant"
	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
)

// groupOf reports what k documents lose by one grant's releases.
func groupOf(t *testing.T, k, releases int, q Query, change func(*event.Grant)) *Report {
	t.Helper()
	g := &event.Grant{
		Version: event.GrantVersion, ID: "g", Mechanism: event.Gaussian, Adjacency: event.AddRemove,
		Unit: event.Document, Clip: 1, NoiseMultiplier: 8,
		Subject: testkit.SubjectFor(event.Gaussian),
		Scheme:  event.Scheme{Method: event.All, Rate: 1, Rounds: releases}, Releases: releases,
	}
	change(g)
	if err := g.Check(); err != nil {
		t.Fatal(err)
	}
	b := new(testkit.Book)
	b.Begin(t)
	b.Of(t, g, releases, "run")
	q.LedgerChoice, q.Group = accountant.LedgerChoice{Accountant: "pld"}, k
	rep, err := q.Report(&b.Ledger)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// TestGroup: a Gaussian of k times the sensitivity is one of the k-th part of the noise, and in disjoint rounds all k
// in one round are the worst. Balle and Wang 2018, theorem 8: σ = 4.2247 is ε 1 at δ 1e-6, and σ/4 is ε 5.0306. Pure
// losses add up.
func TestGroup(t *testing.T) {
	for name, c := range map[string]struct {
		k        int
		change   func(*event.Grant)
		releases int
		delta    float64
		want     float64
	}{
		"one":  {1, func(g *event.Grant) { g.NoiseMultiplier = 4.2247 }, 1, 1e-6, 1},
		"four": {4, func(g *event.Grant) { g.NoiseMultiplier = 4 * 4.2247 }, 1, 1e-6, 1},
		"epoch": {4, func(g *event.Grant) {
			g.NoiseMultiplier, g.Scheme.Method, g.Scheme.Rate = 4*4.2247, event.Epoch, 0.5
		}, 2, 1e-6, 1},
		"laplace": {3, func(g *event.Grant) { g.Mechanism, g.NoiseMultiplier = event.Laplace, 10 }, 1, 0, 0.3},
	} {
		rep := groupOf(t, c.k, c.releases, Query{Delta: &c.delta}, c.change)
		if got := float64(rep.Group.Epsilon); !(math.Abs(got-c.want) < 2e-3) || rep.Group.Units != c.k {
			t.Errorf("%s: ε %v of %d, want %v", name, got, c.k, c.want)
		}
	}
	// Without a known sum the loss of one unit counts, by the formula: k·ε where it is pure, and 3.6100 by theorem 8 at
	// σ = 4. No sum is known in disjoint rounds of another mechanism, nor where units are exchanged.
	for name, c := range map[string]struct {
		change      func(*event.Grant)
		delta, want float64
	}{
		"laplace":   {func(g *event.Grant) { g.Mechanism = event.Laplace }, 0, 3. / 8},
		"exchanged": {func(g *event.Grant) { g.Adjacency = event.ReplaceOne }, 1e-6, 3.61},
	} {
		rep := groupOf(t, 3, 2, Query{Delta: &c.delta}, func(g *event.Grant) {
			g.Scheme.Method, g.Scheme.Rate = event.Epoch, 0.5
			c.change(g)
		})
		if got := float64(rep.Group.Epsilon); !(math.Abs(got-c.want) < 2e-3) || rep.Group.Theorem != groupTheorem {
			t.Errorf("%s of other rounds: ε %v by %s", name, got, rep.Group.Theorem)
		}
	}
}

// TestGroupOfOthers: the bound of k by one is the formula at every ε, and asked the other way round it is the same.
func TestGroupOfOthers(t *testing.T) {
	one := profile(func(epsilon float64) float64 { return math.Exp(-40 * epsilon) })
	for _, k := range []float64{1, 2, 7} {
		p := ofOthers{one, k}
		slight := ofOthers{profile(func(float64) float64 { return 0.01 }), k}
		if got, err := slight.Delta(0); err != nil || !(got >= 0.01*k && got <= 0.01*k*(1+1e-9)) {
			t.Errorf("k = %v: δ(0) is %v, want k·0.01 (%v)", k, got, err)
		}
		for _, e := range []float64{0.1, 0.5, 2} {
			got, err := p.Delta(k * e)
			want := math.Min(1, math.Exp(-40*e)*math.Expm1(k*e)/math.Expm1(e))
			if err != nil || !(got >= want && got <= want*(1+1e-9)) {
				t.Errorf("k = %v, ε = %v: δ %v, want %v (%v)", k, e, got, want, err)
			}
			if back, err := p.Epsilon(got); got < 1 && (err != nil || !(math.Abs(back/(k*e)-1) < 1e-4)) {
				t.Errorf("k = %v: ε %v at δ %v, want %v (%v)", k, back, got, k*e, err)
			}
		}
	}
}

type profile func(epsilon float64) float64

func (p profile) Delta(epsilon float64) (float64, error) { return p(epsilon), nil }

func (p profile) Epsilon(delta float64) (float64, error) { return math.Inf(1), nil }

// TestGroupByCoins: k units that take part by coins of their own, and add to one coordinate, lose less than is
// reported, as quadrature has it, and more than one of them does.
func TestGroupByCoins(t *testing.T) {
	for _, k := range []int{2, 5} {
		for _, q := range []float64{0.02, 0.3} {
			for _, sigma := range []float64{1, 4} {
				// At ε 1 and σ 4 hardly any δ is lost, and an answer would take seconds.
				for _, epsilon := range []float64{0.2 / sigma, 1 / sigma} {
					rep := groupOf(t, k, 1, Query{Epsilon: &epsilon}, func(g *event.Grant) {
						g.NoiseMultiplier, g.Scheme.Method, g.Scheme.Rate, g.Scheme.Secret = sigma, event.Poisson, q,
							true
					})
					truth := 0.0
					const step = 1e-3
					for z := -12 * sigma; z < float64(k)+12*sigma; z += step {
						phi := func(shift float64) float64 {
							return math.Exp(-(z-shift)*(z-shift)/(2*sigma*sigma)) / (sigma * math.Sqrt(2*math.Pi))
						}
						with, binomial := 0.0, math.Pow(1-q, float64(k))
						for j := range k + 1 {
							with += binomial * phi(float64(j))
							binomial *= float64(k-j) / float64(j+1) * q / (1 - q)
						}
						truth += max(0, with-math.Exp(epsilon)*phi(0)) * step
					}
					got := float64(rep.Group.Delta)
					if !(got >= truth*(1-1e-6)) || truth > 1e-12 && !(float64(rep.Delta) < truth && got < 20*truth) {
						t.Errorf("k = %d, q = %v, σ = %v, ε = %v: δ %v, quadrature has %v, and of one it is %v", k, q,
							sigma, epsilon, got, truth, rep.Delta)
					}
				}
			}
		}
	}
}
