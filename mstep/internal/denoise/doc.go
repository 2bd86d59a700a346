// Package denoise estimates non-negative numbers from noisy numbers by empirical Bayes. It post-processes public releases, so it
// costs no privacy.
//
// A released cell is y = s + N(0, τ²), with s ≥ 0 unknown and τ known from the ledger. Setting negative cells to 0, as
// the papers do, adds τ/√(2π) on average to every empty cell. At the noise that privacy needs, this bias exceeds the whole
// signal. Instead the prior of s is a mixture of exponential distributions around its expected size. The weights of the mixture
// are fitted to the noisy cells, and the estimate is the posterior mean.
package denoise
