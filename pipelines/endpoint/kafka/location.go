package kafka

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/exit"
)

// Scheme is the beginning of each topic name.
const Scheme = "kafka://"

// Claims is the suffix of each claims topic's name. Such a topic decides which privatizer releases a round.
const Claims = ".claims"

// A Location names a topic and says how to read it.
type Location = topic.Location

// defaultPort is the broker's port if the address names no port.
const defaultPort = "9092"

// characters matches the names that a broker accepts for topics and groups, except for their length.
var characters = regexp.MustCompile(`^[a-zA-Z0-9._-]+$`)

// accepted says whether a broker accepts a name for a topic; the names . and .. also pass. The length limit is not in
// the expression, since compiling it would then take a millisecond at the start of each stage.
func accepted(name string) bool { return len(name) <= 249 && characters.MatchString(name) }

// Parse parses a topic name.
func Parse(name string) (*Location, error) {
	shown := Scheme + "…" // the name is shown only when it holds no password
	fail := func(format string, args ...any) (*Location, error) {
		return nil, exit.Errorf(exit.Usage, "%s: %s", shown, fmt.Sprintf(format, args...)).
			WithHint("kafka://HOST[:PORT][,HOST…]/TOPIC[?from=start&until=end&group=NAME&patience=2m]")
	}
	rest, ok := strings.CutPrefix(name, Scheme)
	if !ok {
		return fail("not the name of a topic")
	}
	if strings.Contains(rest, "@") {
		return fail("users and passwords belong in the file that %s names, never in a name", ConfigVariable)
	}
	rest, query, _ := strings.Cut(rest, "?")
	hosts, name, _ := strings.Cut(rest, "/")
	l := &Location{Scheme: Scheme, Topic: name, Partition: -1, Patience: 2 * time.Minute, Session: 10 * time.Second}
	for host := range strings.SplitSeq(hosts, ",") {
		broker, ok := address(host)
		if !ok {
			return fail("a broker is HOST or HOST:PORT")
		}
		l.Brokers = append(l.Brokers, broker)
	}
	shown = l.String()
	if !accepted(name) || name == "." || name == ".." {
		return fail("a topic's name has 1 to 249 letters, digits, dots, underscores and hyphens")
	}
	values, err := url.ParseQuery(strings.ReplaceAll(query, "+", "%2B")) // a plus stays a plus: times have it
	if err != nil {
		return fail("%v", err)
	}
	for key, given := range values {
		if len(given) != 1 {
			return fail("%s is given twice", key)
		}
		if err := set(l, key, given[0]); err != nil {
			return fail("%v", err)
		}
	}
	return l, nil
}

// address returns a broker's HOST:PORT, with the default port if the name has none.
func address(name string) (string, bool) {
	host, port, err := net.SplitHostPort(name)
	if err != nil {
		host, port = strings.Trim(name, "[]"), defaultPort
	}
	if _, err := netip.ParseAddr(host); host == "" || err != nil && strings.Contains(host, ":") {
		return "", false
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return net.JoinHostPort(host, port), err == nil && n > 0
}

func set(l *Location, key, value string) (err error) {
	switch key {
	case "group":
		if l.Group = value; !accepted(value) {
			return fmt.Errorf("group %q is not a name", value)
		}
	case "partition":
		l.Partition, err = number(value)
		if err != nil {
			return fmt.Errorf("partition=%s must be a number from 0 on", value)
		}
	case "from":
		l.From = value
		_, number := strconv.ParseUint(value, 10, 63)
		_, date := time.Parse(time.RFC3339, value)
		if !slices.Contains([]string{topic.Start, topic.Oldest, topic.Newest, topic.End}, value) && number != nil &&
			date != nil {
			return fmt.Errorf("from=%s must be start, oldest, newest, end, an offset or a time like "+
				"2026-11-21T06:00:00Z", value)
		}
	case "until":
		if l.UntilEnd = value == "end"; !l.UntilEnd {
			return fmt.Errorf("until=%s must be end", value)
		}
	case "patience", "session":
		d, err := time.ParseDuration(value)
		if err != nil || d < time.Millisecond {
			return fmt.Errorf("%s=%s must be a time like 2m", key, value)
		}
		if key == "patience" {
			l.Patience = d
		} else {
			l.Session = d
		}
	default:
		return fmt.Errorf("key %q is unknown, must be partition, group, session, from, until or patience", key)
	}
	return nil
}
