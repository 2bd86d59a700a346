// Package progress makes a run's progress line: a bar, the work done, the time left, and the speed. Package filter
// decides where and when to show the line.
package progress
