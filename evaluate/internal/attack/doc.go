// Package attack guesses words of private documents from the topics that a Gibbs sampler drew for them. It is algorithm
// 3 of Zhao et al., Latent Dirichlet Allocation Model Training with Differential Privacy (IEEE TIFS 16, 2021).
//
// The attacker attacks one token and does not know its word. It knows the token's topic k_i in each round i, the
// parameters that the sampler read, and all other tokens of all documents. Two scores weigh each word t of the
// vocabulary:
//
//   - equation 24 of the paper, log P(t) = Σ_i log(n̂_{k_i,t} / Σ_t n̂_{k_i,t}), with n̂ the released counts that the
//     sampler read in round i. Line 4 of algorithm 3 records them before line 6 draws k_i. As printed, P is no
//     distribution over words: it is normalised here;
//   - the exact likelihood, Σ_i log p(k_i | t), with p the probabilities that the sampler draws from.
//
// The attack's accuracy is the posterior probability of the true word under a uniform prior, averaged over tokens.
package attack
