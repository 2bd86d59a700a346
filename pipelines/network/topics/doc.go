// Package topics links into a program, by a blank import, the transports of topics and nothing else that reaches a
// network. It is for privatize, which opens no port.
package topics
