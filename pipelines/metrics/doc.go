// Package metrics holds the numbers that operators watch while a stage runs, and serves them to Prometheus where
// --metrics asks for it. Numbers that are not served are set as well, which costs some nanoseconds.
//
// All metrics are defined here. Each states whether it depends on private data. claim.md says who may see which metric.
package metrics
