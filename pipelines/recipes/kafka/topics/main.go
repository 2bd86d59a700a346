// Command topics makes a run's topics on a Kafka cluster; topics.sh calls it.
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"privpipe/pipelines/endpoint/kafka"
	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/exit"
)

const description = `Create the topics of a run, or check that existing topics have the right settings.

topics.sh prints the names of the topics, for the stages. If a topic exists with other settings, topics.sh fails and does not
change the topic. Topics of private records have names that end in .private, and keep messages for a limited time. Topics of
released records keep messages for ever.

topics.sh sets no access rights. Allow only stages inside the privacy wall to read or write a private topic. The file that
PRIVPIPE_KAFKA_CONFIG names holds the TLS settings and the password for the brokers.

Example:
  topics.sh --partitions 4 --replicas 3 kafka1:9092,kafka2:9092 news`

// command is the command line.
type command struct {
	Partitions         int    `default:"1" help:"Set the number of partitions of rounds, contributions and sums, 1 by default. At most so many workers share a run."`
	Documents          int    `default:"1" help:"Set the number of partitions of documents, 1 by default. At most so many runs of tokenize write at the same time."`
	Replicas           int    `default:"1" help:"Keep this many copies of each message, each on another broker, 1 by default. With 3 the topic survives the loss of one broker."`
	Retention          period `default:"24h" placeholder:"24h" help:"Keep messages of private topics for this long, such as 36h or 2d, 24h by default. Choose more than the longest pause of a run."`
	DocumentsRetention period `default:"7d" placeholder:"7d" help:"Keep documents for this long, 7d by default. Choose more than the whole run: a restarted sample reads the documents again."`
	Brokers            string `arg:"" help:"Brokers of the cluster, HOST[:PORT], separated by commas. A few of them are enough."`
	Run                string `arg:"" help:"Name of the run. The names of its topics begin with it."`
}

// A period is a time that may be given in days.
type period time.Duration

// UnmarshalText reads a number of days and, after it, hours, minutes or seconds: 2d, 36h, 1d12h.
func (p *period) UnmarshalText(text []byte) error {
	rest, days := string(text), uint64(0)
	if number, after, found := strings.Cut(rest, "d"); found {
		var err error
		if days, err = strconv.ParseUint(number, 10, 16); err != nil {
			return fmt.Errorf("%q must be a time like 2d, 36h or 1d12h", text)
		}
		rest = cmp.Or(after, "0")
	}
	d, err := time.ParseDuration(rest)
	if err != nil {
		return fmt.Errorf("%q must be a time like 2d, 36h or 1d12h", text)
	}
	*p = period(time.Duration(days)*24*time.Hour + d)
	return nil
}

func main() {
	var c command
	parsed := kong.Parse(&c, kong.Name("topics.sh"), kong.Description(description))
	if err := c.run(context.Background(), os.Stdout); err != nil {
		parsed.Errorf("%v", err)
		if hint := exit.Hint(err); hint != "" {
			parsed.Errorf("hint: %s", hint)
		}
		os.Exit(exit.Code(err))
	}
}

// runName leaves room for the longest ending in the 249 letters that a broker allows.
var runName = regexp.MustCompile(`^[a-zA-Z0-9_-][a-zA-Z0-9._-]{0,199}$`)

// run makes the topics one by one, and prints their names.
func (c *command) run(ctx context.Context, out io.Writer) error {
	switch {
	case !runName.MatchString(c.Run):
		return exit.Errorf(exit.Usage, "RUN is %q, must be 1 to 200 letters, digits, dots, underscores and hyphens",
			c.Run)
	case c.Partitions < 1 || c.Documents < 1 || c.Replicas < 1:
		return exit.Errorf(exit.Usage, "--partitions, --documents and --replicas must be 1 or more, are %d, %d and %d",
			c.Partitions, c.Documents, c.Replicas)
	case c.Retention < period(time.Second) || c.DocumentsRetention < period(time.Second):
		return exit.Errorf(exit.Usage,
			"--retention and --documents-retention must be a second or longer, are %v and %v",
			time.Duration(c.Retention), time.Duration(c.DocumentsRetention))
	}
	for _, made := range []struct {
		name       string
		partitions int
		retention  period // for a private topic
	}{
		{"documents" + topic.Private, c.Documents, c.DocumentsRetention},
		{"rounds" + topic.Private, c.Partitions, c.Retention},
		{"contributions" + topic.Private, c.Partitions, c.Retention},
		{"sums" + topic.Private, c.Partitions, c.Retention},
		{"releases", 1, 0},
		{"parameters", 1, 0},
		{"claims", 1, 0},
	} {
		location, err := kafka.Parse(kafka.Scheme + c.Brokers + "/" + c.Run + "." + made.name)
		if err != nil {
			return err
		}
		location.Patience = patience
		plan := kafka.Plan{Partitions: made.partitions, Replicas: c.Replicas, Retention: time.Duration(made.retention)}
		if err := kafka.Create(ctx, location, plan); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, location); err != nil {
			return err
		}
	}
	return nil
}

// patience is short: somebody waits for the answer.
const patience = 15 * time.Second
