// Package renyi computes the Rényi divergence of mechanisms and the (ε, δ) guarantee that follows from it. It also has
// losses in closed form, exact where possible.
//
// A mechanism M is (α, ρ)-Rényi differentially private if D_α(M(x)‖M(y)) ≤ ρ for all neighbours x, y (Mironov, Rényi
// Differential Privacy, CSF 2017). At one order α the ρ of adaptively composed mechanisms add up (ibid., proposition
// 1). At α = ∞ it is pure ε-differential privacy.
//
// # Dominance
//
// A pair of distributions (P, Q) dominates another pair if one function, with coins of its own, makes the other pair
// from (P, Q): one member from P and the other from Q. No divergence of the other pair is then larger. For every convex
// f, E_Q[f(P/Q)] is at most as large for the other pair as for the dominating one (Blackwell, Equivalent Comparisons of
// Experiments, 1953; the ratio P/Q of the dominating pair is larger in convex order). A unit's effect on a release is
// dominated by
//
//   - noise N(0, σ²) and a shift by Δ, for Gaussian noise and any shift of L2 norm at most Δ: rotate, scale down and
//     add the missing noise;
//   - discrete Laplace noise and a shift by Δ in one cell, for such noise and any integer shift of L1 norm at most Δ,
//     as follows;
//   - continuous Laplace noise and a shift by Δ in one coordinate, for such noise and any shift of L1 norm at most Δ.
//
// The shift is a path of Δ steps by 1 in one cell each. A step changes no probability by more than the factor
// 1/r = e^(1/t). So a set that has probability p before a step has at most g(p) = min(p/r, 1−r(1−p)) after it. After
// the path it has at most g(g(…g(p))), Δ times. For one cell the sets {x ≥ k} attain this bound. Let G(m) = P[X ≥ m],
// which is r^m/(1+r) for m ≥ 0 and 1 − r^(1−m)/(1+r) for m ≤ 1. A shift by 1 takes G(m) to G(m−1) = g(G(m)). Between
// these points, where k is thrown in with some probability, g is linear. So at each p the one cell has the most
// powerful test, for either direction: one cell dominates (Blackwell).
//
// Continuous noise has a path of one step for each coordinate. Shift one coordinate by s. Let T_s(p) be the greatest
// probability afterwards among the sets that have probability p before. The other coordinates are distributed alike on
// both sides and do not help. The ratio of the densities grows along the coordinate, so half-lines attain T_s (Neyman
// and Pearson), and T_s(P[X ≥ m]) = P[X ≥ m−s]. So T_s(T_t(p)) = T_(s+t)(p). After the path a set has at most T_Δ(p),
// which one coordinate attains.
//
// Releases with one coin. Let a unit take part in several releases, or in none of them, by one coin of probability q.
// Later releases may depend on earlier results. Given the coin, take the moments of (1−q) + q·L₁L₂…L_n of any real
// order. They are expectations of convex functions of each L_i, given the others. From the last release back, each L_i
// may be replaced by the ratio of its dominating pair, which depends on nothing before it. So the independent product
// of the dominating pairs is the worst. A reflection of each coordinate swaps the product, and its curve without the
// coin is the sum of the pairs' curves: see Poisson.
//
// # Closed forms
//
//   - GaussianDelta, GaussianEpsilon: one release of Gaussian noise, or several of the same units without
//     sampling, exactly (Balle and Wang 2018);
//   - Rho, PureRho, ZCDPEpsilon, ZCDPEpsilonTight, ZCDPDelta: concentrated differential privacy;
//   - Guarantee: linear and strong composition, and amplification by sampling;
//   - MomentsEpsilon: the moments accountant of 2016, of any Rényi curve.
//
// Gaussian differential privacy by the central limit is not here: it is an approximation that may be below the loss.
//
// σ is noise over sensitivity: the noise's standard deviation divided by the largest L2 norm of a change. Noise is
// continuous. Replacing a unit may change a sum by √2 or 2 times as much as adding one; σ has to include the factor.
// log is the natural logarithm. Every ε, δ, ρ or σ that is a loss or a need of noise is rounded up, and an amount that
// may be spent is rounded down. Both roundings exceed the error of the arithmetic. +Inf is no guarantee. No argument
// within its range gives NaN.
package renyi
