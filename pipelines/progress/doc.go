// Package progress makes the line that a terminal shows of a run: a bar, how far the run is, when it may end, and how fast
// it is. Where and when the line is shown is the business of package filter.
package progress
