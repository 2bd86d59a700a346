// Package attack guesses what private documents hold, from what a model or its sampler gave away: their words, from the
// topics that a Gibbs sampler drew for them (Run), and their membership in the training data, from the model's answers
// about them (Shadow and Ratio).
package attack
