// Package kafka reads and writes streams in Kafka topics. Each partition is a separate stream, and each message holds
// one frame. The message headers number the frames of each writer. SPEC.md, "Topics", is the contract.
//
// The package fetches given offsets of given partitions, and appends with the acknowledgement of all replicas. A
// consumer group's committed offset is a hint where to begin, never a record of finished work. Errors that may pass,
// such as those during a broker's restart, are retried for the patience of the location.
package kafka
