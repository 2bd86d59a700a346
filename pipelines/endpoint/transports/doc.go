// Package transports links the transports of topics into a program, by a blank import in its main. A program that is built with
// -tags pipes has none: it reads and writes files and pipes only, and links no client of a broker.
package transports
