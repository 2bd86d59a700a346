package kafka

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strings"
	"sync"
	"time"

	"privpipe/pipelines/exit"
)

// probing bounds the question whether a broker speaks TLS.
const probing = 2 * time.Second

// answered holds the lists of brokers, as locations have them, that have answered this process in clear.
var answered sync.Map

// heard notes that the brokers answered.
func (c *client) heard() {
	if c.transport.TLS == nil {
		answered.LoadOrStore(strings.Join(c.Brokers, ","), true)
	}
}

// wantsTLS returns an error where one of the brokers speaks TLS and the client does not. Such a broker only hangs up, or sends
// an alert that reads as the length of a long answer: nothing that patience would help. Brokers that ever answered in clear
// are not asked: to them the beginning of TLS is a broken request.
func (c *client) wantsTLS(ctx context.Context) error {
	if c.transport.TLS != nil {
		return nil
	}
	if _, clear := answered.Load(strings.Join(c.Brokers, ",")); clear {
		return nil
	}
	for _, broker := range c.Brokers {
		if speaksTLS(ctx, broker) {
			return exit.Errorf(exit.Missing, "%s: the broker %s speaks TLS, and it was spoken to in clear", c.Location, broker).
				WithHint(`%s names a file that says how to speak to brokers: {"tls":{}}, or more; or take the broker's other port`, ConfigVariable)
		}
	}
	return nil
}

// speaksTLS says whether a broker answers the beginning of a TLS connection with a certificate. No more is sent to it.
func speaksTLS(ctx context.Context, broker string) (speaks bool) {
	ctx, cancel := context.WithTimeout(ctx, probing)
	defer cancel()
	connection, err := new(net.Dialer).DialContext(ctx, "tcp", broker)
	if err != nil {
		return false
	}
	defer connection.Close()
	seen := errors.New("a certificate")
	tls.Client(connection, &tls.Config{
		InsecureSkipVerify: true, // whose it is does not matter: the connection ends here
		VerifyPeerCertificate: func([][]byte, [][]*x509.Certificate) error {
			speaks = true
			return seen
		},
	}).HandshakeContext(ctx)
	return speaks
}
