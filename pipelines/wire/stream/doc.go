// Package stream reads and writes privpipe's streams: records in Zstandard frames, a header at the start of every
// frame, an end record at the end. ../../SPEC.md is the contract.
//
// A Writer hands each frame to its io.Writer in one call, so that one Write can be one Kafka message. A Reader takes
// concatenated frames from any io.Reader, checks frames, records and their order, and answers io.EOF only after a valid
// end record. A stream that was cut, even between two frames, ends in an error.
package stream
