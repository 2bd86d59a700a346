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

// answered holds the broker lists of locations that have answered this process in clear.
var answered sync.Map

// heard notes that the brokers answered.
func (c *client) heard() {
	if c.transport.TLS == nil {
		answered.LoadOrStore(strings.Join(c.Brokers, ","), true)
	}
}

// wantsTLS returns an error if one of the brokers speaks TLS and the client does not. Such a broker only hangs up, or sends an alert that
// looks like the length of a long answer. A retry does not help then. wantsTLS does not ask brokers that have answered in clear:
// to them the beginning of a TLS connection is a malformed request.
func (c *client) wantsTLS(ctx context.Context) error {
	if c.transport.TLS != nil {
		return nil
	}
	if _, clear := answered.Load(strings.Join(c.Brokers, ",")); clear {
		return nil
	}
	for _, broker := range c.Brokers {
		if speaksTLS(ctx, broker) {
			return exit.Errorf(exit.Missing, "%s: the broker %s speaks TLS, and the connection was not encrypted", c.Location, broker).
				WithHint(`%s names the file with the settings of the connection, at least {"tls":{}}; or use the broker's port without TLS`, ConfigVariable)
		}
	}
	return nil
}

// speaksTLS says whether a broker answers the beginning of a TLS connection with a certificate. It then closes the connection.
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
		InsecureSkipVerify: true, // the owner of the certificate does not matter: the connection ends here
		VerifyPeerCertificate: func([][]byte, [][]*x509.Certificate) error {
			speaks = true
			return seen
		},
	}).HandshakeContext(ctx)
	return speaks
}
