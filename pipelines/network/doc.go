// Package network links everything that reaches a network into a program, by a blank import in its main: the transports
// of topics, and the server of metrics. A program that is built with -tags pipes has none of it. It reads and writes
// files and pipes only.
//
// privatize imports package network/topics instead: it opens no port, and writes its metrics to a file. So do account
// and show, which run for a moment. evaluate reads files, and links neither.
package network
