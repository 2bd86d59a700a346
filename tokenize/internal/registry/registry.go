// Package registry says what a schema registry is asked, and what it answers. A program that links tokenize/network has
// a client, others have none.
package registry

import (
	"context"
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
	*u = URL(text)
	_, err := u.Parse()
	return err
}

// A Client asks one registry. The error for a schema that the registry does not have is ErrUnknown.
type Client interface {
	// ByID returns the schema with an id. Registries give no negative ids, but a message may name one.
	ByID(ctx context.Context, id int32) (Schema, error)
	// ByVersion returns the schema that a reference names.
	ByVersion(context.Context, Reference) (Schema, error)
}

// newClient is nil in a program without a client.
var newClient func(URL) (Client, error)

// Register sets what makes clients.
func Register(makes func(URL) (Client, error)) { newClient = makes }

// New returns the client for the registry at a URL. It asks nothing yet.
func New(of URL) (Client, error) {
	if newClient == nil {
		return nil, exit.Errorf(exit.Usage, "this program has no client for registries").
			WithHint("program networked has one: see pipelines/install/README.md")
	}
	return newClient(of)
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

// ErrUnknown is the error for a schema that the registry does not have.
var ErrUnknown = exit.Errorf(exit.Malformed, "the registry does not have it")

// Parse checks a URL. Its errors do not show the URL, which may hold a password.
func (of URL) Parse() (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(string(of), "/"))
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
