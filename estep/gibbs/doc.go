// Package gibbs is an E-step of latent Dirichlet allocation by Gibbs sampling. Each token i in a document has a topic
// z_i. It is drawn given the topics of the document's other tokens and the released weights w of words in topics:
//
//	p(z_i = k) ∝ w_k,t · (n_k + α).
//
// Here t is the token's word, and n_k is the number of other tokens in the document with topic k. This is the
// conditional of Griffiths and Steyvers (PNAS 2004, equation 5), with released weights in place of the counts of all
// documents. The weights are frozen: they do not change during a round. So the contribution of one document depends on
// no other document.
//
// The same chain under a model scores held-out documents and infers their topics (score.go).
//
// claim.md says what follows for privacy.
package gibbs
