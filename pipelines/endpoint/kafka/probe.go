package kafka

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/segmentio/kafka-go/protocol"

	"privpipe/pipelines/exit"
)

// probing limits the time to find out whether a broker speaks TLS.
const probing = 2 * time.Second

// answered holds broker lists. Each of these lists has answered this process in clear.
var answered sync.Map

// heard notes that the brokers answered.
func (c *client) heard() {
	if c.transport.TLS == nil {
		answered.LoadOrStore(strings.Join(c.Brokers, ","), true)
	}
}

// wantsTLS returns an error if a broker speaks TLS and the client does not. Such a broker only hangs up, or sends an
// alert that looks like the length of a long answer, so a retry does not help. wantsTLS does not ask brokers that have
// answered in clear: they would see the beginning of a TLS connection as a malformed request.
func (c *client) wantsTLS(ctx context.Context) error {
	if c.transport.TLS != nil {
		return nil
	}
	if _, clear := answered.Load(strings.Join(c.Brokers, ",")); clear {
		return nil
	}
	for _, broker := range c.Brokers {
		if speaksTLS(ctx, broker) {
			return exit.Errorf(exit.Missing, "%s: the broker %s speaks TLS, and the connection was not encrypted",
				c.Location, broker).
				WithHint(`%s names the file with the settings of the connection, at least {"tls":{}}; or use the broker's port without TLS`, ConfigVariable)
		}
	}
	return nil
}

// wantsClear returns an error if the client uses TLS and a broker answers in clear. Such a broker sees the beginning of
// a TLS connection as a malformed request, and hangs up.
func (c *client) wantsClear(ctx context.Context) error {
	if c.transport.TLS == nil {
		return nil
	}
	for _, broker := range c.Brokers {
		if speaksClear(ctx, broker) {
			return exit.Errorf(exit.Missing, "%s: the broker %s speaks no TLS, and the connection was encrypted",
				c.Location, broker).
				WithHint("use the broker's port with TLS; or leave tls out of the file that %s names, if the network "+
					"may read the records", ConfigVariable)
		}
	}
	return nil
}

// speaksClear says whether a broker answers an ApiVersions request in clear. The request holds no secret.
func speaksClear(ctx context.Context, broker string) bool {
	ctx, cancel := context.WithTimeout(ctx, probing)
	defer cancel()
	connection, err := new(net.Dialer).DialContext(ctx, "tcp", broker)
	if err != nil {
		return false
	}
	defer connection.Close()
	connection.SetDeadline(time.Now().Add(probing))
	question := make([]byte, 4+2+2+4+2)
	binary.BigEndian.PutUint32(question, uint32(len(question)-4))
	binary.BigEndian.PutUint16(question[4:], uint16(protocol.ApiVersions))
	binary.BigEndian.PutUint16(question[len(question)-2:], 1<<16-1) // no client id
	if _, err := connection.Write(question); err != nil {
		return false
	}
	answer := make([]byte, 4+4+2+4) // length, correlation, error, number of requests
	if _, err := io.ReadFull(connection, answer); err != nil {
		return false
	}
	size, correlation := binary.BigEndian.Uint32(answer), binary.BigEndian.Uint32(answer[4:])
	return correlation == 0 && size < 1<<16 // a TLS alert begins with bytes that would be a larger size
}

// speaksTLS says whether a broker answers the beginning of a TLS connection with a certificate. It then closes the
// connection.
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
