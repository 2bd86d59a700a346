package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"privpipe/account/internal/compose"
	"privpipe/account/internal/renyi"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

type planCommand struct {
	Epsilon         float64 `group:"Budget" xor:"budget" required:"" placeholder:"X" help:"ε of everything in the ledger, this plan included."`
	NoiseMultiplier float64 `group:"Budget" xor:"budget" required:"" placeholder:"X" help:"Noise over clip, where it is given and not to be solved for."`
	Delta           float64 `group:"Budget" placeholder:"X" help:"δ of the guarantee; at most a tenth of one over the number of units. Needed with --epsilon."`
	Ledger          string  `group:"Budget" placeholder:"FILE" help:"What was spent before comes off the budget; a FILE that is not there has spent nothing."`

	Poisson  float64  `group:"Scheme" xor:"scheme" required:"" placeholder:"Q" help:"As in sample."`
	Fixed    fraction `group:"Scheme" xor:"scheme" required:"" placeholder:"S/N" help:"S of N units, as in sample. Neighbours then exchange a unit, and nothing is amplified."`
	All      bool     `group:"Scheme" xor:"scheme" required:"" help:"As in sample."`
	Allocate bool     `group:"Scheme" xor:"scheme" required:"" help:"As in sample: rounds are disjoint."`
	Epoch    bool     `group:"Scheme" xor:"scheme" required:"" help:"As in sample: rounds are disjoint."`
	Rounds   int      `group:"Scheme" short:"T" default:"1" help:"Number of rounds T, and of releases."`
	Seeded   bool     `group:"Scheme" help:"For sample --seed: the coins are known, so nothing is amplified."`

	Clip      float64   `default:"1" help:"L2 bound of a unit's contribution to a round."`
	Unit      string    `enum:"document,user" default:"document" help:"Privacy unit: ${enum}."`
	Adjacency string    `enum:"add-remove,replace-one," default:"" help:"Neighbours differ by a unit more or less (add-remove, the default) or by one exchanged (replace-one)."`
	Expires   time.Time `placeholder:"TIME" help:"The grant ends then, as 2026-12-31T00:00:00Z."`
	ID        string    `placeholder:"NAME" help:"Id of the grant, and name of the run it is used for; random by default."`
	Output    string    `short:"o" placeholder:"FILE" help:"Where the grant goes; standard output by default."`
}

// Validate is kong's hook.
func (c *planCommand) Validate() error {
	var errs []error
	if c.NoiseMultiplier == 0 {
		errs = append(errs, event.CheckEpsilon(c.Epsilon))
		if c.Delta == 0 {
			errs = append(errs, errors.New("--epsilon needs a --delta above 0: at most a tenth of one over the number of units"))
		} else {
			errs = append(errs, event.CheckDelta(c.Delta))
		}
	} else {
		errs = append(errs, event.CheckNoiseMultiplier(c.NoiseMultiplier))
		if c.Delta != 0 || c.Ledger != "" {
			errs = append(errs, errors.New("--delta and --ledger belong to --epsilon: given noise is kept as it is"))
		}
	}
	errs = append(errs, event.CheckClip(c.Clip))
	if c.Poisson == 0 && c.Fixed.of == 0 && !c.All && !c.Allocate && !c.Epoch {
		errs = append(errs, errors.New("one of --poisson, --fixed, --all, --allocate and --epoch must be given, and not be 0"))
	} else {
		errs = append(errs, c.scheme().Check())
	}
	if c.ID != "" {
		errs = append(errs, event.CheckName(c.ID))
	}
	return errors.Join(errs...)
}

func (c *planCommand) scheme() event.Scheme {
	s := event.Scheme{Rounds: c.Rounds, Secret: !c.Seeded}
	switch {
	case c.All:
		s.Method, s.Rate, s.Secret = event.All, 1, false
	case c.Fixed.of > 0:
		s.Method, s.Size, s.Population = event.Fixed, c.Fixed.size, c.Fixed.of
		s.Rate = float64(c.Fixed.size) / float64(c.Fixed.of)
	case c.Allocate:
		s.Method, s.Rate = event.Allocate, 1/float64(c.Rounds)
	case c.Epoch:
		s.Method, s.Rate, s.Secret = event.Epoch, 1/float64(c.Rounds), false
	default:
		s.Method, s.Rate = event.Poisson, c.Poisson
	}
	return s
}

