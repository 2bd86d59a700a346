// Package modeltest checks that both halves of each model keep the promises of package model: each half by itself, and
// both in a round trip over the wire format.
package modeltest
