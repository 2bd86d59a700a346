// Package endpoint opens what the stages read and write: "-", paths, FIFOs and topics, plain or as streams of records. A
// stage cannot tell one from another.
//
// A file comes to be whole or not at all: it is written under a temporary name beside its place, synced, and renamed. Of a
// topic each partition is a stream; its writer's last message is there, with all before it, when the stream is committed.
package endpoint
