// Package denoise estimates non-negative numbers from noisy numbers by empirical Bayes. It post-processes public
// releases, so it costs no privacy.
//
// A released cell is y = s + N(0, τ²), with s ≥ 0 unknown and τ known from the ledger. The papers set negative cells to
// 0. This adds τ/√(2π) on average to every empty cell. At the noise that privacy needs, this bias exceeds the whole
// signal. Here, instead, the prior of s is a mixture of exponential distributions around its expected size. The
// mixture's weights are fitted to the noisy cells, and the estimate is the posterior mean.
package denoise
