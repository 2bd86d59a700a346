// Package endpoint opens what the stages read and write: "-", paths and FIFOs, plain or as streams of records. A stage
// cannot tell one from another.
//
// A file comes to be whole or not at all: it is written under a temporary name beside its place, synced, and renamed.
package endpoint
