package kafka

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"

	"privpipe/pipelines/exit"
)

// ConfigVariable is the environment variable that names the file with the TLS and SASL settings. Without this variable
// the stage connects in clear, without authentication.
const ConfigVariable = "PRIVPIPE_KAFKA_CONFIG"

// config is the content of the settings file. Paths are relative to its folder. Only the owner may read the key file,
// and the settings file if it has a password.
type config struct {
	// TLS encrypts; an empty object trusts the system's authorities.
	TLS *struct {
		CA          given `json:"ca"`          // PEM file of the authorities that sign the certificates of brokers
		Certificate given `json:"certificate"` // PEM files of the client's certificate and key
		Key         given `json:"key"`
		ServerName  given `json:"server_name"` // the name in the broker's certificate, if it is not the broker's host
	} `json:"tls"`
	SASL *struct {
		Mechanism string `json:"mechanism"` // PLAIN (only over TLS), SCRAM-SHA-256 or SCRAM-SHA-512
		Username  string `json:"username"`
		Password  string `json:"password"`
	} `json:"sasl"`
}

// given is an optional text. It must not be empty: an empty ca would mean the system's authorities, and an empty
// server_name the broker's own name.
type given string

// UnmarshalText implements encoding.TextUnmarshaler.
func (g *given) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return errors.New("a member is empty: name something, or leave it out")
	}
	*g = given(text)
	return nil
}

// readConfig returns the TLS and SASL settings in the file of ConfigVariable. Both are nil if the variable is not set.
func readConfig() (*tls.Config, sasl.Mechanism, error) {
	name, given := os.LookupEnv(ConfigVariable)
	switch {
	case !given:
		return nil, nil, nil
	case name == "": // a variable that somebody forgot to fill must not let texts travel in clear
		return nil, nil, exit.Errorf(exit.Usage, "%s must not be empty", ConfigVariable).
			WithHint("without the variable the stage connects in clear, without authentication")
	}
	b, exposed, err := readSecret(name)
	if err != nil {
		return nil, nil, exit.Errorf(exit.Missing, "%s: %w", ConfigVariable, err)
	}
	var c config
	decoder := json.NewDecoder(bytes.NewReader(b))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return nil, nil, exit.Errorf(exit.Usage, "%s: %w", name, err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, nil, exit.Errorf(exit.Usage, "%s: holds more than one object", name)
	}
	if c.SASL != nil && exposed != nil {
		return nil, nil, exposed
	}
	secure, err := c.tls(filepath.Dir(name))
	if err != nil {
		return nil, nil, exit.Errorf(exit.Usage, "%s: tls: %w", name, err).WithHint("%s", exit.Hint(err))
	}
	mechanism, err := c.mechanism()
	if err != nil {
		return nil, nil, exit.Errorf(exit.Usage, "%s: sasl: %w", name, err)
	}
	return secure, mechanism, nil
}

func (c *config) tls(folder string) (*tls.Config, error) {
	if c.TLS == nil {
		return nil, nil
	}
	path := func(name given) string {
		if filepath.IsAbs(string(name)) {
			return string(name)
		}
		return filepath.Join(folder, string(name))
	}
	t := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: string(c.TLS.ServerName)}
	if c.TLS.CA != "" {
		pem, err := os.ReadFile(path(c.TLS.CA))
		if err != nil {
			return nil, err
		}
		if t.RootCAs = x509.NewCertPool(); !t.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s holds no certificate", c.TLS.CA)
		}
	}
	if c.TLS.Certificate != "" || c.TLS.Key != "" {
		certificate, err := os.ReadFile(path(c.TLS.Certificate))
		if err != nil {
			return nil, err
		}
		key, exposed, err := readSecret(path(c.TLS.Key))
		if err = cmp.Or(err, exposed); err != nil {
			return nil, err
		}
		own, err := tls.X509KeyPair(certificate, key)
		if err != nil {
			return nil, err
		}
		t.Certificates = []tls.Certificate{own}
	}
	return t, nil
}

func (c *config) mechanism() (sasl.Mechanism, error) {
	if c.SASL == nil {
		return nil, nil
	}
	s := c.SASL
	if s.Username == "" || s.Password == "" {
		return nil, fmt.Errorf("username and password must be given")
	}
	switch s.Mechanism {
	case "PLAIN":
		if c.TLS == nil {
			return nil, fmt.Errorf("PLAIN would send the password in clear: it needs tls")
		}
		return plain.Mechanism{Username: s.Username, Password: s.Password}, nil
	case "SCRAM-SHA-256":
		return scram.Mechanism(scram.SHA256, s.Username, s.Password)
	case "SCRAM-SHA-512":
		return scram.Mechanism(scram.SHA512, s.Username, s.Password)
	}
	return nil, fmt.Errorf("mechanism %q is unknown, must be PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512", s.Mechanism)
}
