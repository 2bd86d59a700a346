// Package mean is the E-step for models whose M-step is mstep/mean: word frequencies and text sizes. A document's
// contribution depends on the document alone, and no earlier round.
package mean
