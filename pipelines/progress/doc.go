// Package progress makes the progress line of a run: a bar, the work done, the time left, and the speed. Package filter decides
// where and when to show the line.
package progress
