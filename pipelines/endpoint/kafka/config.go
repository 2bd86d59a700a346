package kafka

import (
	"crypto/tls"
	"fmt"
	"os"
	"path/filepath"

	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"

	"privpipe/pipelines/endpoint/secret"
	"privpipe/pipelines/exit"
)

// ConfigVariable is the environment variable that names the file with the TLS and SASL settings. Without this variable
// the stage connects in clear, without authentication.
const ConfigVariable = "PRIVPIPE_KAFKA_CONFIG"

// config is the content of the settings file. Paths are relative to its folder. Only the owner may read the key file,
// and the settings file if it has a password.
type config struct {
	TLS  *secret.TLS `json:"tls"`
	SASL *struct {
		Mechanism string `json:"mechanism"` // PLAIN (only over TLS), SCRAM-SHA-256 or SCRAM-SHA-512
		Username  string `json:"username"`
		Password  string `json:"password"`
	} `json:"sasl"`
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
	var c config
	exposed, err := secret.Settings(ConfigVariable, name, &c)
	if err != nil {
		return nil, nil, err
	}
	if c.SASL != nil && exposed != nil {
		return nil, nil, exposed
	}
	secure, err := c.TLS.Config(filepath.Dir(name))
	if err != nil {
		return nil, nil, exit.Errorf(exit.Usage, "%s: tls: %w", name, err).WithHint("%s", exit.Hint(err))
	}
	mechanism, err := c.mechanism()
	if err != nil {
		return nil, nil, exit.Errorf(exit.Usage, "%s: sasl: %w", name, err)
	}
	return secure, mechanism, nil
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
