// Package classic computes privacy losses in closed form: exactly where that is possible, and as the papers compute them.
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
// What is a paper's claim, to be shown beside a bound and never in place of one: Recipe, UnclippedInherentLoss,
// SubLDA.Printed and Guarantee.Adaptive. Each says why.
//
// Gaussian differential privacy by the central limit is not here: it is an approximation that may be below the loss.
//
// σ is noise over sensitivity everywhere, the standard deviation of the noise divided by the largest L2 norm of a change,
// and noise is continuous. What replaces a unit may change a sum by √2 or 2 times what adds one does: that belongs to σ.
// log is the natural logarithm. Every ε, δ, ρ or σ that is a loss or a need of noise is rounded up, and what may be spent
// is rounded down, beyond the error of the arithmetic; +Inf is no guarantee. No argument within its range gives NaN.
package classic
