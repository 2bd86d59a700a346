// Package audit tries to show that a privatizer protects less than its ledger claims. It runs the binary as a black box
// on neighbouring inputs of its own making and bounds the privacy loss from below by how well it can tell the outputs
// apart.
package audit
