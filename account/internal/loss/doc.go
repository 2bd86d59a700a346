// Package loss says what was released, as a list of events, and bounds what that costs together: by Rényi curves (package renyi),
// and by privacy loss distributions (package pld).
//
// An event is releases of one kind: mechanisms that add noise, and how units came to take part. Its bounds rest on
// the worst pair of distributions that it can give two neighbours. A list is of one neighbouring relation.
//
// # Whole numbers
//
// The privatizer's noise is of whole steps. A discrete Gaussian of parameter s on whole numbers is nearly what one gets
// by two draws: y from the continuous N(c, s²−t²), then z from the discrete Gaussian of parameter t with center y, of
// probabilities e^(−(z−y)²/(2t²))/Σ. The sum is t√(2π)·(1 ± η), η = 2Σ_{k≥1} e^(−2π²t²k²), for every y (Poisson's summation
// formula; Peikert, An Efficient and Parallel Gaussian Sampler for Lattices, CRYPTO 2010, theorem 3.1). So for every integer
// c the probability of z is that of the discrete Gaussian of parameter s and center c, up to a factor of at most
// (1+η)/(1−η): both are e^(−(z−c)²/(2s²)) except for that. The second draw does not ask for c. So all that is proved of continuous
// noise of parameter √(s²−t²), sampled in any way, holds for the discrete one except for that factor, a cell; with t = 3, at most
// e^(1e-76), and for 2^31 cells and 10^9 rounds e^(1e-57), below what rounding up adds. That is Gaussian.continuous.
// Where a symmetric matrix has noise of s/√2 off the diagonal, t² there is twice as large a share of it.
//
// The other way round, let a unit move one cell by a whole number, and add a continuous N(0, t²) to that cell. At y the sum has
// the density of N(0, s²+t²), up to the same factor with τ² = s²t²/(s²+t²) in place of t²: its terms are
// e^(−x²/(2s²)−(y−x)²/(2t²)) = e^(−y²/(2(s²+t²)))·e^(−(x−c)²/(2τ²)), c = y·s²/(s²+t²), and Poisson's formula adds them up. So
// what the discrete noise loses is at least that of continuous noise of parameter √(s²+t²), except for a factor of e^(1e-68) with
// t = 3 and s ≥ 10. Lower bounds are those of it.
//
// A discrete Laplace of scale b on whole numbers, under a shift of L1 norm at most Δ, is dominated by that in one cell (package
// renyi). There its loss is (Δ−2k)/b, 0 ≤ k ≤ Δ, and at ε of these values, with r = e^(−1/b), from P[X ≥ Δ−k+1] under each,
//
//	δ(ε) = 1 − r^k/(1+r) − e^ε·r^(Δ−k+1)/(1+r) = 1 − r^k = 1 − e^((ε−Δ/b)/2),
//
// just that of the continuous Laplace of scale b and shift Δ. In between it is linear in e^ε, falls with ε, and the values are
// 2/b apart: at most δ at the value below, which is δ(ε) of the continuous Laplace with shift Δ+2. The
// pair is symmetric, so it is dominated. That is Laplace.continuous. As 1 − e^((ε−Δ/b)/2) is convex in e^ε, its chords are not
// below it, so that the discrete Laplace in one cell loses at least what the continuous one of shift Δ does: lower bounds are
// those of it.
package loss
