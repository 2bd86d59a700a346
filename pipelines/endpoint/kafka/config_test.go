package kafka

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
)

// configure makes a file of settings beside the authority and the certificate of 127.0.0.1 that it may name, and points
// the environment at it.
func configure(t *testing.T, settings string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, content := range authority(t) {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(folder, "client.json")
	if err := os.WriteFile(path, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(ConfigVariable, path)
	return folder
}

// authority returns a certificate of 127.0.0.1 that has signed itself, and its key.
func authority(t *testing.T) map[string][]byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, DNSNames: []string{"localhost"},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{
		"ca.pem":  pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}),
		"key.pem": pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private}),
	}
}

func TestConfig(t *testing.T) {
	for settings, want := range map[string]struct {
		encrypted     bool
		mechanism     string
		authorities   bool
		certificates  int
		name, version string
	}{
		`{}`:         {},
		`{"tls":{}}`: {encrypted: true},
		`{"tls":{"ca":"ca.pem","certificate":"ca.pem","key":"key.pem","server_name":"kafka.example"}}`: {
			encrypted: true, authorities: true, certificates: 1, name: "kafka.example"},
		`{"tls":{},"sasl":{"mechanism":"PLAIN","username":"u","password":"p"}}`: {encrypted: true, mechanism: "PLAIN"},
		`{"sasl":{"mechanism":"SCRAM-SHA-256","username":"u","password":"p"}}`:  {mechanism: "SCRAM-SHA-256"},
		`{"sasl":{"mechanism":"SCRAM-SHA-512","username":"u","password":"p"}}`:  {mechanism: "SCRAM-SHA-512"},
	} {
		configure(t, settings)
		secure, mechanism, err := readConfig()
		if err != nil {
			t.Errorf("%s: %v", settings, err)
			continue
		}
		if (secure != nil) != want.encrypted || (mechanism != nil) != (want.mechanism != "") {
			t.Errorf("%s: encrypted %v, says who it is %v", settings, secure != nil, mechanism != nil)
			continue
		}
		if mechanism != nil && mechanism.Name() != want.mechanism {
			t.Errorf("%s: mechanism %s", settings, mechanism.Name())
		}
		if secure != nil && (secure.MinVersion != tls.VersionTLS12 || secure.InsecureSkipVerify ||
			(secure.RootCAs != nil) != want.authorities || len(secure.Certificates) != want.certificates ||
			secure.ServerName != want.name) {
			t.Errorf("%s: %+v", settings, secure)
		}
	}
	unset(t)
	if secure, mechanism, err := readConfig(); secure != nil || mechanism != nil || err != nil {
		t.Errorf("without a file: %v, %v, %v", secure, mechanism, err)
	}
}

// unset lets a test run without the variable.
func unset(t *testing.T) {
	t.Setenv(ConfigVariable, "") // which puts back what it was
	os.Unsetenv(ConfigVariable)
}

