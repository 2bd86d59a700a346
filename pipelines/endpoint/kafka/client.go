package kafka

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/metrics"
)

// A client speaks to the brokers of one location. Its users are its creator, and each log and appender. Once a second
// the library asks for the leaders of the topic, until the last user has left.
type client struct {
	*Location
	kafka     kafka.Client
	transport *kafka.Transport
	users     atomic.Int32
	end       context.CancelFunc
	probed    atomic.Bool              // whether the brokers were asked if they speak TLS
	count     atomic.Int32             // the number of partitions when the topic was first looked up
	identity  atomic.Pointer[identity] // the topic's identity when the topic was first looked up
}

// newClient prepares a client; the caller is its first user. It connects to no broker yet.
func newClient(l *Location) (*client, error) {
	secure, mechanism, err := readConfig()
	if err != nil {
		return nil, err
	}
	ctx, end := context.WithCancel(context.Background())
	// The library caches topics and leaders for the TTL; a topic that was just created must be found soon.
	transport := &kafka.Transport{
		ClientID: clientName, TLS: secure, SASL: mechanism, MetadataTTL: time.Second, MetadataTopics: []string{l.Topic},
		Context: ctx,
	}
	c := &client{Location: l, transport: transport, end: end}
	// By default the library gives replicas half a second. Slower replicas would then store retried messages twice.
	c.kafka = kafka.Client{Addr: kafka.TCP(l.Brokers...), Transport: transport, Timeout: answer}
	c.users.Store(1)
	return c, nil
}

// leave removes one user. Pending requests end by themselves.
func (c *client) leave() {
	if c.users.Add(-1) == 0 {
		c.end()
		c.transport.CloseIdleConnections()
	}
}

// clientName is the client id that brokers see.
const clientName = "privpipe"

// answer is how long a broker may take to answer one request.
const answer = 15 * time.Second

// The pause between two attempts begins at firstPause and doubles up to maxPause.
const (
	firstPause = 50 * time.Millisecond
	maxPause   = 2 * time.Second
)

