package dpevents

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/loss"
	"privpipe/account/internal/pld"
	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
)

// A trip is the list of a ledger as it comes from dp_accounting.
type trip struct {
	name    string
	list    *loss.List // of the ledger
	text    []byte     // as exported
	written *loss.List // and read again

	sampled, notTight          bool // so that its RdpAccountant is above ours
	unknownToRDP, unknownToPLD bool // what its accountants have no theorem for
}

// theirs is a line of dp_accounting_events.py; a number is null where an accountant has no theorem.
type theirs struct {
	Renyi, PLD *float64
	Order      float64
	Curve      []*float64 // at the orders that were asked for
	Document   json.RawMessage
}

// TestRoundTrip: what a ledger is exported as is the same to dp_accounting and, written back by it, to us.
//
// Its RdpAccountant has the same divergences and conversion, except for 1e-6, at integer orders; at others it takes all
// terms of the series for sampled Gaussian noise as positive, and is above. Of sampling without replacement, where both
// bound what nobody knows exactly, ours is not above. Its PLDAccountant is an upper bound of what ours brackets, on a
// grid of 1e-4.
func TestRoundTrip(t *testing.T) {
	testkit.Deep(t, "accounting")
	const delta = 1e-6
	orders := []float64{1.5}
	for order := 2.0; order < 40; order++ {
		orders = append(orders, order)
	}
	trips := trips(t)
	for i, answer := range askDPAccounting(t, trips, delta, orders) {
		trip := trips[i]
		back, err := Read(answer.Document, Relation{})
		if err != nil {
			t.Fatalf("%s: %v in %s", trip.name, err, answer.Document)
		}
		ours := boundOf(t, trip.written.Renyi, delta)
		if again := boundOf(t, back.Renyi, delta); again != ours {
			t.Errorf("%s: Rényi ε %v, written back %v", trip.name, ours, again)
		}
		tight := boundOf(t, distribution(trip.written), delta)
		if again := boundOf(t, distribution(back), delta); again != tight {
			t.Errorf("%s: PLD ε %v, written back %v", trip.name, tight, again)
		}
		trip.compareRenyi(t, answer, ours.Upper, orders, delta)
		switch {
		case (answer.PLD == nil) != trip.unknownToPLD:
			t.Errorf("%s: PLDAccountant answers %v", trip.name, answer.PLD)
		case answer.PLD != nil && !(*answer.PLD >= tight.Lower*(1-1e-9) && math.Abs(*answer.PLD/tight.Upper-1) <= 2e-3):
			t.Errorf("%s: PLD ε %v, by dp_accounting %v", trip.name, tight, *answer.PLD)
		}
	}
}

// compareRenyi compares divergences at orders, and ε at the best of them.
func (trip *trip) compareRenyi(t *testing.T, answer theirs, ours float64, orders []float64, delta float64) {
	if (answer.Renyi == nil) != trip.unknownToRDP {
		t.Errorf("%s: RdpAccountant answers %v", trip.name, answer.Renyi)
	}
	if answer.Renyi == nil {
		return
	}
	curve, _, err := trip.written.Curve()
	if err != nil {
		t.Fatal(err)
	}
	same := func(got, want float64) bool {
		return got <= want*(1+1e-6) && (got >= want*(1-1e-6) || trip.notTight)
	}
	for i, order := range orders {
		if got, want := curve(order), *answer.Curve[i]; !same(got, want) &&
			(order != 1.5 || !trip.sampled || got > want) {
			t.Errorf("%s: Rényi divergence of order %v is %v, by dp_accounting %v", trip.name, order, got, want)
		}
	}
	// Canonne, Kamath and Steinke 2020, proposition 12, at their best order.
	got := curve(answer.Order) + math.Log1p(-1/answer.Order) - math.Log(delta*answer.Order)/(answer.Order-1)
	if want := *answer.Renyi; !same(got, want) || ours > want*(1+1e-6) {
		t.Errorf("%s: Rényi ε %v, at order %v %v, by dp_accounting %v", trip.name, ours, answer.Order, got, want)
	}
}

// TestExportIsTheReports: a ledger that is exported and read again has the ε of its report, by both accountants.
func TestExportIsTheReports(t *testing.T) {
	for _, trip := range trips(t) {
		for name, pair := range map[string][2]func() (loss.Profile, error){
			"renyi": {trip.list.Renyi, trip.written.Renyi},
			"pld":   {distribution(trip.list), distribution(trip.written)},
		} {
			// A discrete Laplace has a curve of its own. The curve is up to two steps of 2^20 below the curve of
			// continuous noise.
			want, got := boundOf(t, pair[0], 1e-6).Upper, boundOf(t, pair[1], 1e-6).Upper
			if !(got >= want*(1-1e-9) && got <= want*(1+4e-6)) {
				t.Errorf("%s, %s: ε %v, exported %v", trip.name, name, want, got)
			}
		}
	}
}

func distribution(l *loss.List) func() (loss.Profile, error) {
	return func() (loss.Profile, error) { return l.Distribution(pld.Options{}) }
}

func boundOf(t *testing.T, profile func() (loss.Profile, error), delta float64) loss.Bound {
	t.Helper()
	p, err := profile()
	if err != nil {
		t.Fatal(err)
	}
	bound, err := p.Epsilon(delta)
	if err != nil {
		t.Fatal(err)
	}
	return bound
}

