// Package pld bounds the privacy loss of compositions by privacy loss distributions, from above and from below.
//
// Two neighbours give a release the distributions P and Q. Its privacy loss is L = log(P/Q)(x) with x from P, and with
// losses of independent releases added up to X (Dwork and Rothblum, Concentrated Differential Privacy, 2016),
//
//	δ(ε) = E[(1 − e^(ε−X))₊].
//
// P and Q are a dominating pair of the release (see package renyi): then this holds for every adaptive composition too, if
// which releases are made is fixed beforehand (Zhu, Dong and Wang, Optimal Accounting of Differential Privacy via
// Characteristic Function, AISTATS 2022, theorem 10). The pair the other way round is the other direction; the larger δ is
// taken.
//
// # Upper bound
//
// L is put on the grid of the multiples of h, "connecting the dots": what falls between two of them is divided so that its
// probability stays the same under P and under Q (Doroshenko, Ghazi, Kamath, Kumar and Manurangsi, Connect the Dots: Tighter
// Discrete Approximations of Privacy Loss Distributions, PETS 2022). So δ is exact at the grid's points and too large
// between them. The masses are integrals of positive functions, by Gauss-Legendre rules whose error is bounded beforehand,
// so each has a relative error η; a measure that is larger everywhere has the larger δ. What a cut-off tail holds under P is
// added to δ (right), or moved up to the grid's first point (left).
//
// The grid's losses are added by a discrete Fourier transform, of P tilted by e^(sL) (Esscher, 1932) so that what matters
// for the wanted δ is in the middle of the window; δ has a small relative error however small it is. What the
// window leaves out at each end is bounded by Chernoff's bound on the grid's own distribution, some 1e-6 of δ, and added.
// Rounding errors of the transform are bounded through its sums: see transformError. Of a release only the masses other than
// the greatest are transformed, so that many releases that tell almost nothing have an error in proportion to what they
// tell. After some releases the product is nothing but at low frequencies, and only those of the next ones are worked out:
// see band.
//
// The direction that seems to have the larger answer is worked out first. Of the other, one moment on the same grid often
// shows that its answer is not larger (Canonne, Kamath and Steinke 2020, proposition 12), and else its own bounds. The tilt
// is chosen before by a sketch of the losses, and again if ε turns out elsewhere: no bound depends on that.
//
// # Lower bound
//
// Connecting the dots is rounding at random: the grid's loss is Y = X + N + M, with N of mean 0 given X and 0 ≤ M ≤ m. One
// release's N lies in an interval of length h, so N is sub-Gaussian with parameter V = T·h²/4 (Hoeffding, Probability
// Inequalities for Sums of Bounded Random Variables, 1963, lemma 1), T the number of releases, and m = T·h²(1+h)/8 (the
// largest distance of the concave (1−e^(−θh))/(1−e^−h) from its chord θ, θ in [0, 1], times h). Let f(x) = (1−e^(−x))₊ and
// w = √V < 1. Then
//
//	f(x) ≥ E f(x+N) − E A(x+N),   A(y) = e^(1/2)·w/(1−w)·e^(−|y|/w):
//
// f exceeds its tangent's concave side only beyond the kink, by at most E(N−d)₊ ≤ w·e^(−d/w−1/2) from d below it, and by at
// most E(e^(−N−d)−1)₊ ≤ w/(1−w)·e^(−d/w−1/2) from d above (both by Markov's inequality for e^(±N/w)), while E|d+N| ≤ |d|+w
// and Jensen's inequality give E e^(−|d+N|/w) ≥ e^(−|d|/w−1). With the shift by M, of which A changes by e^(m/w) at most,
//
//	δ(ε) ≥ E f(Y−ε−m) − e^(m/w)·E A(Y−ε−m).
//
// Of few releases the losses move up by at most h each: δ(ε) ≥ E f(Y−ε−T·h) is the better one where δ falls steeply with ε.
// Losses that are on the grid already do not count in T.
//
// So the lower bound is a second functional of the same distribution, and the difference is of the second order in h, V
// times the density of Y. Left tails cost a factor 1−T·P[tail], as f grows with each loss.
package pld