// retry calls ask until it succeeds, until an error is permanent, or until Patience has passed.
func (c *client) retry(ctx context.Context, what string, ask func(context.Context) error) error {
	// The callers of reading and appending report these waits themselves, since they know who waits.
	if what != reading && what != appending {
		defer metrics.AwaitAnswer(c.Topic, c.awaits(what))()
	}
	var failing func()
	defer func() {
		if failing != nil {
			failing()
		}
	}()
	pause := firstPause
	absent := time.Time{} // when the present series of answers "no such topic" began; zero: the last answer was another
	for began := time.Now(); ; pause = min(2*pause, maxPause) {
		attempt, cancel := context.WithTimeout(ctx, answer)
		err := ask(attempt)
		cancel()
		switch {
		case !errors.Is(err, kafka.UnknownTopicOrPartition):
			absent = time.Time{}
		case absent.IsZero():
			absent = time.Now()
		}
		switch code := kafka.Error(0); {
		case err == nil, errors.As(err, &code): // an error of Kafka's own is an answer, too
			c.heard()
		case !c.probed.Swap(true):
			err = cmp.Or(c.wantsTLS(ctx), c.wantsClear(ctx), err)
		}
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !passing(err), time.Since(began) > c.Patience, !absent.IsZero() && time.Since(absent) > appearing:
			return c.failed(what, err)
		}
		if failing == nil && what == reading { // a reader waits long for messages, but not for the broker
			failing = metrics.AwaitAnswer(c.Topic, c.awaits(what))
		}
		metrics.Retries(c.Topic).Add(1)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// The callers of retry report the waits in these steps.
const (
	reading   = "read"
	appending = "append"
)

// awaits describes the wait for the brokers' answer to a request.
func (c *client) awaits(what string) string {
	return fmt.Sprintf("the broker of %s to %s, for at most %v", c.Location, what, c.Patience)
}

// appearing is how long brokers may answer that a topic does not exist, after the creation of the topic or the start of
// a broker.
const appearing = 5 * time.Second

// passing says whether a retry may help: either the broker says so, or it did not answer.
func passing(err error) bool {
	own, untrusted := (*exit.Error)(nil), (*tls.CertificateVerificationError)(nil)
	if errors.As(err, &own) || errors.As(err, &untrusted) {
		return false
	}
	if name := (*net.DNSError)(nil); errors.As(err, &name) && name.IsNotFound {
		// The name has most likely a typing error, and nobody should wait two minutes for it.
		return false
	}
	var code kafka.Error
	if errors.As(err, &code) {
		// BrokerNotAvailable: the library does not know the broker yet, or knows that it has gone.
		return code.Temporary() || code == kafka.BrokerNotAvailable
	}
	return true
}

// failed adds the topic, the failed step and the exit code to an error.
func (c *client) failed(what string, err error) error {
	own, untrusted, timeout, code := (*exit.Error)(nil), (*tls.CertificateVerificationError)(nil), net.Error(nil),
		kafka.Error(0)
	elsewhere := c.elsewhere(err)
	if below := errors.Unwrap(err); below != nil && strings.HasPrefix(err.Error(), "kafka.(*Client).") {
		err = below // without the library's name of the call
	}
	switch {
	case errors.As(err, &own):
		return err
	case errors.Is(err, kafka.UnknownTopicOrPartition):
		return exit.Errorf(exit.Missing, "%s: no such topic", c.Location).
			WithHint("topics.sh makes the topics of a run; --create makes an output's")
	case errors.Is(err, kafka.TopicAuthorizationFailed), errors.Is(err, kafka.GroupAuthorizationFailed),
		errors.Is(err, kafka.ClusterAuthorizationFailed), errors.Is(err, kafka.SASLAuthenticationFailed),
		errors.Is(err, kafka.UnsupportedSASLMechanism):
		return exit.Errorf(exit.Missing, "%s: %s: the broker does not allow it: %w", c.Location, what, err)
	case errors.Is(err, kafka.InconsistentGroupProtocol):
		return exit.Errorf(exit.Usage,
			"%s: group %s is another stage's, or another run's: its members answer something else, or elsewhere",
			c.Location, c.Group).
			WithHint("give each stage of each run a group of its own, and end workers of another version first")
	case errors.Is(err, kafka.InvalidRecord):
		return exit.Errorf(exit.Missing, "%s: %s: the topic refuses such messages: %w", c.Location, what, err).
			WithHint("a topic with %s=compact refuses them, since it needs keys; topics.sh makes topics with delete",
				cleanupPolicy)
	case errors.As(err, &untrusted):
		return exit.Errorf(exit.Missing, "%s: %s: the broker's certificate does not prove its identity: %w", c.Location,
			what, err)
	case errors.Is(err, kafka.MessageSizeTooLarge):
		return exit.Errorf(exit.Missing, "%s: the topic refuses messages of this size", c.Location).
			WithHint("its max.message.bytes must be at least %d; a broker's default is %d", maxBatch+overhead,
				defaultLimit)
	case errors.Is(err, kafka.InvalidReplicationFactor):
		return exit.Errorf(exit.Usage, "%s: %s: more replicas than the cluster has brokers: %w", c.Location, what, err).
			WithHint("each copy of a partition needs a broker of its own: start more brokers, or ask for fewer " +
				"--replicas")
	case errors.As(err, &code) && !passing(err) && !joining(err): // the broker has decided, and would decide so again
		return exit.Errorf(exit.Missing, "%s: %s: the broker refuses it: %w", c.Location, what, err)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		err = errors.New("the broker does not answer")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return exit.Errorf(exit.Unavailable, "%s: %s: the broker closes the connection", c.Location, what).
			WithHint("%s", c.closes())
	}
	// a broken connection is no broken pipe
	failed := exit.Errorf(exit.Unavailable, "%s: %s: %v", c.Location, what, err)
	if elsewhere != "" {
		return failed.WithHint("the brokers tell clients to use %s, which is none of the addresses given here: "+
			"their advertised.listeners must name addresses that this machine reaches", elsewhere)
	}
	return failed
}

// closes is the hint for a broker that closes connections.
func (c *client) closes() string {
	if c.transport.TLS == nil {
		return "a broker that requires TLS or a password does so: " + ConfigVariable +
			" names the file with the settings of the connection"
	}
	return "a broker does so that requires a certificate of the client or a password, or another mechanism: compare " +
		"the file that " +
		ConfigVariable + " names with the broker's listener"
}

// elsewhere returns the address of an unreachable broker if the location does not name this address: then another
// broker named it. Otherwise elsewhere returns "".
func (c *client) elsewhere(err error) string {
	if name := (*net.DNSError)(nil); errors.As(err, &name) {
		for _, broker := range c.Brokers {
			if host, _, _ := net.SplitHostPort(broker); host == name.Name {
				return ""
			}
		}
		return name.Name
	}
	dialed := (*net.OpError)(nil)
	if !errors.As(err, &dialed) || dialed.Op != "dial" || dialed.Addr == nil ||
		slices.ContainsFunc(c.Brokers, func(broker string) bool {
			return broker == dialed.Addr.String() || c.resolves(broker, dialed.Addr.String())
		}) {
		return ""
	}
	return dialed.Addr.String()
}

// resolves says whether the broker's name resolves to an address.
func (c *client) resolves(broker, address string) bool {
	host, port, _ := net.SplitHostPort(broker)
	ctx, cancel := context.WithTimeout(context.Background(), probing)
	defer cancel()
	addresses, _ := net.DefaultResolver.LookupHost(ctx, host)
	return slices.ContainsFunc(addresses, func(ip string) bool { return net.JoinHostPort(ip, port) == address })
}

// partitions returns how many partitions the topic has.
func (c *client) partitions(ctx context.Context) (int, error) {
	n := 0
	err := c.retry(ctx, "look at the topic", func(ctx context.Context) error {
		m, err := c.kafka.Metadata(ctx, &kafka.MetadataRequest{Topics: []string{c.Topic}})
		if err != nil {
			return err
		}
		if len(m.Topics) != 1 {
			return fmt.Errorf("the broker answers about %d topics", len(m.Topics))
		}
		n = len(m.Topics[0].Partitions)
		return cmp.Or(m.Topics[0].Error, c.identify(ctx))
	})
	if err == nil {
		c.count.CompareAndSwap(0, int32(n))
	}
	return n, err
}

// watching is the time between two checks of an idle topic. The check is whether the topic lost messages or got more
// partitions.
const watching = 5 * time.Second

// unchanged refuses a topic that was recreated, or got more partitions, since it was opened. Nobody reads the new
// partitions, and units would move to them.
func (c *client) unchanged(ctx context.Context) error {
	n, err := c.partitions(ctx)
	if err == nil && int32(n) != c.count.Load() {
		return exit.Errorf(exit.Malformed,
			"%s: it has %d partitions and had %d: a topic must keep its partitions during a run", c.Location, n,
			c.count.Load()).
			WithHint("go on with new private topics; topics.sh makes them")
	}
	return err
}

// reach returns a client and the partitions for a location. The caller must call the client's leave. reach refuses a
// topic that cannot hold streams.
func reach(ctx context.Context, l *Location) (*client, []int, error) {
	c, partitions, err := find(ctx, l)
	if err != nil {
		return nil, nil, err
	}
	if err := c.uncompacted(ctx); err != nil {
		c.leave()
		return nil, nil, err
	}
	return c, partitions, nil
}

// find does as reach, but accepts every topic.
func find(ctx context.Context, l *Location) (*client, []int, error) {
	c, err := newClient(l)
	if err != nil {
		return nil, nil, err
	}
	partitions, err := c.meant(ctx)
	if err != nil {
		c.leave()
		return nil, nil, err
	}
	return c, partitions, nil
}

// meant returns the partitions that the location selects.
func (c *client) meant(ctx context.Context) ([]int, error) {
	n, err := c.partitions(ctx)
	if err != nil {
		return nil, err
	}
	if c.Partition >= n {
		return nil, exit.Errorf(exit.Missing, "%s: no partition %d, it has %d", c.Location, c.Partition, n)
	}
	if c.Partition >= 0 {
		return []int{c.Partition}, nil
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all, nil
}

// bounds returns the offset of a partition's first message, and the offset after its last message.
func (c *client) bounds(ctx context.Context, partition int) (first, end int64, err error) {
	first, err = c.offset(ctx, kafka.FirstOffsetOf(partition))
	if err != nil {
		return 0, 0, err
	}
	end, err = c.offset(ctx, kafka.LastOffsetOf(partition))
	return first, end, err
}

// at returns the offset of the partition's first message with the given time or a later time.
func (c *client) at(ctx context.Context, partition int, when time.Time) (int64, error) {
	return c.offset(ctx, kafka.TimeOffsetOf(partition, when))
}

func (c *client) offset(ctx context.Context, wanted kafka.OffsetRequest) (offset int64, err error) {
	err = c.retry(ctx, "look for an offset", func(ctx context.Context) error {
		r, err := c.kafka.ListOffsets(ctx, &kafka.ListOffsetsRequest{
			Topics: map[string][]kafka.OffsetRequest{c.Topic: {wanted}},
		})
		if err != nil {
			return err
		}
		if len(r.Topics[c.Topic]) != 1 {
			return errors.New("the broker answers about other partitions")
		}
		p := r.Topics[c.Topic][0]
		offset = max(p.FirstOffset, p.LastOffset)
		for at := range p.Offsets {
			offset = at
		}
		return p.Error
	})
	return offset, err
}
