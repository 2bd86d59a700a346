// Package network connects clients and a broker inside one process, without a socket. All waits are durably blocking in
// the sense of testing/synctest: a bubble with a client and a broker has virtual time, and synctest.Wait returns when
// both are idle.
//
// A Judge decides the fate of each request: when it reaches the broker, how often, and whether the answer comes back.
package network
