package calculator

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"privpipe/account/internal/accountant"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/rounded"
	"privpipe/pipelines/scheme"
	"privpipe/pipelines/testkit"
)

// asking makes a noise command of numbers in [0, 1): ε from 1e-9 to 100, δ from 1e-12 to 0.1, a sampling, rounds, an
// accountant.
func asking(epsilon, delta, rate, rounds, which, by float64) *NoiseQuery {
	between := func(x, low, high float64) float64 { return low * math.Pow(high/low, x) }
	c := &NoiseQuery{Epsilon: between(epsilon, 1e-9, 100), Delta: between(delta, 1e-12, 0.1)}
	c.Rounds, c.Epochs = int(between(rounds, 1, 60)), 1
	q := between(rate, 1e-3, 0.9)
	switch int(which * 6) {
	case 0:
		c.All = true
	case 1:
		c.All, c.Adjacency, c.NonNegative = true, "replace-one", true
	case 2:
		c.Poisson = &q
	case 3:
		c.Poisson, c.Adjacency = &q, "replace-one"
	case 4:
		c.Fixed = scheme.Units{Size: uint64(math.Ceil(q * 1e6)), Of: 1e6}
	default:
		c.Poisson, c.Adjacency, c.NonNegative = &q, "replace-one", true
	}
	names := []string{"tightest", "pld", "renyi", "analytic", "zcdp", "moments", "strong", "linear"}
	c.Accountant = names[int(by*float64(len(names)))]
	return c
}

// again asks for ε with the printed noise, as "account epsilon" does with the same flags.
func (c *NoiseQuery) again(ctx context.Context, noise float64) (*Answer, error) {
	f := &Released{SettingFlags: c.SettingFlags, NoiseMultiplier: noise}
	if err := errors.Join(f.Check(), accountant.CheckPureDelta(c.Delta)); err != nil {
		return nil, err
	}
	q, err := f.Question(ctx)
	if err != nil {
		return nil, err
	}
	return Best(c.Choice, q.By(accountant.EpsilonAt(c.Delta)))
}

// verify: the printed answer, in both forms, has the ε that "account epsilon" prints for the printed noise. This ε is
// at most the ε asked for. A refusal because no noise is enough says an ε that can be asked for.
func (c *NoiseQuery) verify(t *testing.T, forTable bool) (reached bool) {
	t.Helper()
	if err := c.Validate(); err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	found, err := c.Find(forTable)
	if err != nil {
		return c.checkRefusal(t, err, forTable)
	}
	text := new(bytes.Buffer)
	found.Table(text)
	columns := strings.Fields(strings.Split(text.String(), "\n")[1])
	noise, epsilon := float64(found.NoiseMultiplier), float64(found.Epsilon)
	if forTable {
		var wrong error
		if noise, err = strconv.ParseFloat(columns[3], 64); err == nil {
			epsilon, wrong = strconv.ParseFloat(columns[1], 64)
		}
		if err = errors.Join(err, wrong); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	same, err := c.again(t.Context(), noise)
	if err != nil {
		t.Fatalf("%+v: ε with noise %v: %v", c, noise, err)
	}
	againText := new(bytes.Buffer)
	same.Table(againText)
	if *same != *found || againText.String() != text.String() {
		t.Errorf("%+v: answers %+v, and with its noise %+v", c, found, same)
	}
	if !(epsilon <= c.Epsilon) {
		t.Errorf("%+v: noise %v has ε %v", c, noise, epsilon)
	}
	return true
}

func (c *NoiseQuery) checkRefusal(t *testing.T, err error, forTable bool) (reached bool) {
	t.Helper()
	var far *unreachable
	switch {
	case !errors.As(err, &far):
		if exit.Code(err) != exit.Usage || c.Accountant == "tightest" {
			t.Errorf("%+v: exit code %d: %v", c, exit.Code(err), err)
		}
	case exit.Code(err) != exit.Refused || !(far.least > c.Epsilon) ||
		!strings.HasSuffix(err.Error(), rounded.Up(far.least)):
		t.Errorf("%+v: exit code %d, least ε %v: %v", c, exit.Code(err), far.least, err)
	case !math.IsInf(far.least, 1):
		other := *c
		other.Epsilon = rounded.FourDigitsUp(far.least)
		if _, err := other.Find(forTable); err != nil {
			t.Errorf("%+v: ε %v is not reached either: %v", c, other.Epsilon, err)
		}
	}
	return false
}

// TestNoiseHasWhatWasAsked verifies the noise for many settings. The noise for the listed settings once had a larger ε
// than the ε asked for. A quick upper bound was below the upper bound of the answer there.
func TestNoiseHasWhatWasAsked(t *testing.T) {
	rate := 0.01
	for _, x := range []struct {
		epsilon, delta float64
		json           bool
	}{
		{1e-6, 1e-6, true}, {1e-6, 0.05, true}, {1e-9, 1e-10, true}, {1e-9, 1e-10, false}, {1e-9, 1e-6, true},
		{1e-6, 1e-6, false},
	}[:testkit.Repeats(t, "accounting", 2, 6)] {
		c := &NoiseQuery{Epsilon: x.epsilon, Delta: x.delta, Choice: accountant.Choice{Accountant: "pld"}}
		c.Poisson, c.Rounds, c.Epochs = &rate, 1, 1
		if !c.verify(t, !x.json) {
			t.Errorf("%+v is refused", c)
		}
	}
	random := rand.New(rand.NewPCG(7, 8))
	reached := 0
	tried := testkit.Repeats(t, "accounting", 8, 240)
	for i := range tried {
		c := asking(random.Float64(), random.Float64(), random.Float64(), random.Float64(), random.Float64(),
			random.Float64())
		if c.verify(t, i%2 == 1) {
			reached++
		}
	}
	if reached < tried/3 {
		t.Errorf("%d answers of %d", reached, tried)
	}
}
