// Package network links what tokenize asks in a network, by a blank import in a main: a client of schema registries. It
// speaks the protocol of Confluent's registry, as Apicurio, Karapace and Redpanda do, too.
package network

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"privpipe/pipelines/endpoint/secret"
	"privpipe/pipelines/exit"
	"privpipe/tokenize/internal/registry"
	_ "privpipe/tokenize/internal/schema/protobuf" // only a registry has such schemas
)

const (
	timeout    = 10 * time.Second // for one answer
	attempts   = 5
	pause      = 500 * time.Millisecond // before the second attempt; it doubles before each later one
	mostAnswer = 4 << 20                // bytes of an answer
)

func init() {
	registry.Register(func(of registry.URL) (registry.Client, error) { return newClient(of) })
}

// config is the content of the settings file. Paths are relative to its folder. Only the owner may read it if it has a
// password, and the key file.
type config struct {
	TLS   *secret.TLS `json:"tls"`
	Basic *struct {
		Username string `json:"username"`
		Password string `json:"password"`
	} `json:"basic"`
}

// A client asks one registry. It keeps no answers.
type client struct {
	base *url.URL
	http *http.Client
	config
	pause time.Duration
}

// newClient returns the client for the registry at a URL. It asks nothing yet.
func newClient(of registry.URL) (*client, error) {
	base, err := of.Parse()
	if err != nil {
		return nil, err
	}
	c := &client{base: base, pause: pause}
	secure, err := c.configure()
	if err != nil {
		return nil, err
	}
	c.http = &http.Client{
		Timeout: timeout,
		// No proxy of the environment, and no other host: only a flag names whom to ask.
		Transport:     &http.Transport{TLSClientConfig: secure, ForceAttemptHTTP2: true},
		CheckRedirect: stay,
	}
	return c, nil
}

// stay follows no redirection.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// configure reads the settings in the file of ConfigVariable.
func (c *client) configure() (*tls.Config, error) {
	name, given := os.LookupEnv(registry.ConfigVariable)
	switch {
	case !given:
		return nil, nil
	case name == "":
		return nil, exit.Errorf(exit.Usage, "%s must not be empty", registry.ConfigVariable).
			WithHint("without the variable the registry is asked without a name")
	}
	exposed, err := secret.Settings(registry.ConfigVariable, name, &c.config)
	if err != nil {
		return nil, err
	}
	clear := c.base.Scheme != "https"
	secure, err := c.TLS.Config(filepath.Dir(name))
	switch {
	case err != nil:
		return nil, exit.Errorf(exit.Usage, "%s: tls: %w", name, err).WithHint("%s", exit.Hint(err))
	case c.TLS != nil && clear:
		return nil, exit.Errorf(exit.Usage, "%s has tls, but the URL of --schema-registry is not https", name)
	case c.Basic == nil:
		return secure, nil
	case exposed != nil:
		return nil, exposed
	case c.Basic.Username == "" || c.Basic.Password == "":
		return nil, exit.Errorf(exit.Usage, "%s: basic: username and password must be given", name)
	case clear:
		return nil, exit.Errorf(exit.Usage, "%s: basic would send the password in clear: it needs a URL of https",
			name)
	}
	return secure, nil
}

// ByID returns the schema with an id. Registries give no negative ids, but a message may name one.
func (c *client) ByID(ctx context.Context, id int32) (registry.Schema, error) {
	if id < 0 {
		return registry.Schema{}, registry.ErrUnknown
	}
	return c.get(ctx, "schemas", "ids", strconv.Itoa(int(id)))
}

// ByVersion returns the schema that a reference names.
func (c *client) ByVersion(ctx context.Context, r registry.Reference) (registry.Schema, error) {
	return c.get(ctx, "subjects", r.Subject, "versions", strconv.Itoa(r.Version))
}

// get asks for a schema, again while the registry does not answer. The errors for an answer that will not change are
// malformed (the registry does not have the schema) or missing (it lets nobody in).
func (c *client) get(ctx context.Context, path ...string) (s registry.Schema, err error) {
	for i := range path {
		path[i] = url.PathEscape(path[i])
	}
	wait := c.pause
	for attempt := 1; ; attempt++ {
		s, err = c.ask(ctx, c.base.JoinPath(path...).String())
		if err == nil || exit.Code(err) != exit.Unavailable || attempt == attempts {
			return s, err
		}
		select {
		case <-time.After(wait):
			wait *= 2
		case <-ctx.Done():
			return s, context.Cause(ctx)
		}
	}
}

// ask asks once.
func (c *client) ask(ctx context.Context, address string) (registry.Schema, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return registry.Schema{}, exit.Errorf(exit.Usage, "--schema-registry is not the URL of a registry")
	}
	request.Header.Set("Accept", "application/vnd.schemaregistry.v1+json, application/json")
	if c.Basic != nil {
		request.SetBasicAuth(c.Basic.Username, c.Basic.Password)
	}
	response, err := c.http.Do(request)
	if err != nil {
		var secure *tls.CertificateVerificationError
		if ctx.Err() != nil {
			return registry.Schema{}, context.Cause(ctx)
		} else if errors.As(err, &secure) {
			return registry.Schema{}, exit.Errorf(exit.Missing, "%w", err).
				WithHint("%s names a file with the authority of its certificate", registry.ConfigVariable)
		}
		return registry.Schema{}, exit.Errorf(exit.Unavailable, "%w", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, mostAnswer+1))
	where := fmt.Sprintf("%s: status %d", address, response.StatusCode)
	switch status := response.StatusCode; {
	case (status == http.StatusNotFound || status == http.StatusBadRequest ||
		status == http.StatusUnprocessableEntity) && isOfRegistry(body, status):
		return registry.Schema{}, registry.ErrUnknown
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return registry.Schema{}, exit.Errorf(exit.Missing, "%s: the registry lets nobody in by this name", where).
			WithHint("%s names a file with name and password", registry.ConfigVariable)
	case status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout:
		return registry.Schema{}, exit.Errorf(exit.Unavailable, "%s", where)
	case status != http.StatusOK:
		return registry.Schema{}, exit.Errorf(exit.Missing, "%s: no registry answers so", where).
			WithHint("the URL may need a path, such as /apis/ccompat/v7 of Apicurio")
	case err != nil:
		return registry.Schema{}, exit.Errorf(exit.Unavailable, "%s: %w", address, err)
	case len(body) > mostAnswer:
		return registry.Schema{}, exit.Errorf(exit.Missing, "%s: a schema over %d MiB", address, mostAnswer>>20)
	}
	var answer struct {
		Schema     *string              `json:"schema"`
		SchemaType string               `json:"schemaType"`
		References []registry.Reference `json:"references"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Schema == nil {
		return registry.Schema{}, exit.Errorf(exit.Missing, "%s: the answer has no schema", address).
			WithHint("the URL may need a path, such as /apis/ccompat/v7 of Apicurio")
	}
	return registry.Schema{Type: answer.SchemaType, Text: *answer.Schema, References: answer.References}, nil
}

// isOfRegistry says whether a registry answered, and not a server of something else at the same URL: its errors have a
// code, the status itself or with two more digits.
// https://docs.confluent.io/platform/current/schema-registry/develop/api.html
func isOfRegistry(body []byte, status int) bool {
	var answer struct {
		Code int `json:"error_code"`
	}
	return json.Unmarshal(body, &answer) == nil && (answer.Code/100 == status || answer.Code == status)
}
