package secret

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

	"privpipe/pipelines/exit"
)

// Settings reads the JSON object in a file into settings. variable is the environment variable that names the file. It
// also returns exposed, an error if users other than the owner may read or change the file. The caller decides whether
// the file holds a secret.
func Settings(variable, name string, settings any) (exposed, err error) {
	b, exposed, err := Read(name)
	if err != nil {
		return nil, exit.Errorf(exit.Missing, "%s: %w", variable, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(b))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(settings); err != nil {
		return nil, exit.Errorf(exit.Usage, "%s: %w", name, err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, exit.Errorf(exit.Usage, "%s: holds more than one object", name)
	}
	return exposed, nil
}

// TLS has the settings of an encrypted connection. An empty object trusts the system's authorities.
type TLS struct {
	CA          Given `json:"ca"`          // PEM file of the authorities that sign the certificates of servers
	Certificate Given `json:"certificate"` // PEM files of the client's certificate and key
	Key         Given `json:"key"`
	ServerName  Given `json:"server_name"` // the name in the server's certificate, if it is not the server's host
}

// Given is an optional text. It must not be empty: an empty ca would mean the system's authorities, and an empty
// server_name the broker's own name.
type Given string

// UnmarshalText implements encoding.TextUnmarshaler.
func (g *Given) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return errors.New("a member is empty: name something, or leave it out")
	}
	*g = Given(text)
	return nil
}

// Config returns the settings for a client; nil without TLS. Paths are relative to folder. Only the owner may read the
// key file.
func (s *TLS) Config(folder string) (*tls.Config, error) {
	if s == nil {
		return nil, nil
	}
	path := func(name Given) string {
		if filepath.IsAbs(string(name)) {
			return string(name)
		}
		return filepath.Join(folder, string(name))
	}
	t := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: string(s.ServerName)}
	if s.CA != "" {
		pem, err := os.ReadFile(path(s.CA))
		if err != nil {
			return nil, err
		}
		if t.RootCAs = x509.NewCertPool(); !t.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s holds no certificate", s.CA)
		}
	}
	if s.Certificate != "" || s.Key != "" {
		certificate, err := os.ReadFile(path(s.Certificate))
		if err != nil {
			return nil, err
		}
		key, exposed, err := Read(path(s.Key))
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
