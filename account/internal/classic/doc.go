// Package classic computes privacy losses in closed form: exactly where possible, and as the papers compute them.
//
// What holds as a bound:
//
//   - GaussianDelta, GaussianEpsilon: one release of Gaussian noise, or several of the same units without
//     sampling, exactly (Balle and Wang 2018);
//   - Rho, PureRho, ZCDPEpsilon, ZCDPEpsilonTight, ZCDPDelta: concentrated differential privacy;
//   - Guarantee: linear and strong composition, and amplification by sampling;
//   - MomentsEpsilon: the moments accountant of 2016, of any Rényi curve;
//   - InherentLoss, LaplaceEpsilon, BitEpsilon: pure ε of Gibbs samplers and of randomized response;
//   - SubLDA.Loss: Poisson sampling at one integer order.
//
// Some functions compute a paper's claim and no bound: Recipe, UnclippedInherentLoss, SubLDA.Printed and
// Guarantee.Adaptive. A claim is shown beside a bound and never in place of one. Each function says why.
//
// Gaussian differential privacy by the central limit is not here: it is an approximation that may be below the loss.
//
// σ is noise over sensitivity everywhere: the noise's standard deviation divided by the largest L2 norm of a change.
// Noise is continuous. Replacing a unit may change a sum by √2 or 2 times as much as adding one; σ has to include the
// factor. log is the natural logarithm. Every ε, δ, ρ or σ that is a loss or a need of noise is rounded up, and an
// amount that may be spent is rounded down. Both roundings exceed the error of the arithmetic. +Inf is no guarantee. No
// argument within its range gives NaN.
package classic
