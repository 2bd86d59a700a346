// Package topics tests the stages together over a real Kafka broker. The stages must release the same over topics as
// over pipes, whatever happens to them on the way.
package topics
