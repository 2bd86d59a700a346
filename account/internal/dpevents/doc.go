// Package dpevents reads and writes lists of releases as JSON: plain lists, and trees of the DpEvents of Google's
// dp_accounting. account's EVENTS.md has the forms, and the meaning of each member.
//
// Input without a theorem, or with two possible meanings, is refused. A member that is left out never makes a loss
// smaller.
package dpevents
