// Package topics tests the stages together over a real Kafka broker: that they release what they release over pipes, whatever
// happens to them on the way.
package topics
