// Package replay runs a pipeline of a seeded build on neighbouring data sets with equal noise and coins, and compares
// what leaves the wall. No statistic is needed: each difference that no noise covers is a violation. The idea is from
// Re:cord-play (Cebere, Erb, Desfontaines, Bellet, Fitzsimons, arXiv 2602.17454).
//
// After the first round a pipeline depends on its own releases, and so would the next round's sum. So the seeded build
// replaces each release of a neighbour by the first run's release of the same round, where the noise has just been
// added. The neighbour's own release is kept aside. So both runs have one history, as in the proof of adaptive
// composition.
//
// That proof (Dwork, Roth, The Algorithmic Foundations of Differential Privacy, 2014, theorem 3.16 and appendix B;
// Rogers, Roth, Ullman, Vadhan, Privacy Odometers and Filters, NIPS 2016, section 2) needs two things. Let D and D' be
// neighbours, h a history and c the coins.
//
//  1. All that leaves the wall beside the releases is a function of h and public settings.
//  2. The query of each round is a function of h, and its exact sum under c moves between D and D' by at most the
//     sensitivity that the charge states. Where rounds share no unit, all rounds of an epoch together move by at most
//     that.
//
// If both hold for all D, D', h and c, the losses of the charges compose. This package checks both for one h and one c,
// which follow from the seed, and for some neighbours D' of one D. Equal noise makes the difference of two releases the
// difference of their sums, unless the noise itself depends on the data. So a failure refutes the claim, and success
// proves nothing.
package replay
