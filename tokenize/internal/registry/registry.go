// Package registry asks a schema registry for schemas by the protocol of Confluent's registry. Apicurio, Karapace
// and Redpanda speak it, too. Built with -tags pipes it has no client.
package registry

import (
	"net/url"
	"strings"

	"privpipe/pipelines/exit"
)

// ConfigVariable is the environment variable that names the file with the TLS settings and the password for the
// registry. Without this variable the client trusts the system's authorities and gives no name.
const ConfigVariable = "PRIVPIPE_SCHEMA_REGISTRY_CONFIG"

// A URL names a registry. It has no password.
type URL string

// UnmarshalText implements encoding.TextUnmarshaler.
func (u *URL) UnmarshalText(text []byte) error {
	_, err := parse(string(text))
	if err == nil {
		err = errAbsent
	}
	*u = URL(text)
	return err
}

// A Schema is a schema as the registry keeps it.
type Schema struct {
	Type       string // AVRO, PROTOBUF or JSON; empty: AVRO
	Text       string
	References []Reference
}

// A Reference names a schema that another one imports.
type Reference struct {
	Name    string `json:"name"` // an Avro type's full name, or the path of a .proto file
	Subject string `json:"subject"`
	Version int    `json:"version"`
}

// errUnknown is the error for a schema that the registry does not have.
var errUnknown = exit.Errorf(exit.Malformed, "the registry does not have it")

// parse checks a URL. Its errors do not show the URL, which may hold a password.
func parse(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(text, "/"))
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Opaque != "":
		return nil, exit.Errorf(exit.Usage, "not the URL of a registry").
			WithHint("https://HOST[:PORT][/PATH]")
	case u.User != nil:
		return nil, exit.Errorf(exit.Usage,
			"the URL has a password, which others would see in the list of processes").
			WithHint("%s names a file that has it", ConfigVariable)
	case u.RawQuery != "" || u.Fragment != "":
		return nil, exit.Errorf(exit.Usage, "the URL has a query or a fragment").
			WithHint("https://HOST[:PORT][/PATH]")
	}
	return u, nil
}
