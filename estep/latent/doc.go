// Package latent is what the E-steps of latent Dirichlet allocation share. Each infers a document's topics in its own
// way. Here the expected counts of the document's words in topics become its contribution, and held-out documents get
// their scores.
package latent
