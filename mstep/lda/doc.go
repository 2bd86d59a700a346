// Package lda is the M-step of latent Dirichlet allocation on released statistics.
//
// The statistic S_kv, the expected count of word v in topic k over all documents, is followed by natural-gradient
// steps (Hoffman, Blei and Bach 2010, algorithm 2, lines 10 to 12): S ← (1−ρ_t)S + ρ_t R_t/q with ρ_t = (τ0 + t)^−κ,
// where R_t is the released sum of a round and q the public sampling rate, so λ = η + S. S is never corrected: its noise
// has mean 0 and averages out over rounds. Topics are estimated from it anew each time they are needed (estimate.go).
package lda
