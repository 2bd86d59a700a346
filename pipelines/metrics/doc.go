// Package metrics holds the numbers that operators watch while a stage runs, and writes them to a file for Prometheus' node exporter
// where --metrics asks for it. In programs that link package serve it also serves them. Numbers that nobody reads are set as well, which
// costs some nanoseconds.
//
// All metrics are defined here. Each states whether it depends on private data. claim.md says who may see which metric.
package metrics
