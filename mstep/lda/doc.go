// Package lda is the M-step of latent Dirichlet allocation on released statistics.
//
// The learner tracks the statistic S_kv, the expected count of word v in topic k over all documents. It takes
// natural-gradient steps (Hoffman, Blei and Bach 2010, algorithm 2, lines 10 to 12): S ← (1−ρ_t)S + ρ_t R_t/q with ρ_t
// = (τ0 + t)^−κ. R_t is the released sum in round t, q is the public sampling rate, and λ = η + S. S itself is never
// denoised: its noise has mean 0 and averages out over rounds. Topics are estimated from S each time they are needed
// (estimate.go).
//
// With Options.Accumulate releases are increments: the changes since the round before in the counts of all documents, S
// ← S + R_t. The noise of all rounds then stays in S, and the variances add up.
package lda
