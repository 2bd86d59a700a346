package kafka

import (
	"crypto/tls"
	"io"
	"net"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit/broker"
)

// shortly is how long a wrong setting may go unnoticed, of the two minutes of patience.
const shortly = 10 * time.Second

// alerting listens as Apache Kafka does on a port of TLS: a client in clear gets an alert. The client takes the alert
// for the length of its answer, and that length is large. Unlike Kafka, alerting leaves the connection open, so that
// nothing but the alert tells.
func alerting(t *testing.T, certificate tls.Certificate) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer connection.Close()
				first := make([]byte, 1)
				if _, err := io.ReadFull(connection, first); err != nil {
					return
				}
				if first[0] == 22 { // a handshake
					tls.Server(&begun{connection, first},
						&tls.Config{Certificates: []tls.Certificate{certificate}}).Handshake()
					return
				}
				connection.Write([]byte{21, 3, 3, 0, 2, 2, 80})
				io.Copy(io.Discard, connection)
			}()
		}
	}()
	return listener.Addr().String()
}

// begun is a connection of which some was read.
type begun struct {
	net.Conn
	read []byte
}

func (b *begun) Read(into []byte) (int, error) {
	if n := copy(into, b.read); n > 0 {
		b.read = b.read[n:]
		return n, nil
	}
	return b.Conn.Read(into)
}

// TestInClearToTLS: a client without tls says so soon, whatever the broker does with what it does not understand.
func TestInClearToTLS(t *testing.T) {
	files := authority(t)
	own, err := tls.X509KeyPair(files["ca.pem"], files["key.pem"])
	if err != nil {
		t.Fatal(err)
	}
	fake := broker.Fake(t, map[string]int{"t.private": 1}, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{own}}))
	picky := broker.Fake(t, map[string]int{"t.private": 1}, kfake.TLS(&tls.Config{
		Certificates: []tls.Certificate{own}, ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12,
	}))
	unset(t)
	for name, address := range map[string]string{
		"hangs up": fake.Address, "wants a certificate": picky.Address, "alerts": alerting(t, own),
		"behind one that is away": "127.0.0.1:1," + fake.Address,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			_, err := Open(soon(t), location(t, address, "t.private", ""))
			wantError(t, err, exit.Missing, "t.private", "speaks TLS", ConfigVariable)
			t.Log(time.Since(began))
			if took := time.Since(began); took > shortly {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// TestNotTLS: brokers that are away, or hang up on everybody, are not taken for ones that speak TLS.
func TestNotTLS(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			connection.Close()
		}
	}()
	for name, address := range map[string]string{"away": "127.0.0.1:1", "hangs up": listener.Addr().String()} {
		_, err := Open(soon(t), location(t, address, "t.private", "?patience=100ms"))
		if exit.Code(err) != exit.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
}
