// Package pld bounds the privacy loss of compositions by privacy loss distributions, from above and from below.
//
// Two neighbours give a release the distributions P and Q. Its privacy loss is L = log(P/Q)(x) with x from P. Let X be
// the sum of the losses of independent releases (Dwork and Rothblum, Concentrated Differential Privacy, 2016). Then
//
//	δ(ε) = E[(1 − e^(ε−X))₊].
//
// Let P and Q be a dominating pair of the release (see package renyi). Then this holds for every adaptive composition
// too, if the choice of releases is fixed beforehand (Zhu, Dong and Wang, Optimal Accounting of Differential Privacy
// via Characteristic Function, AISTATS 2022, theorem 10). The pair the other way round is the other direction; the
// larger δ is taken.
//
// # Upper bound
//
// L is put on the grid of the multiples of h by "connecting the dots": probability between two multiples is divided
// among them so that it stays the same under P and under Q (Doroshenko, Ghazi, Kamath, Kumar and Manurangsi, Connect
// the Dots: Tighter Discrete Approximations of Privacy Loss Distributions, PETS 2022). So δ is exact at the grid's
// points and too large between them. The masses are integrals of positive functions, by Gauss-Legendre rules with an
// error that is bounded beforehand. So each mass has a relative error η; a measure that is larger everywhere has the
// larger δ. A cut-off right tail's probability under P is added to δ. A cut-off left tail is moved up to the grid's
// first point.
//
// A discrete Fourier transform adds the grid's losses. It takes P tilted by e^(sL) (Esscher, 1932), so that the part
// that matters for the wanted δ is in the middle of the window. δ has a small relative error however small it is. The
// probability beyond each end of the window is bounded by Chernoff's bound on the grid's own distribution, some 1e-6 of
// δ, and added. The transform's rounding errors are bounded through its sums: see transformError. Only a release's
// masses other than the greatest are transformed. Thus many releases that tell almost nothing have an error in
// proportion to the little they tell.
//
// After some releases the product vanishes except at low frequencies, and only these frequencies are worked out for the
// next releases: see band. Where a short transform of the releases shows this beforehand (see lowpass), the whole
// window is not transformed: δ is a sum over the low frequencies, see series.
//
// The direction that seems to have the larger answer is worked out first. Often one moment on the same grid shows that
// the other direction's answer is not larger (Canonne, Kamath and Steinke 2020, proposition 12). If not, its own bounds
// are worked out. A sketch of the losses chooses the tilt before, and again if ε turns out elsewhere: no bound depends
// on the choice.
//
// # Lower bound
//
// Connecting the dots is rounding at random: the grid's loss is Y = X + N + M, with N of mean 0 given X and 0 ≤ M ≤ m.
// Let T be the number of releases. One release's N lies in an interval of length h, so N is sub-Gaussian with parameter
// V = T·h²/4 (Hoeffding, Probability Inequalities for Sums of Bounded Random Variables, 1963, lemma 1). M is at most
// m = T·h²(1+h)/8: for each release, h times the largest distance of the concave (1−e^(−θh))/(1−e^−h) from its chord θ,
// θ in [0, 1]. Let f(x) = (1−e^(−x))₊ and w = √V < 1. Then
//
//	f(x) ≥ E f(x+N) − E A(x+N),   A(y) = e^(1/2)·w/(1−w)·e^(−|y|/w):
//
// f exceeds its tangent's concave side only beyond the kink. The excess is at most E(N−d)₊ ≤ w·e^(−d/w−1/2) from d
// below the kink, and at most E(e^(−N−d)−1)₊ ≤ w/(1−w)·e^(−d/w−1/2) from d above (both by Markov's inequality for
// e^(±N/w)). E|d+N| ≤ |d|+w and Jensen's inequality give E e^(−|d+N|/w) ≥ e^(−|d|/w−1). The shift by M changes A by a
// factor of at most e^(m/w), so
//
//	δ(ε) ≥ E f(Y−ε−m) − e^(m/w)·E A(Y−ε−m).
//
// For few releases another bound is better where δ falls steeply with ε: their losses move up by at most h each, so
// δ(ε) ≥ E f(Y−ε−T·h). Losses that are on the grid already do not count in T.
//
// So the lower bound is a second functional of the same distribution. The difference from the upper bound is of the
// second order in h: V times the density of Y. Left tails cost a factor 1−T·P[tail], as f grows with each loss.
//
// Lower bounds hold for the parameters as they were before a caller rounded them towards more loss: see roundedBefore
// and window.lowerEpsilon.
//
// # A unit exchanged, by a coin
//
// GaussianReplace and GaussianReplaceOrthogonal are for a sum with Gaussian noise. Each unit takes part by a secret
// coin of probability q, and neighbours exchange one unit for another. The new unit has the old one's place, and so its
// coin. Given the coins of all other units, their sum is the same on both sides and may be left out. The two units have
// contributions u and v, of norms at most C. The release is
//
//	P = (1−q)·N(0, σ²I) + q·N(u, σ²I),   Q = (1−q)·N(0, σ²I) + q·N(v, σ²I).
//
// The hockey-stick divergence H_a(P‖Q) = sup P(S) − a·Q(S) over all sets S is jointly convex in P and Q. The others'
// coins have one distribution on both sides, so H_a of the mixtures over them is at most the largest H_a given their
// coins.
//
// Claim: for every a ≥ 0, H_a(P‖Q) is at most its value for two contributions of norm C with the smallest possible
// inner product. This product is −C² in general: the contributions are opposite. It is 0 if no coordinate of u and v is
// negative: they are orthogonal. So this pair dominates, in both directions (Zhu, Dong and Wang 2022, definition 7),
// and pairs that dominate compose (ibid., theorem 10).
//
// Norms. Add one dimension for each unit, orthogonal to all others, and give each unit the coordinate there that makes
// its norm C. The coordinates do not change ⟨u, v⟩. Ignoring the new dimensions gives the release as it was: that is
// post-processing, which does not raise H_a. So the norms may be taken as C.
//
// Correlation. Let z be from N(0, σ²I), X = ⟨u, z⟩/σ² and Y = ⟨v, z⟩/σ². They are jointly normal with means 0,
// variances C²/σ² and covariance r = ⟨u, v⟩/σ². Over the density of N(0, σ²I), P has the density g(X) and Q has g(Y),
// with g(x) = 1−q + q·e^(x−C²/(2σ²)), so that
//
//	H_a(P‖Q) = E f(X, Y),   f(x, y) = (g(x) − a·g(y))₊.
//
// Take at first φ(t) = (t+√(t²+s²))/2, s > 0, in place of t₊. It is smooth and convex, 0 < φ′ < 1 and φ″ ≤ 1/(2s), so
// that f and its derivatives grow no faster than e^(2|x|+2|y|). As g grows,
//
//	∂²f/∂x∂y = −a·φ″(g(x) − a·g(y))·g′(x)·g′(y) ≤ 0.
//
// The normal density p of covariance r has ∂p/∂r = ∂²p/∂x∂y (Plackett, A Reduction Formula for Normal Multivariate
// Integrals, Biometrika 1954, equation 3). By parts, twice, dE f/dr = E ∂²f/∂x∂y ≤ 0 for |r| < C²/σ², and E f is
// continuous up to the ends. So E f falls with r. As 0 ≤ φ(t) − t₊ ≤ s/2, H_a is the limit of such functions for s to
// 0, and falls with r, too. The smallest inner product is the worst, and the claim follows.
//
// Several sums of one batch have one coin: u and v have a part for each sum, and later parts may depend on earlier
// results. With U_i = e^(X_i−C_i²/(2σ_i²)) and V_i likewise, the densities over the noise's density are
// 1−q + q·U_1·U_2·… and 1−q + q·V_1·V_2·…. Given the results before the last sum, both steps hold for the last sum: the
// mixed derivative of φ(A + B·U − a·(A + D·V)), with B, D ≥ 0, is not positive either. So the worst parts of u and v
// there are opposite, or orthogonal, whatever came before, and the same steps hold for the sum before it. Together the
// sums are one sum of norm √(Σ C_i²/σ_i²) with noise 1.
//
// The loss of the orthogonal pair: with u and v along two axes, log(P/Q) = log g(X) − log g(Y). Under P, X and Y are
// independent; X is distributed as with a unit, and Y as without. The first term is a removal's loss, the second one an
// addition's. So the loss is a sum of independent losses of Gaussian and of its opposite.
//
// ‖u−v‖ ≤ √2·C alone is not enough for the orthogonal pair. Keep ‖u‖ = C and ‖u−v‖² = 2·C², so that
// r = (‖v‖²−C²)/(2σ²), and let b = ‖v‖²/σ² fall from C²/σ². With V = e^(Y−b/2), dE f/db = a·q²/2·E[φ″·V·(aV−U)]. As s
// goes to 0, φ″ is concentrated on the edge q·(U−aV) = (a−1)(1−q). So for a > 1 the derivative is negative: H_a grows
// while ‖v‖ falls.
//
// # A unit in one of several rounds, by a coin
//
// GaussianAllocation is for T rounds of sums with Gaussian noise. A secret coin of its own puts each unit in one round,
// with the same probability 1/T for each round. All rounds are released. Neighbours differ by a unit more or less, and
// each round may depend on the results of those before (Feldman and Shenfeld, Privacy Amplification by Random
// Allocation, 2025, arXiv 2502.08202; here is a proof for the Gaussian).
//
// Take the coins of all other units, which have one distribution on both sides, and the results before a round as
// given. Then the others' sum is known, and may be left out. The unit adds u_t there, with a norm of at most C, if its
// coin says so. u_t may depend on the results before. Add a dimension with noise of its own to each round, and give u_t
// the coordinate there that makes its norm C. Ignoring these dimensions gives the release as it was: that is
// post-processing. So the norms may be taken as C. In units of σ, the density of all results over the density without
// the unit is
//
//	R = 1/T·Σ_t e^(X_t − s²/2),   X_t = ⟨u_t, z_t⟩,   s = C/σ,
//
// with z_t the results of round t. Without the unit z_t is from N(0, I), whatever the results before. So X_t is from
// N(0, s²), and X_1, …, X_T are independent. So R has the same distribution as for u_t = s·e_t, and
// E(R − a)₊ = H_a(P‖Q) and E(1 − aR)₊ = H_a(Q‖P) are the same. The hockey-stick divergence is jointly convex, so the
// mixtures over the others' coins have no more. Therefore the pair dominates, in both directions. Pairs that dominate
// compose, also where releases of several mechanisms come in turns (Vadhan and Zhang, Concurrent Composition Theorems
// for Differential Privacy, STOC 2023). Some of the rounds lose no more than all of them.
//
// Another release W may read the units of round t only, with a pair of its own and density ratio S. This changes
// nothing: together they lose at most the loss of the allocation followed by the loss of W with the unit for sure. The
// ratio of both is R + G·(S−1), G = e^(X_t−s²/2)/T ≤ R. R·S = R + R·(S−1) is more of a mean-preserving spread of R, for
// S has mean 1 given R.
//
// The pairs are pairs of ratios with finitely many values: see ratio. There are T independent ratios e^(X_t−s²/2). For
// the pair above, the probability between two values is divided among them so that the mean stays the same. For the
// pair below, it is brought together at its mean. The sums of two such ratios are put on fewer values in the same way,
// and so on, up to T. Both means above are of convex functions of R, so the first way only raises them and the second
// way only lowers them. Tails with next to no probability are cut off: see ratio.trimmed.
package pld
