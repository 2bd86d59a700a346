// Package shuffle bounds the loss of local reports that a trusted shuffler puts in random order (amplification by
// shuffling).
//
// Each of n authors sends one report, made by one randomizer that is ε₀-differentially private with δ = 0. The shuffler
// sends the reports on in uniformly random order, without names or times. Neighbours differ in one author's document
// (replace-one); n is public.
//
// Feldman, McMillan, Talwar, Hiding Among the Clones: A Simple and Nearly Optimal Analysis of Privacy Amplification by
// Shuffling (FOCS 2021), theorem 3.2: the shuffled reports lose no more than the pair
//
//	(A + Δ, C − A + 1 − Δ), (A + 1 − Δ, C − A + Δ),
//	C ~ Bin(n−1, e^−ε₀), A ~ Bin(C, ½), Δ ~ Bernoulli(e^ε₀/(e^ε₀ + 1)).
//
// Proof for one randomizer R without interaction. Let R₀ and R₁ be the distributions of the first author's report under
// the two documents, and e = exp(ε₀) > 1. Q₀ = (e·R₀ − R₁)/(e − 1) and Q₁ = (e·R₁ − R₀)/(e − 1) are distributions,
// because R₁ ≤ e·R₀ and R₀ ≤ e·R₁. They give R₀ = e/(e+1)·Q₀ + 1/(e+1)·Q₁, R₁ with both exchanged, and
// R₀ + R₁ = Q₀ + Q₁.
//
// The report of another author is R ≥ R₀/e and R ≥ R₁/e, so R ≥ (Q₀ + Q₁)/(2e). With probability 1/e it is a clone: it
// is drawn from Q₀ or from Q₁ by a fair coin. Else it is drawn from a rest of its own.
//
// Count the draws from Q₀ and the draws from Q₁, the first author's included. The shuffled reports can be drawn from
// these two numbers alone: the set of the C other authors with clones is uniform and the same for both documents. The
// two numbers are the pair above. Draws from them lose no more.
package shuffle
