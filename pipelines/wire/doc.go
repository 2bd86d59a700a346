// Package wire holds the records that privpipe's stages exchange, with the checks every record must pass.
//
// The schema is wire.proto; the contract with other programs is ../SPEC.md. Package wire/stream puts records into
// Zstandard frames. Nearly all records are documents and contributions. They are read and written without the protobuf
// library if that makes no difference (hot.go).
package wire

//go:generate ./generate.sh
