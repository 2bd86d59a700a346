package metrics

import "strconv"

var (
	lag = gauges(ofTopic, "kafka_lag_messages", "Messages of a partition that the stage has not read yet.",
		"topic", "partition")
	messagesRead = counters(ofTopic, "kafka_messages_read_total", "Messages of a partition that the stage has read.",
		"topic", "partition")
	messagesWritten = counters(ofTopic, "kafka_messages_written_total",
		"Messages that the stage has written to a partition.",
		"topic", "partition")
	retries = counters(ofTopic, "kafka_retries_total", "Requests about a topic that failed and were sent again.",
		"topic")
)

// Lag returns the gauge for a partition's unread messages. The caller should keep the result, here and for the
// functions below, instead of calling the function for each message.
func Lag(topic string, partition int) Gauge { return lag.of(topic, strconv.Itoa(partition)) }

// MessagesRead counts messages that the stage read from a partition, including redelivered messages.
func MessagesRead(topic string, partition int) Counter {
	return messagesRead.of(topic, strconv.Itoa(partition))
}

// MessagesWritten counts messages to a partition that the broker has acknowledged.
func MessagesWritten(topic string, partition int) Counter {
	return messagesWritten.of(topic, strconv.Itoa(partition))
}

// Retries counts failed requests about a topic that were sent again, which shows that a broker is in trouble. The
// number of requests depends on the topic's content, so the count is private for private topics.
func Retries(topic string) Counter { return retries.of(topic) }
