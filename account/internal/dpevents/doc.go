// Package dpevents reads and writes lists of releases as JSON: plain lists, and trees of the DpEvents of Google's
// dp_accounting. The forms and the meaning of each member are in EVENTS.md of account.
//
// Whatever has no theorem, or could be read in two ways, is refused. What is left out never makes a loss smaller.
package dpevents
