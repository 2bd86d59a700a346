// Package wire holds the records that privpipe's stages exchange, with the checks every record must pass.
//
// The schema is wire.proto; the contract with other programs is ../SPEC.md. Package
// wire/stream puts records into Zstandard frames.
package wire

//go:generate ./generate.sh
