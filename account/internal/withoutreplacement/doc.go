// Package withoutreplacement computes the privacy loss of sums over samples without replacement. The number n of units
// is known. In each round a uniform set of qn units takes part; the set is drawn again and kept secret. In a
// neighbouring data set another unit replaces one unit, so that n is public. A replacement changes a sum by √2 times a
// unit's clip if no coordinate is negative, and by 2 times the clip else. σ is noise over this change.
package withoutreplacement