func TestConfigRefuses(t *testing.T) {
	for settings, want := range map[string]string{
		``:                          "EOF",
		`hello`:                     "invalid character",
		`[]`:                        "cannot unmarshal",
		`{"tls":{}`:                 "unexpected EOF",
		`{"tls":{}}{"sasl":{}}`:     "more than one object",
		`{"TLS":{},"verify":false}`: `unknown field "verify"`,
		`{"tls":{"insecure":true}}`: `unknown field "insecure"`,
		`{"sasl":{"mechanism":"PLAIN","username":"user","password":"s3cret"}}`:               "it needs tls",
		`{"sasl":{"mechanism":"GSSAPI","username":"user","password":"s3cret"}}`:              `"GSSAPI" is unknown`,
		`{"sasl":{"username":"user","password":"s3cret"}}`:                                   `"" is unknown`,
		`{"tls":{},"sasl":{"mechanism":"PLAIN","username":"user"}}`:                          "username and password",
		`{"tls":{},"sasl":{"mechanism":"SCRAM-SHA-512","password":"s3cret"}}`:                "username and password",
		`{"sasl":{"mechanism":"SCRAM-SHA-512","username":"user","password":["s3cret"]}}`:     "cannot unmarshal",
		`{"sasl":{"mechanism":"SCRAM-SHA-512","username":"user","password":"s3cret",}}`:      "invalid character",
		`{"sasl":{"mechanism":"SCRAM-SHA-512","username":"user","password":s3cret}}`:         "invalid character",
		`{"sasl":{"mechanism":"SCRAM-SHA-512","username":"user","pass":"s3cret"}}`:           `unknown field "pass"`,
		`{"sasl":{"mechanism":"SCRAM-SHA-512","username":"us\u0000er","password":"s3cret"}}`: "sasl",
		`{"tls":{"ca":"nowhere.pem"}}`:                                                       "nowhere.pem",
		`{"tls":{"ca":"key.pem"}}`:                                                           "key.pem holds no certificate",
		`{"tls":{"ca":""}}`:                                                                  "a member is empty",
		`{"tls":{"ca":"ca.pem","server_name":""}}`:                                           "a member is empty",
		`{"tls":{"key":"key.pem"}}`:                                                          "tls",
		`{"tls":{"certificate":"ca.pem","key":"ca.pem"}}`:                                    "tls",
	} {
		configure(t, settings)
		_, _, err := readConfig()
		wantError(t, err, exit.Usage, want, "client.json")
		if err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: the error tells the password: %v", settings, err)
		}
		if _, err := Open(t.Context(), location(t, "127.0.0.1:1", "t", "")); exit.Code(err) != exit.Usage {
			t.Errorf("%s: a topic opens all the same: %v", settings, err)
		}
	}
	t.Setenv(ConfigVariable, "")
	_, _, err := readConfig()
	wantError(t, err, exit.Usage, ConfigVariable, "must not be empty")
	t.Setenv(ConfigVariable, filepath.Join(t.TempDir(), "nowhere.json"))
	_, _, err = readConfig()
	wantError(t, err, exit.Missing, ConfigVariable, "nowhere.json")
}

// TestConfigExposed: only its owner may read a file with a secret; everybody may read a file without one.
func TestConfigExposed(t *testing.T) {
	const password = `{"sasl":{"mechanism":"SCRAM-SHA-256","username":"u","password":"s3cret"}}`
	const key = `{"tls":{"certificate":"ca.pem","key":"key.pem"}}`
	for _, c := range []struct {
		settings, file string
		mode           os.FileMode
		refused        bool
	}{
		{password, "client.json", 0o600, false}, {password, "client.json", 0o400, false},
		{password, "client.json", 0o640, true}, {password, "client.json", 0o604, true},
		{password, "client.json", 0o620, true},
		{key, "client.json", 0o644, false}, {key, "ca.pem", 0o644, false}, {key, "key.pem", 0o400, false},
		{key, "key.pem", 0o644, true}, {key, "key.pem", 0o640, true},
		{`{"tls":{"ca":"ca.pem"}}`, "client.json", 0o644, false},
	} {
		folder := configure(t, c.settings)
		if err := os.Chmod(filepath.Join(folder, c.file), c.mode); err != nil {
			t.Fatal(err)
		}
		_, _, err := readConfig()
		if !c.refused {
			if err != nil {
				t.Errorf("%s of mode %o: %v", c.file, c.mode, err)
			}
			continue
		}
		wantError(t, err, exit.Usage, c.file, fmt.Sprintf("mode %04o", c.mode), "chmod 600")
		if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("the error tells the password: %v", err)
		}
	}
}

// TestSecured goes through a stream's life on a broker that encrypts and asks who one is, and tries what must not get
// in.
func TestSecured(t *testing.T) {
	files := authority(t)
	own, err := tls.X509KeyPair(files["ca.pem"], files["key.pem"])
	if err != nil {
		t.Fatal(err)
	}
	fake := broker.Fake(t, map[string]int{"t.private": 1},
		kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-512", "user", "s3cret"),
		kfake.TLS(&tls.Config{Certificates: []tls.Certificate{own}}))
	folder := configure(t, `{"tls":{"ca":"ours.pem","server_name":"localhost"},
		"sasl":{"mechanism":"SCRAM-SHA-512","username":"user","password":"s3cret"}}`)
	if err := os.WriteFile(filepath.Join(folder, "ours.pem"), files["ca.pem"], 0o600); err != nil {
		t.Fatal(err)
	}
	l := location(t, fake.Address, "t.private", "?patience=100ms")
	comesThrough(t, l)
	isKeptOut(t, l, untrusted)
}

