// Package mean is the E-step of word frequencies and text sizes, as mstep/mean is their M-step. A document's
// contribution depends on the document alone, and on no earlier round.
package mean
