package command

import (
	"context"
	"errors"
	"strings"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
)

// Retention deletes old messages from a topic, read or not. So sample bounds how far the rounds in a topic run ahead of
// their releases. Over a pipe the next stages hold sample back.

// lead has the flags that bound how far the rounds run ahead.
type lead struct {
	Lead   *int   `zero:"" group:"Topics" placeholder:"N" help:"Write at most N rounds to a topic before the first of them is released, 4 by default; 0 writes all rounds at once. The retention of the topic must last for N rounds. Without --follow or its default there is no bound."`
	Follow string `group:"Topics" placeholder:"TOPIC" help:"Watch this topic of the run's releases or parameters, to know which rounds are released. By default the topic is RUN.releases, if the output is a topic whose name begins with the RUN of --run."`
}

// usualLead lets the next stages work on one round while sample writes others. The topic then needs only a short
// retention.
const usualLead = 4

func (l *lead) validate(s *Command) error {
	switch {
	case l.Lead == nil && l.Follow == "":
		return nil
	case s.Window > 0:
		return errors.New("--lead and --follow do not belong to --window: its rounds come as time goes by")
	case l.Lead != nil && *l.Lead < 0:
		return errors.New("--lead must not be negative")
	case !endpoint.IsTopic(s.Output):
		return errors.New("--lead and --follow belong to an output that is a topic: a pipe holds sample back by itself")
	case l.most() > 0 && s.followed() == "":
		return errors.New("--lead needs --follow here: the output's name does not begin with the name of --run")
	case l.most() == 0 && l.Follow != "":
		return errors.New("--lead 0 waits for nothing, and --follow names what to wait for")
	}
	return nil
}

// most is how many rounds may be ahead; 0: all.
func (l *lead) most() int {
	if l.Lead == nil {
		return usualLead
	}
	return *l.Lead
}

// followed is the name of the topic that --lead watches for releases; "" for none.
func (s *Command) followed() string {
	if s.Follow != "" || !endpoint.IsTopic(s.Output) || s.RunName == "" || s.most() == 0 {
		return s.Follow
	}
	location, _, _ := strings.Cut(s.Output, "?")
	cut := strings.LastIndex(location, "/") + 1
	if !strings.HasPrefix(location[cut:], s.RunName+".") {
		return ""
	}
	return location[:cut] + s.RunName + ".releases"
}

// A pace holds a round back until enough earlier rounds are released.
type pace struct {
	releases *endpoint.Follower // nil: nothing is waited for
	most     int
	first    int // first round of the run that is sampled here; earlier rounds are done
}

// pace opens the topic that sample follows.
func (s *Command) pace(r *filter.Run) (*pace, error) {
	name := s.followed()
	if name == "" {
		if endpoint.IsTopic(s.Output) && s.most() > 0 && s.all() > usualLead {
			r.Log.Warn("nothing bounds how far rounds run ahead of their releases: retention must last for the whole " +
				"run; see --follow")
		}
		return new(pace), nil
	}
	releases, err := endpoint.Follow(r, name, s.RunName)
	if err != nil {
		return nil, exit.Errorf(exit.Code(err), "--follow: %w", err).
			WithHint("rounds wait in this topic for the releases of earlier rounds; --lead 0 writes all rounds at once")
	}
	return &pace{releases, s.most(), s.FirstRound}, nil
}

// wait waits until the round may be written.
func (p *pace) wait(ctx context.Context, round int, waiting func(until int)) error {
	until := round - p.most
	if p.releases == nil || until < p.first || p.releases.Reached(uint32(until)) {
		return nil
	}
	waiting(until)
	if err := p.releases.Wait(uint32(until)); ctx.Err() == nil {
		return err
	}
	return context.Cause(ctx)
}

func (p *pace) close() {
	if p.releases != nil {
		p.releases.Close()
	}
}
