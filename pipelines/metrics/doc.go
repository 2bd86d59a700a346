// Package metrics holds the numbers that operators watch while a stage runs, and serves them to Prometheus where
// --metrics asks for it. A number that nobody is to see is set all the same: that costs some nanoseconds.
//
// All metrics are defined here, each with what it depends on: private data or not. claim.md says what is served to whom.
package metrics
