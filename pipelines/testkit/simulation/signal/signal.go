// Package signal has the names of the standard library's package os/signal that the stages use. No signal comes.
package signal

import "os"

// Notify does nothing.
func Notify(chan<- os.Signal, ...os.Signal) {}

// Ignore does nothing.
func Ignore(...os.Signal) {}

// Ignored says no.
func Ignored(os.Signal) bool { return false }
