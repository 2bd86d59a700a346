// Package loss describes releases as a list of events, and bounds their joint privacy loss: by Rényi curves (package
// renyi), and by privacy loss distributions (package pld).
//
// An event is a number of equal releases: the mechanisms that add noise, and the way units take part. Its bounds rest
// on the worst pair of distributions that two neighbours can have. All events in a list have the same neighbouring
// relation.
//
// Each mechanism has a file, and a Kind in Kinds.
//
// # Whole numbers
//
// The privatizer's noise is in whole steps. This section shows that discrete noise loses about as much as continuous
// noise.
//
// A discrete Gaussian on whole numbers with parameter s is nearly the result of two draws. Draw y from the continuous
// N(c, s²−t²). Then draw z from the discrete Gaussian of parameter t with center y, which has probabilities
// e^(−(z−y)²/(2t²))/Σ. For every y the sum Σ is t√(2π)·(1 ± η), η = 2Σ_{k≥1} e^(−2π²t²k²) (Poisson's summation formula;
// Peikert, An Efficient and Parallel Gaussian Sampler for Lattices, CRYPTO 2010, theorem 3.1). So for every integer c,
// z has the probability of the discrete Gaussian with parameter s and center c, up to a factor of at most (1+η)/(1−η).
// Both are proportional to e^(−(z−c)²/(2s²)) except for this factor. The second draw does not need c. So every bound
// for continuous noise of parameter √(s²−t²), sampled in any way, holds for the discrete noise, except for this factor
// in each cell. With t = 3 the factor is at most e^(1e-76). For 2^31 cells and 10^9 rounds it is e^(1e-57), below the
// effect of rounding up. Gaussian.continuous computes this noise. A symmetric matrix has noise of s/√2 off the
// diagonal. There t² is twice as large a share of the variance.
//
// Conversely, let a unit move one cell by a whole number, and add a continuous N(0, t²) to that cell. At y the sum has
// the density of N(0, s²+t²), up to the same factor with τ² = s²t²/(s²+t²) in place of t². The density's terms are
// e^(−x²/(2s²)−(y−x)²/(2t²)) = e^(−y²/(2(s²+t²)))·e^(−(x−c)²/(2τ²)), c = y·s²/(s²+t²), and Poisson's formula adds them
// up. So the discrete noise loses at least as much as continuous noise of parameter √(s²+t²), except for a factor of
// e^(1e-68) with t = 3 and s ≥ 10. Lower bounds are computed for this continuous noise.
//
// A discrete Laplace on whole numbers with scale b, under a shift of L1 norm at most Δ, is dominated by the same noise
// and shift in one cell (package renyi). There the loss is (Δ−2k)/b, 0 ≤ k ≤ Δ. At an ε with one of these values, with
// r = e^(−1/b), P[X ≥ Δ−k+1] under each distribution gives
//
//	δ(ε) = 1 − r^k/(1+r) − e^ε·r^(Δ−k+1)/(1+r) = 1 − r^k = 1 − e^((ε−Δ/b)/2).
//
// This equals δ(ε) of the continuous Laplace with scale b and shift Δ. Between these values δ is linear in e^ε, and it
// falls with ε. The values are 2/b apart. So δ is at most its value at the next lower of them, which is at most δ(ε) of
// the continuous Laplace with shift Δ+2. The pair is symmetric, so it is dominated. Laplace.continuous computes this
// noise. As 1 − e^((ε−Δ/b)/2) is convex in e^ε, its chords are not below it. So the discrete Laplace in one cell loses
// at least as much as the continuous one with shift Δ. Lower bounds are computed for this continuous noise.
package loss
