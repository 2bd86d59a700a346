// Package denoise estimates non-negative numbers from noisy ones by empirical Bayes. All of it is post-processing of
// what is public already, so it costs no privacy.
//
// A released cell is y = s + N(0, τ²), with s ≥ 0 unknown and τ known from the ledger. Setting negative cells to 0, as
// the papers do, adds τ/√(2π) to every empty cell: at the noise that privacy needs, more than all the signal. Instead
// the prior of s is a mixture of exponential distributions around its expected size, whose weights are fitted to the
// noisy cells themselves, and the estimate is the posterior mean.
package denoise
