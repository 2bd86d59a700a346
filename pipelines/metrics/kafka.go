package metrics

import "strconv"

var (
	lag = gauges(ofTopic, "kafka_lag_messages", "Messages of a partition that the stage has not read yet.",
		"topic", "partition")
	messagesRead = counters(ofTopic, "kafka_messages_read_total", "Messages of a partition that the stage has read.",
		"topic", "partition")
	messagesWritten = counters(ofTopic, "kafka_messages_written_total", "Messages that the stage has written to a partition.",
		"topic", "partition")
	retries = counters(ofTopic, "kafka_retries_total", "Requests about a topic that failed and were sent again.", "topic")
)

// Lag is how many messages of a partition are still to be read. The caller keeps it, as it does what the other
// functions return, rather than ask for it at each message.
func Lag(topic string, partition int) Gauge { return lag.of(topic, strconv.Itoa(partition)) }

// MessagesRead counts messages that came from a partition, those that came again too.
func MessagesRead(topic string, partition int) Counter {
	return messagesRead.of(topic, strconv.Itoa(partition))
}

// MessagesWritten counts messages that the broker has taken for a partition.
func MessagesWritten(topic string, partition int) Counter {
	return messagesWritten.of(topic, strconv.Itoa(partition))
}

// Retries counts requests about a topic that failed and were sent again: that a broker is in trouble. How many requests
// there are depends on what the topic holds, so those about private topics are private.
func Retries(topic string) Counter { return retries.of(topic) }
