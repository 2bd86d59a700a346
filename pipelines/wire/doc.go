// Package wire holds the records that privpipe's stages exchange, with the checks every record must pass.
//
// The schema is wire.proto; the contract with other programs is ../SPEC.md. Package
// wire/stream puts records into Zstandard frames. Documents and contributions, which are nearly all records, are read and written without
// the protobuf library where that makes no difference (hot.go).
package wire

//go:generate ./generate.sh