// trips exports ledgers of all that dp_accounting has words for.
func trips(t *testing.T) (all []*trip) {
	t.Helper()
	sampled := func(method string, rate float64, rounds int) event.Scheme {
		return event.Scheme{Method: method, Rate: rate, Rounds: rounds, Secret: true}
	}
	fixed := sampled(event.Fixed, 0.05, 20)
	fixed.Size, fixed.Population = 20000, 400000
	everyone := event.Scheme{Method: event.All, Rate: 1, Rounds: 10}
	once := event.Scheme{Method: event.All, Rate: 1, Rounds: 1}
	grant := func(mechanism, adjacency string, noise float64, scheme event.Scheme) *event.Grant {
		return &event.Grant{
			Mechanism: mechanism, Adjacency: adjacency, Unit: event.Document, Clip: 1, NoiseMultiplier: noise,
			Scheme:   scheme,
			Releases: scheme.Rounds,
		}
	}
	vips := grant(event.Gaussian, event.AddRemove, 1.24, sampled(event.Poisson, 0.05, 20))
	louder := grant(event.Gaussian, event.AddRemove, 3, sampled(event.Poisson, 0.01, 500))
	plain := grant(event.Gaussian, event.AddRemove, 8, everyone)
	laplace := grant(event.Laplace, event.AddRemove, 4, everyone)
	quiet := grant(event.Laplace, event.AddRemove, 2, vips.Scheme)
	response := grant(event.RandomizedResponse, event.ReplaceOne, 0, once)
	response.Flip, response.MaxWords = 0.4, 5
	replaced := grant(event.Gaussian, event.ReplaceOne, 8, everyone)
	positive := grant(event.Gaussian, event.ReplaceOne, 8, everyone)
	positive.NonNegative = true
	for name, grants := range map[string][]*event.Grant{
		"two runs":   {vips, louder},
		"many kinds": {vips, louder, plain, laplace},
		"laplace":    {laplace},
		"disjoint": {grant(event.Gaussian, event.AddRemove, 2,
			event.Scheme{Method: event.Epoch, Rate: 0.1, Rounds: 10})},
		"response":          {response},
		"replaced":          {replaced, positive, response},
		"laplace, replaced": {grant(event.Laplace, event.ReplaceOne, 30, everyone), replaced},
		"fixed":             {grant(event.Gaussian, event.ReplaceOne, 4, fixed)},
		"sampled laplace":   {quiet},
		"empty unit": {grant(event.Gaussian, event.ReplaceNull, 1.24, vips.Scheme),
			grant(event.Gaussian, event.ReplaceNull, 8, everyone)},
		"exchanged, coins": {grant(event.Gaussian, event.ReplaceOne, 3, vips.Scheme)},
		"mixed batch":      {vips, quiet},
		"two of one batch": {vips, grant(event.Gaussian, event.AddRemove, 2, vips.Scheme)},
	} {
		var charges []*event.Charge
		for i, g := range grants {
			for round := range g.Releases {
				run := fmt.Sprint("run", i)
				if strings.HasSuffix(name, "batch") {
					run = "run" // whose throw of coins it is
				}
				charges = append(charges, testkit.ChargeOf(g, round+1, run))
			}
		}
		composition, err := accountant.Compose(charges)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, tripOf(t, name, composition.List()))
	}
	// No ledger has values of more than two buckets.
	buckets := &loss.List{Adjacency: event.ReplaceOne}
	buckets.Add(loss.Release{Released: []loss.Mechanism{loss.RandomizedResponse{Noise: 0.95, Buckets: 1000}},
		Count: 100})
	return append(all, tripOf(t, "buckets", buckets))
}

// tripOf exports a list and reads it again.
func tripOf(t *testing.T, name string, list *loss.List) (one *trip) {
	t.Helper()
	var err error
	one = &trip{name: name, list: list, notTight: name == "fixed"}
	one.unknownToPLD = name == "fixed" || name == "laplace, replaced" || name == "mixed batch"
	// Its RdpAccountant has no theorem for coins under replace-one.
	one.unknownToRDP = name == "sampled laplace" || name == "mixed batch" || name == "exchanged, coins"
	for _, e := range one.list.Releases() {
		one.sampled = one.sampled || e.Sampling != loss.All
	}
	if one.text, err = Tree(one.list); err == nil {
		one.written, err = Read(one.text, Relation{})
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return one
}

// askDPAccounting has the Python that PYTHON names answer about what was exported, and skips the test if it has no
// dp_accounting.
func askDPAccounting(t *testing.T, trips []*trip, delta float64, orders []float64) (answers []theirs) {
	t.Helper()
	python := cmp.Or(os.Getenv("PYTHON"), "python3")
	const found = "import importlib.util; raise SystemExit(not importlib.util.find_spec('dp_accounting'))"
	if err := exec.Command(python, "-c", found).Run(); err != nil {
		t.Skipf("%s (set PYTHON to another) has no dp_accounting: pip install dp-accounting", python)
	}
	list := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(orders)), ","), "[]")
	args := []string{"testdata/dp_accounting_events.py", "--delta", fmt.Sprint(delta), "--orders", list}
	folder := t.TempDir()
	for i, trip := range trips {
		name := filepath.Join(folder, fmt.Sprintf("%d.json", i))
		if err := os.WriteFile(name, trip.text, 0o666); err != nil {
			t.Fatal(err)
		}
		args = append(args, name)
	}
	out, err := exec.Command(python, args...).Output()
	if err != nil {
		var stopped *exec.ExitError
		errors.As(err, &stopped)
		t.Fatalf("dp_accounting_events.py: %v\n%s", err, stopped.Stderr)
	}
	for line := range bytes.Lines(out) {
		var answer theirs
		if err := json.Unmarshal(line, &answer); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		answers = append(answers, answer)
	}
	if len(answers) != len(trips) {
		t.Fatalf("dp_accounting_events.py: %d answers about %d lists", len(answers), len(trips))
	}
	return answers
}
