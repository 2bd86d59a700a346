// Package lda is the E-step of latent Dirichlet allocation by variational Bayes: Hoffman, Blei and Bach, Online
// Learning for Latent Dirichlet Allocation (NIPS 2010), algorithm 2, lines 5 to 9, on released topics.
//
// For a document with counts c_i of words w_i it finds γ and φ. γ has the parameters of the Dirichlet q(θ), and φ_ik is
// the share of topic k in word i. The document contributes to the statistic s_kv = Σ_i c_i φ_ik [w_i = v] of the
// released topics. contribution.go shapes the statistic before it is written.
package lda
