package broker

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl/scram"

	"privpipe/pipelines/testkit"
)

// settings is the content of client.json.
type settings struct {
	TLS struct {
		CA string
	}
	SASL struct {
		Mechanism, Username, Password string
	}
}

// secured returns a client that trusts the authority in a PEM file, if one is named, and says who it is.
func secured(t *testing.T, address, authority, username, password string) *kafka.Client {
	t.Helper()
	c := client(t, address)
	transport := c.Transport.(*kafka.Transport)
	transport.TLS = new(tls.Config)
	if authority != "" {
		certificate, err := os.ReadFile(authority)
		if err != nil {
			t.Fatal(err)
		}
		transport.TLS.RootCAs = x509.NewCertPool()
		if !transport.TLS.RootCAs.AppendCertsFromPEM(certificate) {
			t.Fatalf("%s holds no certificate", authority)
		}
	}
	var err error
	if transport.SASL, err = scram.Mechanism(scram.SHA512, username, password); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestSecure checks that the secure address serves who has client.json, and nobody else.
func TestSecure(t *testing.T) {
	testkit.Deep(t, "kafka")
	b := Own(t)
	encoded, err := os.ReadFile(b.Config)
	if err != nil {
		t.Fatal(err)
	}
	var s settings
	if err := json.Unmarshal(encoded, &s); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(b.Config)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 || s.SASL.Mechanism != "SCRAM-SHA-512" {
		t.Errorf("%s has the mode %o and the mechanism %q", b.Config, info.Mode().Perm(), s.SASL.Mechanism)
	}
	authority := filepath.Join(filepath.Dir(b.Config), s.TLS.CA)
	topic := b.Topic(t, "documents.private", 1, nil)
	for name, c := range map[string]struct {
		client *kafka.Client
		served bool
	}{
		"all right":         {secured(t, b.Secure, authority, s.SASL.Username, s.SASL.Password), true},
		"another password":  {secured(t, b.Secure, authority, s.SASL.Username, s.SASL.Password+"x"), false},
		"another user":      {secured(t, b.Secure, authority, s.SASL.Username+"x", s.SASL.Password), false},
		"another authority": {secured(t, b.Secure, "", s.SASL.Username, s.SASL.Password), false},
		"in clear":          {client(t, b.Secure), false},
	} {
		if err := produce(c.client, topic, 0, []byte(name)); (err == nil) != c.served {
			t.Errorf("%s: error %v", name, err)
		}
	}
	holds(t, client(t, b.Address), topic, 0, []byte("all right"))
}