// TestSecuredReal is the same on Apache Kafka, which has a file of its own and says what it does not like.
func TestSecuredReal(t *testing.T) {
	testkit.Deep(t, "kafka")
	b := broker.Own(t)
	topic := b.Topic(t, "t.private", 1, nil)
	t.Setenv(ConfigVariable, b.Config)
	comesThrough(t, location(t, b.Secure, topic, ""))
	l := location(t, b.Secure, topic, "?patience=100ms")
	isKeptOut(t, l, untrusted)
	isKeptOut(t, l, []intruder{
		{"another password", func(s settings) { s["sasl"]["password"] = "0ther" }, exit.Missing, "allow"},
		{"another user", func(s settings) { s["sasl"]["username"] = "0ther" }, exit.Missing, "allow"},
		{"another mechanism", func(s settings) { s["sasl"]["mechanism"] = "PLAIN" }, exit.Missing, "allow"},
	})
}

// comesThrough writes and reads a stream, and joins a group.
func comesThrough(t *testing.T, l *Location) {
	t.Helper()
	records := round(1, 10)
	writeStream(t, appendTo(t, l), header(wire.Kind_ROUNDS), records)
	got, err := read(t, openLog(t, l))
	wantRecords(t, got, err, records)
	group := *l
	group.Group, group.Patience = "g", within
	member, err := Join(&group, "answers")
	if err != nil {
		t.Fatal(err)
	}
	defer member.Close()
	work := func(context.Context, int) error { return io.EOF }
	if err := member.Share(t.Context(), work, never); err != io.EOF {
		t.Error(err)
	}
}

// never says that there is work left.
func never(context.Context) (bool, error) { return false, nil }

// settings are the content of a file of settings.
type settings map[string]map[string]string

// An intruder is one whose settings are not all right.
type intruder struct {
	name   string
	change func(settings)
	code   int
	words  string
}

var untrusted = []intruder{
	{"nobody", func(s settings) { delete(s, "sasl") }, exit.Unavailable, ""},
	{"another authority", func(s settings) { s["tls"]["ca"] = "ca.pem" }, exit.Missing, "certificate"},
	{"another name", func(s settings) { s["tls"]["server_name"] = "other" }, exit.Missing, "certificate"},
	{"in clear", func(s settings) { delete(s, "tls") }, exit.Missing, "speaks TLS"},
}

// isKeptOut tries to get in with settings that differ from the right ones.
func isKeptOut(t *testing.T, l *Location, all []intruder) {
	right := os.Getenv(ConfigVariable)
	encoded, err := os.ReadFile(right)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range all {
		t.Run(c.name, func(t *testing.T) {
			var s settings
			if err := json.Unmarshal(encoded, &s); err != nil {
				t.Fatal(err)
			}
			s["tls"]["ca"] = filepath.Join(filepath.Dir(right), s["tls"]["ca"])
			c.change(s)
			changed, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			configure(t, string(changed))
			_, err = Open(t.Context(), l)
			if i == 0 { // a group takes a second to give up
				group := *l
				group.Group = "g"
				member, failed := Join(&group, "answers")
				if failed != nil {
					t.Fatal(failed)
				}
				defer member.Close()
				joined := member.Share(t.Context(), nil, never)
				wantError(t, joined, c.code, c.words, l.Topic)
				err = errors.Join(err, joined)
			}
			wantError(t, err, c.code, c.words, l.Topic)
			if password, ok := s["sasl"]["password"]; ok && strings.Contains(fmt.Sprint(err), password) {
				t.Errorf("the error tells the password: %v", err)
			}
		})
	}
}
