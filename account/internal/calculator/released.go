package calculator

import (
	"context"
	"errors"
	"fmt"

	"privpipe/account/internal/dpevents"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/scheme"
)

// Released says what was released: Gaussian noise in a setting, or a list of events.
type Released struct {
	SettingFlags
	NoiseMultiplier float64 `xor:"released" placeholder:"X" help:"Standard deviation of the noise, divided by the clip C."`
	Events          string  `xor:"released" placeholder:"FILE" help:"Read what was released from JSON, as in EVENTS.md: a list of events, or a tree of dp_accounting's DpEvents; - is standard input. It replaces the flags of a setting."`
}

// mostEvents is the largest size of an events file, in bytes.
const mostEvents = 16 << 20

func (c *Released) Check() error {
	switch {
	case c.Events == "" && c.NoiseMultiplier == 0:
		return errors.New("--noise-multiplier above 0, or --events, must be given")
	case c.Events == "":
		return errors.Join(c.SettingFlags.check(), c.Setting().checkNoise(c.NoiseMultiplier))
	case c.Poisson != nil || c.Fixed != (scheme.Units{}) || c.All || c.Allocate || c.Epochs != 1 || c.Rounds != 1 ||
		c.Sensitivity != nil:
		return errors.New("--poisson, --fixed, --all, --allocate, --epochs, --rounds and --sensitivity do not go " +
			"with --events")
	}
	return nil
}

// Question returns the question about what was released.
func (c *Released) Question(ctx context.Context) (*Question, error) {
	if c.Events == "" {
		return c.Setting().Asked(c.NoiseMultiplier), nil
	}
	b, err := endpoint.ReadFile(ctx, c.Events, mostEvents)
	if err != nil {
		return nil, err
	}
	name := c.Events
	if name == endpoint.Stdio {
		name = "standard input"
	}
	list, err := dpevents.Read(b, dpevents.Relation{Adjacency: c.Adjacency, NonNegative: c.NonNegative})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Question{list, Answer{Adjacency: list.Adjacency, Sampling: "each event's own"}}, nil
}
