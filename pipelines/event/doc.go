// Package event holds what the privatizer and the accountant agree on: how a round was sampled, what a grant allows,
// what a ledger line charges, and one set of checks for all of them. It imports only the standard library.
//
// An event records what was done, never what it cost: the meaning of a line does not change when accountants improve.
// Nothing in an event depends on private data.
package event
