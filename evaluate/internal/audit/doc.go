// Package audit tries to show that a privatizer protects less than its ledger claims. It runs the binary as a black box on
// neighbouring inputs. How well it can distinguish the outputs gives a lower bound on the privacy loss.
package audit
