// Package kafka reads and writes streams in topics of Kafka. Each partition of a topic is a stream of its own, and each message is one
// frame. The headers of a message say which frame of its writer it is. SPEC.md, "Topics", is the contract.
//
// The package fetches given offsets of given partitions, and appends with the acknowledgement of all replicas. A committed offset of a
// consumer group is a hint where to begin, never a record of what was done. Errors that may pass, as while a broker restarts, are
// retried for the patience of the location.
package kafka
