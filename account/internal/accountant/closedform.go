package accountant

import (
	"errors"
	"fmt"
	"math"

	"privpipe/account/internal/loss"
	"privpipe/account/internal/renyi"
	"privpipe/account/internal/search"
	"privpipe/pipelines/event"
)

// A closedForm is a profile by formulas. Without a formula for δ, bisection over the formula for ε finds δ.
type closedForm struct {
	epsilon, delta func(float64) float64
}

// Epsilon implements loss.Profile.
func (p closedForm) Epsilon(delta float64) (loss.Bound, error) {
	return loss.Bound{Upper: p.epsilon(delta)}, nil
}

// Delta implements loss.Profile. It returns 1 if no smaller δ is known.
func (p closedForm) Delta(epsilon float64) (loss.Bound, error) {
	if p.delta != nil {
		return loss.Bound{Upper: p.delta(epsilon)}, nil
	}
	return loss.Bound{Upper: search.Bisect(LeastDelta, 1,
		func(delta float64) bool { return p.epsilon(delta) <= epsilon })}, nil
}

var errSampled = errors.New("its theorem is about noise without sampling: use pld or renyi")

func analytic(l *loss.List) (loss.Profile, string, error) {
	rounds, ok := l.Gaussians()
	if !ok {
		return nil, "", errors.New("its theorem is only about Gaussian noise")
	}
	squares := 0.0
	for _, g := range rounds {
		if g.Sampling != loss.All {
			return nil, "", errSampled
		}
		squares += float64(g.Count) / (g.Sigma * g.Sigma)
	}
	sigma := 1 / math.Sqrt(squares) * (1 - 1e-13) // rounded down: the sum of up to 10^3 kinds
	return closedForm{
		epsilon: func(delta float64) float64 { return renyi.GaussianEpsilon(sigma, delta) },
		delta:   func(epsilon float64) float64 { return renyi.GaussianDelta(sigma, epsilon) },
	}, "analytic Gaussian (Balle, Wang 2018, thm. 8); rounds as one release (Dong, Roth, Su 2022, cor. 3.3)", nil
}

func zcdp(l *loss.List) (loss.Profile, string, error) {
	rho, err := l.Rho()
	if err != nil {
		return nil, "", err
	}
	return closedForm{
		epsilon: func(delta float64) float64 { return renyi.ZCDPEpsilonTight(rho, delta) },
		delta:   func(epsilon float64) float64 { return renyi.ZCDPDelta(rho, epsilon) },
	}, "zCDP (Bun, Steinke 2016, prop. 1.4, 1.6, lemma 1.7); conversion (Canonne, Kamath, Steinke 2020, cor. 13)", nil
}

// FixedLambdas is how many λ are tried for sampling without replacement. The minimum of vips20 is among the first
// hundred.
const FixedLambdas = 1000

// moments is the moments accountant with λ up to lambdas(rate, sigma). Fewer λ make the bound larger, and it stays a
// bound.
func moments(l *loss.List, lambdas func(rate, sigma float64) int, which string) (loss.Profile, string, error) {
	rounds, ok := l.Gaussians()
	if !ok {
		return nil, "", errors.New("the moments accountant is only for Gaussian noise")
	}
	most := FixedLambdas
	theorem := "moments accountant (Abadi et al. 2016, thm. 2, " + which + ")"
	for _, g := range rounds {
		switch {
		case g.Sampling == loss.All:
			return nil, "", errors.New("the moments accountant is for sampling: without sampling use analytic")
		case g.Sampling == loss.Poisson && l.Adjacency == event.ReplaceOne:
			return nil, "", errors.New("the moments accountant takes coins under add-remove: under replace-one use " +
				"pld or renyi")
		case g.Sampling == loss.Fixed && which != ofLemma3:
			return nil, "", errors.New("the authors' code is for Poisson sampling: use moments")
		case g.Sampling == loss.Fixed:
			theorem = "moments accountant without replacement (Wang, Balle, Kasiviswanathan 2019, thm. 9 and 27; " +
				"tail bound of Abadi et al. 2016, thm. 2)"
			continue
		case lambdas(g.Rate, g.Sigma) == 0 && g.Rate*g.Sigma >= 1:
			return nil, "", fmt.Errorf("lemma 3 of Abadi et al. 2016 asks for q·σ below 1, is %.4g", g.Rate*g.Sigma)
		}
		most = min(most, lambdas(g.Rate, g.Sigma))
	}
	curve, _, err := l.Curve()
	if err != nil {
		return nil, "", err
	}
	return closedForm{epsilon: func(delta float64) float64 {
		epsilon, _ := renyi.MomentsEpsilon(curve, 1, delta, most)
		return loss.PaddedEpsilon(epsilon)
	}}, theorem, nil
}

func strong(l *loss.List) (loss.Profile, string, error) {
	round, rounds, theorem, err := textbook(l)
	return closedForm{epsilon: func(delta float64) float64 {
		g := round(delta / 2)
		slack := (delta - float64(rounds)*g.Delta) * (1 - 1e-12)
		if !(slack > 0) {
			return math.Inf(1)
		}
		return g.Strong(uint64(rounds), slack).Epsilon
	}}, "strong composition with half of δ as slack (Dwork, Roth 2014, thm. 3.20)" + theorem, err
}

func linear(l *loss.List) (loss.Profile, string, error) {
	round, rounds, theorem, err := textbook(l)
	return closedForm{epsilon: func(delta float64) float64 {
		whole := round(delta).Linear(uint64(rounds))
		if whole.Delta > delta {
			return math.Inf(1)
		}
		return whole.Epsilon
	}}, "linear composition (Dwork, Roth 2014, thm. 3.16)" + theorem, err
}

// textbook returns the guarantee of one of several equal rounds. The δ of all rounds together is at most delta.
func textbook(l *loss.List) (round func(delta float64) renyi.Guarantee, rounds int, theorem string, err error) {
	e, err := l.OneGuarantee()
	if err != nil {
		return nil, 0, "", err
	}
	theorem = " of rounds by the analytic Gaussian (Balle, Wang 2018, thm. 8)"
	if e.Gaussian == 0 {
		theorem = " of rounds"
	}
	switch e.Sampling {
	case loss.Poisson:
		theorem += ", amplified (Balle, Barthe, Gaboardi 2018, thm. 8)"
	case loss.Fixed:
		theorem += ", amplified (Balle, Barthe, Gaboardi 2018, thm. 9)"
	}
	return func(delta float64) renyi.Guarantee {
		g := renyi.Guarantee(e.Guarantee)
		if e.Gaussian > 0 {
			share := min(1, delta/float64(e.Count)/e.Rate*(1-1e-12))
			g = renyi.Guarantee{Epsilon: renyi.GaussianEpsilon(e.Gaussian, share), Delta: share}
		}
		return g.Amplified(e.Rate)
	}, e.Count, theorem, nil
}
