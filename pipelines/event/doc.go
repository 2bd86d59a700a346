// Package event holds the records that the privatizer and the accountant agree on: how a round was sampled, what a
// grant allows, and what a ledger line charges. It has one set of checks for all of them. It imports only the standard
// library.
//
// An event records what was done, never what it cost: the meaning of a line does not change when accountants improve.
// Nothing in an event depends on private data.
package event
