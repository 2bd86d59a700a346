// Package topics relates words and topics: whether a topic's words occur together in documents, and how far apart
// topics are.
package topics
