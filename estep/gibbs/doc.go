// Package gibbs is an E-step of latent Dirichlet allocation by Gibbs sampling. Each token i of a document has a topic z_i, drawn given
// the topics of the document's other tokens and the released weights w of words in topics:
//
//	p(z_i = k) ∝ w_k,t · (n_k + α),
//
// where t is the word of the token and n_k the number of the document's other tokens of topic k. This is the conditional of Griffiths
// and Steyvers (PNAS 2004, equation 5) with released weights in place of the counts of all documents. The weights stay as they
// are during a round: they are frozen. So the contribution of a document depends on no other document.
//
// Held-out documents are scored, and their topics inferred, by the same chain under a model (score.go).
//
// claim.md says what follows for privacy.
package gibbs
