// Package withoutreplacement computes the privacy loss of sums over samples without replacement: of n units, known in number, a uniform
// set of qn takes part, drawn again each round and kept secret. The neighbours are data sets in which one unit is replaced by
// another, so that n is public. What replaces a unit changes a sum by √2 times its clip if no coordinate is negative, and by
// 2 times else: σ is noise over that.
package withoutreplacement
