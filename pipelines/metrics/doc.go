// Package metrics holds the numbers that operators watch while a stage runs. If --metrics asks for a file, it writes
// them to the file for Prometheus' node exporter. Programs that link package serve also serve them over HTTP. Numbers
// that nobody reads are set as well, which costs some nanoseconds.
//
// All metrics are defined here. Each states whether it depends on private data. claim.md says who may see which metric.
package metrics
