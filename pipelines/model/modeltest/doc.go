// Package modeltest checks that the two halves of a model keep what package model promises: each on its own, and both in a
// round trip over the wire.
package modeltest
