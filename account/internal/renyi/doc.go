// Package renyi computes the Rényi divergence of mechanisms and what (ε, δ) guarantee follows from it.
//
// A mechanism M is (α, ρ)-Rényi differentially private if D_α(M(x)‖M(y)) ≤ ρ for all neighbours x, y (Mironov, Rényi
// Differential Privacy, CSF 2017). At one order α the ρ of adaptively composed mechanisms add up (ibid., proposition 1).
// At α = ∞ it is pure ε-differential privacy.
//
// # Dominance
//
// A pair of distributions (P, Q) dominates another if the other is the same function, with coins of its own, of both. No
// divergence of the other is then larger, and E_Q[f(P/Q)] is at most that of the dominating pair for every convex f
// (Blackwell, Equivalent Comparisons of Experiments, 1953; the ratio P/Q is larger in convex order). What a unit does to a
// release is dominated by
//
//   - noise N(0, σ²) and a shift by Δ, for Gaussian noise and any shift of L2 norm at most Δ: rotate, scale down and add the
//     missing noise;
//   - discrete Laplace noise and a shift by Δ in one cell, for such noise and any integer shift of L1 norm at most Δ, as
//     follows;
//   - continuous Laplace noise and a shift by Δ in one coordinate, for such noise and any shift of L1 norm at most Δ.
//
// The shift is a path of Δ steps by 1 in one cell each. A step changes no probability by more than the factor 1/r =
// e^(1/t). So a set that has probability p before a step has at most g(p) = min(p/r, 1−r(1−p)) after it, and at most
// g(g(…g(p))), Δ times, after the path. For one cell the sets {x ≥ k} attain this: with G(m) = P[X ≥ m], which is
// r^m/(1+r) for m ≥ 0 and 1 − r^(1−m)/(1+r) for m ≤ 1, a shift by 1 takes G(m) to G(m−1) = g(G(m)); and between these
// points, where k is thrown in with some probability, g is linear. So at each p the one cell has the most powerful test,
// for either direction, and that is dominance (Blackwell).
//
// Continuous noise has a path of one step for each coordinate. Let T_s(p) be the greatest probability after a shift by s of
// one coordinate, of a set that has probability p before it. The other coordinates are distributed alike on both sides
// and do not help. The ratio of the densities grows along the coordinate, so that half-lines attain T_s (Neyman and Pearson), and
// T_s(P[X ≥ m]) = P[X ≥ m−s]. So T_s(T_t(p)) = T_(s+t)(p), and after the path a set has at most T_Δ(p), which one
// coordinate attains.
//
// Releases with one coin. Let a unit take part in several releases, or in none of them, by one coin of probability q, and
// let later ones depend on earlier results. Given the coin, the moments of (1−q) + q·L₁L₂…L_n of any real order are
// expectations of convex functions of each L_i, given the others. From the last release back each L_i may be replaced by
// that of its dominating pair, which depends on nothing before it. So the independent product of the dominating pairs is
// the worst; a reflection of each coordinate swaps it; and its curve without the coin is the sum of theirs: see Poisson.
package renyi
