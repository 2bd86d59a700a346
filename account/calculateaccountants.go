package main

import (
	"errors"
	"fmt"
	"math"

	"privpipe/account/internal/classic"
	"privpipe/account/internal/renyi"
	"privpipe/account/internal/wor"
	"privpipe/pipelines/event"
)

// An accountant bounds the loss of a problem. Its numbers are rounded up; +Inf is no bound.
type accountant struct {
	name string
	// proves names what the bound rests on, or says why there is none. It does not depend on the noise where that is 0.
	proves  func(p *problem) (theorem string, err error)
	epsilon func(p *problem, delta float64) float64
	delta   func(p *problem, epsilon float64) float64 // nil: by bisection of epsilon
}

// accountants are those with theorems.
var accountants = []*accountant{
	{
		name: "renyi", proves: provesRenyi,
		epsilon: func(p *problem, delta float64) float64 {
			epsilon, _ := renyi.Epsilon(p.composed(), delta)
			return paddedEpsilon(epsilon)
		},
		delta: func(p *problem, epsilon float64) float64 {
			delta, _ := renyi.Delta(p.composed(), epsilon)
			return paddedDelta(delta)
		},
	},
	{
		name: "analytic",
		proves: unsampled("analytic Gaussian (Balle, Wang 2018, thm. 8); " +
			"rounds as one release (Dong, Roth, Su 2022, cor. 3.3)"),
		epsilon: func(p *problem, delta float64) float64 { return classic.GaussianEpsilon(p.joint(), delta) },
		delta:   func(p *problem, epsilon float64) float64 { return classic.GaussianDelta(p.joint(), epsilon) },
	},
	{
		name: "zcdp",
		proves: unsampled("zCDP (Bun, Steinke 2016, prop. 1.6, lemma 1.7); " +
			"conversion (Canonne, Kamath, Steinke 2020, cor. 13)"),
		epsilon: func(p *problem, delta float64) float64 { return classic.ZCDPEpsilonTight(p.rho(), delta) },
		delta:   func(p *problem, epsilon float64) float64 { return classic.ZCDPDelta(p.rho(), epsilon) },
	},
	{name: "moments", proves: provesMoments, epsilon: func(p *problem, delta float64) float64 {
		most := vipsLambdas
		if p.scheme.Method == event.Poisson {
			most = classic.MomentsLambda(p.rate(), p.sigma())
		}
		epsilon, _ := classic.MomentsEpsilon(p.curve(), p.rounds(), delta, most)
		return paddedEpsilon(epsilon)
	}},
	{
		name: "strong", proves: textbook("strong composition with half of δ as slack (Dwork, Roth 2014, thm. 3.20)"),
		epsilon: func(p *problem, delta float64) float64 {
			return p.amplifiedRound(delta/2).Strong(p.rounds(), delta/2*(1-1e-12)).Epsilon
		},
	},
	{
		name: "linear", proves: textbook("linear composition (Dwork, Roth 2014, thm. 3.16)"),
		epsilon: func(p *problem, delta float64) float64 { return p.amplifiedRound(delta).Linear(p.rounds()).Epsilon },
	},
}

// vipsLambdas is how many λ are looked at without replacement; vips20's minimum is among the first hundred.
const vipsLambdas = 1000

// roundoff is more than the relative error of a bound by Rényi's curves: they round up what is lost by cancellation, and the
// rest is sums of up to 2^16 positive terms.
const roundoff = 1e-9

// paddedEpsilon rounds ε up. At the large orders that prove a small ε, the terms of the conversion are below 1.
func paddedEpsilon(epsilon float64) float64 { return epsilon*(1+roundoff) + 1e-14 }

// paddedDelta rounds δ up. One that is below float64's range is not 0.
func paddedDelta(delta float64) float64 {
	return min(1, max(delta*(1+roundoff), math.SmallestNonzeroFloat64))
}

// curve is the Rényi curve of a round.
func (p *problem) curve() renyi.Curve {
	q, sigma := p.rate(), p.sigma()
	if p.scheme.Method == event.Fixed {
		return wor.Gaussian(q, sigma)
	}
	return func(alpha float64) float64 { return renyi.PoissonGaussian(q, sigma, alpha) }
}

// composed is the Rényi curve of all rounds.
func (p *problem) composed() renyi.Curve {
	curve := p.curve()
	return renyi.Remember(func(alpha float64) float64 { return float64(p.scheme.Rounds) * curve(alpha) })
}

func (p *problem) joint() float64 { return classic.JointSigma(p.sigma(), p.rounds()) }

func (p *problem) rho() float64 { return classic.Rho(p.sigma(), p.rounds()) }

