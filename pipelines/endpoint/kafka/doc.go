// Package kafka reads and writes streams in topics. Each partition of a topic is a stream of its own; a message is one of
// its frames, and says in its headers which of the writer's frames it is. SPEC.md, "Topics", is the contract.
//
// It asks a broker for given offsets of given partitions and appends with the acknowledgement of all replicas. What a group
// of consumers has committed is a hint where to begin, never a record of what was done. Whatever may pass by itself, as a
// broker that is started again, is tried anew for a while.
package kafka