// Run is kong's hook.
func (c *planCommand) Run(r *filter.Run) error {
	grant := &event.Grant{
		Version: event.GrantVersion, ID: c.ID, Created: time.Now().UTC().Truncate(time.Second),
		Mechanism: event.Gaussian, Adjacency: c.Adjacency, Unit: c.Unit, Clip: c.Clip,
		NoiseMultiplier: c.NoiseMultiplier, Scheme: c.scheme(), Releases: c.Rounds,
	}
	if grant.ID == "" {
		grant.ID = strings.ToLower(rand.Text()[:12])
	}
	if grant.Adjacency == "" {
		grant.Adjacency = event.AddRemove
		if grant.Scheme.Method == event.Fixed {
			grant.Adjacency = event.ReplaceOne
		}
	}
	if !c.Expires.IsZero() {
		grant.Expires = &c.Expires
	}
	if c.NoiseMultiplier == 0 {
		if _, err := os.Stat(c.Ledger); c.Ledger != "" && errors.Is(err, fs.ErrNotExist) {
			r.Log.Warn("this ledger is not there: planning as if nothing was spent", "ledger", c.Ledger)
		}
		if err := c.solve(grant); err != nil {
			return err
		}
	}
	if c.Delta > 1e-3 {
		r.Log.Warn("such a δ may give a unit away in one of so many data sets", "delta", c.Delta)
	}
	if c.NoiseMultiplier == 0 && grant.NoiseMultiplier > 200 {
		r.Log.Warn("hardly anything is left of ε: the noise will drown the data",
			"noise multiplier", fmt.Sprintf("%.0f", grant.NoiseMultiplier))
	}
	if err := grant.Check(); err != nil {
		return exit.Errorf(exit.Usage, "%w", err)
	}
	if r.DryRun() {
		return nil
	}
	b, err := json.MarshalIndent(grant, "", "  ")
	if err != nil {
		return err
	}
	return endpoint.WriteFile(c.Output, wire.Side_PUBLIC, append(b, '\n'))
}

// solve sets the least noise multiplier that keeps the ledger and this plan within the budget, and the budget.
func (c *planCommand) solve(grant *event.Grant) error {
	ledger := new(event.Ledger)
	if c.Ledger != "" {
		read, err := readLedger(c.Ledger)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if read != nil {
			ledger = read
		}
	}
	before, err := compose.New(ledger.Charges())
	if err != nil {
		return exit.Errorf(exit.Malformed, "%s: %w", c.Ledger, err)
	}
	spent := func(multiplier float64) (float64, error) {
		all, err := before.Plan(grant, multiplier)
		if err != nil {
			return 0, exit.Errorf(exit.Usage, "%s is of adjacency %s and unit %s: %w",
				c.Ledger, before.Adjacency, before.Unit, err)
		}
		epsilon, _ := renyi.Epsilon(all, c.Delta)
		return epsilon, nil
	}
	const most = 1 << 20 // the privatizer's largest multiplier
	epsilon, err := spent(most)
	if err != nil {
		return err
	}
	if epsilon > c.Epsilon {
		already, _ := renyi.Epsilon(before.Curve(), c.Delta)
		return exit.Errorf(exit.Refused, "the ledger has spent ε %s: no noise keeps it within %v",
			roundUp(already), c.Epsilon)
	}
	// Bisection on a scale of logarithms, with the budget kept at high.
	low, high := 1.0/1024, float64(most)
	for high/low > 1+1e-9 {
		middle := math.Sqrt(low * high)
		if epsilon, err = spent(middle); err != nil {
			return err
		}
		if epsilon <= c.Epsilon {
			high = middle
		} else {
			low = middle
		}
	}
	grant.NoiseMultiplier = high
	grant.Budget = event.Budget{Epsilon: c.Epsilon, Delta: c.Delta, Accountant: "renyi", After: ledger.LastHash()}
	return nil
}

// readLedger reads and verifies a ledger.
func readLedger(name string) (*event.Ledger, error) {
	in, err := endpoint.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return event.ReadLedger(in, in.Name)
}

// fraction is S/N as a flag.
type fraction struct{ size, of uint64 }

// MarshalText implements encoding.TextMarshaler, for --print-config.
func (f fraction) MarshalText() ([]byte, error) {
	if f.of == 0 {
		return nil, nil
	}
	return fmt.Appendf(nil, "%d/%d", f.size, f.of), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *fraction) UnmarshalText(text []byte) error {
	a, b, ok := bytes.Cut(text, []byte{'/'})
	size, err1 := strconv.ParseUint(string(a), 10, 64)
	of, err2 := strconv.ParseUint(string(b), 10, 64)
	if !ok || err1 != nil || err2 != nil || of == 0 {
		return fmt.Errorf("%q is not S/N, such as 20000/400000", text)
	}
	*f = fraction{size, of}
	return nil
}