// amplifiedRound is the guarantee of one round, of a δ that adds up to delta over all.
func (p *problem) amplifiedRound(delta float64) classic.Guarantee {
	whole := min(1, delta/float64(p.scheme.Rounds)/p.rate()*(1-1e-12))
	return classic.Guarantee{Epsilon: classic.GaussianEpsilon(p.sigma(), whole), Delta: whole}.Amplified(p.rate())
}

var errReplacedPoisson = errors.New("no theorem here for Poisson sampling under replace-one: " +
	"use --fixed or --adjacency add-remove")

func (p *problem) replacedPoisson() bool {
	return p.scheme.Method == event.Poisson && p.adjacency == event.ReplaceOne
}

func provesRenyi(p *problem) (string, error) {
	const rest = "; composition (Mironov 2017, prop. 1); conversion (Canonne, Kamath, Steinke 2020, prop. 12)"
	switch {
	case p.replacedPoisson():
		return "", errReplacedPoisson
	case p.scheme.Method == event.Poisson:
		return "sampled Gaussian (Mironov, Talwar, Zhang 2019, §3.3)" + rest, nil
	case p.scheme.Method == event.Fixed:
		return "sampling without replacement (Wang, Balle, Kasiviswanathan 2019, thm. 9 and 27)" + rest, nil
	}
	return "Gaussian (Mironov 2017, prop. 7)" + rest, nil
}

func provesMoments(p *problem) (string, error) {
	switch {
	case p.replacedPoisson():
		return "", errReplacedPoisson
	case p.scheme.Method == event.All:
		return "", errors.New("the moments accountant is for sampling: use analytic with --all")
	case p.scheme.Method == event.Fixed:
		return "moments accountant without replacement (Wang, Balle, Kasiviswanathan 2019, thm. 9 and 27; " +
			"tail bound of Abadi et al. 2016, thm. 2)", nil
	case p.rate()*p.noise/p.sensitivity >= 1:
		return "", fmt.Errorf("lemma 3 of Abadi et al. 2016 asks for q·σ below 1, is %.4g", p.rate()*p.noise/p.sensitivity)
	}
	return "moments accountant (Abadi et al. 2016, thm. 2, λ of lemma 3)", nil
}

// unsampled is proves of a theorem about noise without sampling.
func unsampled(theorem string) func(*problem) (string, error) {
	return func(p *problem) (string, error) {
		if p.scheme.Method != event.All {
			return "", errors.New("its theorem is about noise without sampling: use renyi, or --all")
		}
		return theorem, nil
	}
}

// textbook is proves of a composition theorem of rounds that are amplified one by one.
func textbook(theorem string) func(*problem) (string, error) {
	return func(p *problem) (string, error) {
		theorem := theorem + " of rounds by the analytic Gaussian (Balle, Wang 2018, thm. 8)"
		switch {
		case p.replacedPoisson():
			return "", errReplacedPoisson
		case p.scheme.Method == event.Poisson:
			theorem += ", amplified (Balle, Barthe, Gaboardi 2018, thm. 8)"
		case p.scheme.Method == event.Fixed:
			theorem += ", amplified (Balle, Barthe, Gaboardi 2018, thm. 9)"
		}
		return theorem, nil
	}
}

// deltaAt returns the least δ at epsilon; 1 where there is no other.
func (a *accountant) deltaAt(p *problem, epsilon float64) float64 {
	if a.delta != nil {
		return a.delta(p, epsilon)
	}
	return leastOf(leastDelta, 1, func(delta float64) bool { return a.epsilon(p, delta) <= epsilon })
}

// solve returns the problem with the least noise for which the accountant proves (ε, δ).
func (p *problem) solve(a *accountant, epsilon, delta float64) (*problem, error) {
	solved := *p
	if _, err := a.proves(&solved); err != nil {
		return nil, err
	}
	holds := func(noise float64) bool {
		solved.noise = noise
		_, err := a.proves(&solved)
		return err == nil && a.epsilon(&solved, delta) <= epsilon
	}
	low, most := leastSigma*p.sensitivity, mostSigma*p.sensitivity
	// By steps of 2 first: an accountant may hold up to some noise only, and large noise takes long.
	high := low
	for !holds(high) {
		low, high = high, 2*high
		if high > most {
			return nil, fmt.Errorf("no noise that it accounts for has ε %v at δ %v", epsilon, delta)
		}
	}
	solved.noise = leastOf(low, high, holds)
	return &solved, nil
}

// leastOf returns the least x in [low, high] for which holds, a condition that stays true for larger ones, is true, but for
// 1e-9 of it. high is not asked.
func leastOf(low, high float64, holds func(float64) bool) float64 {
	if holds(low) {
		return low
	}
	for high/low > 1+1e-9 {
		middle := math.Sqrt(low) * math.Sqrt(high)
		if holds(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}
