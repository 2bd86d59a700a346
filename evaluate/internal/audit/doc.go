// Package audit tries to show that a privatizer protects less than its ledger claims. It runs the binary as a black box
// on neighbouring inputs. The better it tells the outputs apart, the larger is its lower bound on the privacy loss.
package audit
