// Package endpoint opens the inputs and outputs of stages: "-", paths, FIFOs and topics, as plain text or as streams of records.
// A stage handles all of them in the same way.
//
// Output files are atomic: a file is written under a temporary name in the same folder, synced, and renamed. In a topic each
// partition is a stream. When a stream is committed, all messages of its writer, up to the last, are in the partition.
package endpoint
