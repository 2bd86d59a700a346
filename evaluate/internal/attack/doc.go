// Package attack guesses words of private documents from the topics that a Gibbs sampler drew for them: algorithm 3 of Zhao et al.,
// Latent Dirichlet Allocation Model Training with Differential Privacy (IEEE TIFS 16, 2021).
//
// The attacker attacks a token whose word it does not know. It knows the topic k_i of the token in each round i, the parameters that
// the sampler read, and all other tokens of all documents. Two scores weigh each word t of the vocabulary:
//
//   - equation 24 of the paper, log P(t) = Σ_i log(n̂_{k_i,t} / Σ_t n̂_{k_i,t}), with n̂ the released counts that the sampler of round i read
//     (line 4 of algorithm 3 records them before line 6 draws k_i). As printed it is no distribution over words: P is normalised here;
//   - the exact likelihood, Σ_i log p(k_i | t), with p the probabilities that the sampler draws from.
//
// The posterior probability of the true word under a uniform prior, averaged over tokens, is the accuracy of the attack.
package attack
