package dpevents

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"privpipe/account/internal/loss"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
)

var replaceOne = Relation{Adjacency: event.ReplaceOne}

// TestRead: what each form means.
func TestRead(t *testing.T) {
	gaussian := func(noise, sensitivity float64) []loss.Mechanism {
		return []loss.Mechanism{loss.Gaussian{Noise: noise, Sensitivity: sensitivity}}
	}
	laplace := func(scale, sensitivity float64) []loss.Mechanism {
		return []loss.Mechanism{loss.Laplace{Scale: scale, Sensitivity: sensitivity}}
	}
	twentieth := math.Nextafter(0.05, 1)
	for _, c := range []struct {
		text     string
		relation Relation
		want     []loss.Release // of one kind each, in the order of their names
	}{
		{`[]`, Relation{}, nil},
		{`[{"type":"gaussian","q":1.0,"noise_multiplier":2,"count":3}]`,
			Relation{}, []loss.Release{{Released: gaussian(2, 1), Count: 3}}},
		{`[{"type":"gaussian","noise_multiplier":2,"count":3},{"type":"gaussian","q":1,"noise_multiplier":2,"count":4}]`,
			Relation{}, []loss.Release{{Released: gaussian(2, 1), Count: 7}}},
		{`[{"type":"gaussian","sampling":"none","noise_multiplier":2,"count":3}]`, replaceOne,
			[]loss.Release{{Released: gaussian(2, 2), Count: 3}}},
		{`[{"type":"gaussian","noise_multiplier":2,"count":3}]`, Relation{event.ReplaceOne, true},
			[]loss.Release{{Released: gaussian(2, math.Sqrt2), Count: 3}}},
		// which does not matter here
		{`[{"type":"gaussian","noise_multiplier":2,"count":3}]`, Relation{NonNegative: true},
			[]loss.Release{{Released: gaussian(2, 1), Count: 3}}},
		{`[{"type":"gaussian","noise_multiplier":2,"sensitivity":0.5,"count":3}]`, replaceOne,
			[]loss.Release{{Released: gaussian(2, 0.5), Count: 3}}},
		{`[{"type":"laplace","scale":2,"count":3}]`, Relation{event.ReplaceOne, true}, // in L1 nothing is nearer
			[]loss.Release{{Released: laplace(2, 2), Count: 3}}},
		{`[{"type":"subsampled_laplace","q":0.5,"scale":2,"count":3}]`, Relation{},
			[]loss.Release{{Sampling: loss.Poisson, Rate: 0.5, Released: laplace(2, 1), Count: 3}}},
		{`[{"type":"gaussian","size":20000,"population":400000,"noise_multiplier":2,"count":3}]`, replaceOne,
			[]loss.Release{{Sampling: loss.Fixed, Rate: twentieth, Released: gaussian(2, 2), Count: 3}}},
		{`[{"type":"gaussian","sampling":"without_replacement","q":0.05,"noise_multiplier":2,"count":3}]`, replaceOne,
			[]loss.Release{{Sampling: loss.Fixed, Rate: 0.05, Released: gaussian(2, 2), Count: 3}}},
		{`{"adjacency":"replace-one","events":[{"type":"approx_dp","epsilon":1,"delta":0.1,"count":1}]}`, Relation{},
			[]loss.Release{{Released: []loss.Mechanism{loss.Approximate{Epsilon: 1, Delta: 0.1}}, Count: 1}}},
		{`[{"type":"approx_dp","epsilon":1,"delta":0,"count":1,"adjacency":"add-remove"}]`, Relation{},
			[]loss.Release{{Released: []loss.Mechanism{loss.Pure{Epsilon: 1}}, Count: 1}}},
		{`[{"type":"zcdp","rho":0.5,"count":1}]`, Relation{},
			[]loss.Release{{Released: []loss.Mechanism{loss.Concentrated{Rho: 0.5}}, Count: 1}}},
		{`[{"type":"discrete_gaussian","variance":100,"sensitivity":5,"count":1}]`, Relation{},
			[]loss.Release{{Released: []loss.Mechanism{loss.DiscreteGaussian{Variance: 100, Sensitivity: 5}},
				Count: 1}}},
		{`[{"type":"batch","q":0.5,"released":[{"type":"gaussian","noise_multiplier":2},{"type":"laplace","scale":3}],"count":2}]`,
			Relation{},
			[]loss.Release{{Sampling: loss.Poisson, Rate: 0.5, Released: append(gaussian(2, 1), laplace(3, 1)...),
				Count: 2}}},

		{`{"class_name":"NoOpDpEvent","module_name":"dp_accounting.dp_event"}`, Relation{}, nil},
		{`{"adjacency":"replace-one","event":{"class_name":"GaussianDpEvent","noise_multiplier":1}}`, replaceOne,
			[]loss.Release{{Released: gaussian(1, 2), Count: 1}}},
		{tree(`{"class_name":"DiscreteLaplaceDpEvent","noise_parameter":0.5,"sensitivity":3}`, 2, 1),
			replaceOne, []loss.Release{
				{Released: []loss.Mechanism{loss.DiscreteLaplace{Scale: math.Nextafter(2, 0),
					Sensitivity: 6}}, Count: 2}}},
		{tree(`{"class_name":"PoissonSampledDpEvent","sampling_probability":0.5,"event":{"class_name":"LaplaceDpEvent",`+
			`"noise_multiplier":2}}`, 3, 4), Relation{},
			[]loss.Release{{Sampling: loss.Poisson, Rate: 0.5, Released: laplace(2, 1), Count: 12}}},
		// One sample, of which four results are released.
		{`{"class_name":"PoissonSampledDpEvent","sampling_probability":0.5,"event":` +
			tree(`{"class_name":"GaussianDpEvent","noise_multiplier":2}`, 2, 2) + `}`, Relation{},
			[]loss.Release{{Sampling: loss.Poisson, Rate: 0.5, Count: 1,
				Released: append(append(gaussian(2, 1), gaussian(2, 1)...),
					append(gaussian(2, 1), gaussian(2, 1)...)...)}}},
		{`{"class_name":"PoissonSampledDpEvent","sampling_probability":0.5,"event":{"class_name":"NoOpDpEvent"}}`,
			Relation{}, nil},
		{`{"class_name":"SampledWithoutReplacementDpEvent","source_dataset_size":400000,"sample_size":20000,"event":` +
			`{"class_name":"GaussianDpEvent","noise_multiplier":2}}`, replaceOne,
			[]loss.Release{{Sampling: loss.Fixed, Rate: twentieth, Released: gaussian(2, 2), Count: 1}}},
		{`{"class_name":"ComposedDpEvent","events":[{"class_name":"ZCDpEvent","rho":1},` +
			`{"class_name":"ZCDpEvent","rho":1,"xi":0}]}`,
			Relation{}, []loss.Release{{Released: []loss.Mechanism{loss.Concentrated{Rho: 1}}, Count: 2}}},
	} {
		l, err := Read([]byte(c.text), c.relation)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
		} else if got := l.Releases(); !reflect.DeepEqual(got, c.want) || l.NoNoise || l.Failure > 0 {
			t.Errorf("%s: got %+v, want %+v", c.text, got, c.want)
		}
	}
}

// tree composes inside with itself so often, in two levels.
func tree(inside string, inner, outer int) string {
	const again = `{"class_name":"SelfComposedDpEvent","count":%d,"event":%s}`
	return fmt.Sprintf(again, outer, fmt.Sprintf(again, inner, inside))
}

// TestResponse: randomized response has its own parameters, in both forms.
func TestResponse(t *testing.T) {
	for _, text := range []string{
		`[{"type":"randomized_response","noise_parameter":0.5,"num_buckets":2,"count":1}]`,
		`{"class_name":"RandomizedResponseDpEvent","noise_parameter":0.5,"num_buckets":2}`,
	} {
		l, err := Read([]byte(text), replaceOne)
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Releases()[0].Released[0]; got != (loss.RandomizedResponse{Noise: 0.5, Buckets: 2}) {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestNonPrivate: nothing is proved where all is told, wherever it stands.
func TestNonPrivate(t *testing.T) {
	for _, text := range []string{
		`[{"type":"non_private","count":1}]`,
		`{"class_name":"NonPrivateDpEvent"}`,
		`{"class_name":"PoissonSampledDpEvent","sampling_probability":0.5,"event":{"class_name":"NonPrivateDpEvent"}}`,
	} {
		l, err := Read([]byte(text), Relation{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := l.Renyi()
		if err != nil {
			t.Fatal(err)
		}
		if bound, _ := p.Epsilon(0.5); !math.IsInf(bound.Upper, 1) {
			t.Errorf("%s: ε %v, want +Inf", text, bound.Upper)
		}
	}
}

// TestRefusals: what breaks a rule, and where.
func TestRefusals(t *testing.T) {
	deep := strings.Repeat(`{"class_name":"ComposedDpEvent","events":[`, 70) + strings.Repeat(`]}`, 70)
	const sampled = `{"class_name":"PoissonSampledDpEvent","sampling_probability":0.5,"event":`
	for _, c := range []struct {
		text, want string
		code       int
	}{
		{``, "not JSON", 90},
		{`[] []`, "not JSON", 90},
		{`[`, "not JSON", 90},
		{`null`, "must be an object", 90},
		{`{"class_name":"A","class_name":"B"}`, "duplicate", 90},
		{"[{\"type\":\"\xff\"}]", "not JSON", 90},
		{`{}`, "adjacency is missing", 90},
		{`{"adjacency":"add-remove"}`, "events is missing", 90},
		{`{"adjacency":"add-remove","events":[],"event":{}}`, `unknown member "events"`, 90},
		{`{"adjacency":"swap","events":[]}`, `unknown adjacency "swap"`, 90},
		{`{"adjacency":null,"events":[]}`, "adjacency must be a text", 90},
		{`[7]`, "event 1: must be an object", 90},
		{`{"adjacency":"replace-one","events":[{"type":"gaussian","noise_multiplier":1,"size":9007199254740991,` +
			`"population":9007199254740992,"count":1}]}`, "size over population rounds to 1: take all units", 90},
		{`[{"count":1}]`, "event 1: type is missing", 90},
		{`[{"type":"gauss","count":1}]`, `event 1: unknown type "gauss"`, 90},
		{`[{"type":"gaussian","noise_multiplier":1}]`, "event 1: count is missing", 90},
		{`[{"type":"gaussian","noise_multiplier":1,"count":0}]`,
			"count must be a whole number in [1, 2147483648], is 0", 90},
		{`[{"type":"gaussian","noise_multiplier":1,"count":-1}]`, "count must be", 90},
		{`[{"type":"gaussian","noise_multiplier":1,"count":1.5}]`, "count must be", 90},
		{`[{"type":"gaussian","noise_multiplier":1,"count":1e300}]`, "count must be", 90},
		{`[{"type":"gaussian","noise_multiplier":1,"count":null}]`, "count must be a whole number", 90},
		{`[{"type":"gaussian","noise_multiplier":1,"count":2147483648},{"type":"gaussian","noise_multiplier":1,"count":1}]`,
			"event 2: more than 2147483648 releases in all", 90},
		{`[{"type":"gaussian","count":1}]`, "noise_multiplier is missing", 90},
		{`[{"type":"gaussian","noise_multiplier":"1","count":1}]`, "noise_multiplier must be a number", 90},
		{`[{"type":"gaussian","noise_multiplier":1e999,"count":1}]`, "noise_multiplier is beyond", 90},
		{`[{"type":"gaussian","noise_multiplier":0,"count":1}]`, "noise over sensitivity must be in", 90},
		{`[{"type":"gaussian","noise_multiplier":-1,"count":1}]`, "noise over sensitivity must be in", 90},
		{`[{"type":"gaussian","noise_multiplier":1,"rate":0.1,"count":1}]`, `unknown member "rate"`, 90},
		{`[{"type":"gaussian","Noise_Multiplier":1,"count":1}]`, "noise_multiplier is missing", 90},
		{`[{"type":"gaussian","noise_multiplier":1,"q":0,"count":1}]`, "q: sampling rate must be in (0, 1], is 0", 90},
		{`[{"type":"gaussian","noise_multiplier":1,"q":1.5,"count":1}]`, "q: sampling rate must be in (0, 1], is 1.5",
			90},
		{`[{"type":"gaussian","noise_multiplier":1,"sampling":"poisson","count":1}]`, "q is missing", 90},
		{`[{"type":"gaussian","noise_multiplier":1,"sampling":"none","q":0.5,"count":1}]`,
			"q must be 1 without sampling", 90},
		{`[{"type":"gaussian","noise_multiplier":1,"sampling":"shuffle","count":1}]`, `unknown sampling "shuffle"`, 90},
		{`[{"type":"gaussian","noise_multiplier":1,"sampling":"poisson","q":0.5,"size":1,"count":1}]`,
			`unknown member "size"`, 90},
		{`[{"type":"gaussian","noise_multiplier":1,"sensitivity":0,"count":1}]`,
			"sensitivity must be in [0.001, 1000], is 0", 90},
		{`[{"type":"subsampled_laplace","scale":1,"count":1}]`, "q is missing", 90},
		{`[{"type":"approx_dp","epsilon":-1,"delta":0,"count":1}]`, "ε of a mechanism must be in", 90},
		{`[{"type":"approx_dp","epsilon":1,"delta":1,"count":1}]`, "δ of a mechanism must be in", 90},
		{`[{"type":"zcdp","rho":-1,"count":1}]`, "ρ of a mechanism must be in", 90},
		{`[{"type":"zcdp","rho":1,"q":0.5,"count":1}]`, "no theorem bounds zcdp under sampling", 90},
		{`[{"type":"discrete_laplace","scale":1,"sensitivity":0,"count":1}]`, "sensitivity must be a whole number", 90},
		{`[{"type":"batch","released":[],"count":1}]`, "released must have 1 to 1024 members, has 0", 90},
		{`[{"type":"batch","released":[{"type":"zcdp"}],"count":1}]`,
			`released 1: type "zcdp" does not belong to a batch`, 90},
		{`[{"type":"batch","released":[{"type":"laplace","scale":1,"count":2}],"count":1}]`,
			`released 1: unknown member "count"`, 90},
		// What does not fit the neighbours.
		{`[{"type":"gaussian","noise_multiplier":1,"count":1,"adjacency":"replace-one"}]`,
			"event 1: its adjacency is not", 80},
		{`[{"type":"gaussian","noise_multiplier":1,"size":1,"population":2,"count":1}]`,
			`needs adjacency "replace-one"`, 80},
		{`[{"type":"randomized_response","noise_parameter":0.5,"num_buckets":2,"count":1}]`,
			`needs adjacency "replace-one"`, 80},
		{`{"class_name":"RandomizedResponseDpEvent","noise_parameter":0.5,"num_buckets":2}`,
			`needs adjacency "replace-one"`, 80},
		{`{"class_name":"SampledWithoutReplacementDpEvent","source_dataset_size":2,"sample_size":1,` +
			`"event":{"class_name":"NoOpDpEvent"}}`,
			`needs adjacency "replace-one"`, 80},
		// Trees.
		{`{"class_name":"GaussianDpEvent"}`, "GaussianDpEvent: noise_multiplier is missing", 90},
		{`{"class_name":"GaussianDpEvent","noise_multiplier":1,"count":2}`, `GaussianDpEvent: unknown member "count"`,
			90},
		{`{"class_name":"GaussianDpEvent","module_name":"other","noise_multiplier":1}`, "module_name must be", 90},
		{`{"class_name":""}`, "class_name is empty", 90},
		{`{"class_name":"UnsupportedDpEvent"}`, "UnsupportedDpEvent: is not an event that is read", 90},
		{`{"class_name":"SampledWithReplacementDpEvent","source_dataset_size":2,"sample_size":1,"event":{}}`,
			"SampledWithReplacementDpEvent: is not an event that is read", 90},
		{`{"class_name":"ComposedDpEvent","events":[{"class_name":"NoOpDpEvent"},{"class_name":"X"}]}`,
			"ComposedDpEvent: event 2: X: ", 90},
		{sampled + sampled + `{"class_name":"NoOpDpEvent"}}}`,
			"PoissonSampledDpEvent: PoissonSampledDpEvent: no theorem bounds it under sampling", 90},
		{sampled + `{"class_name":"ZCDpEvent","rho":1}}`, "PoissonSampledDpEvent: ZCDpEvent: no theorem", 90},
		{sampled + tree(`{"class_name":"GaussianDpEvent","noise_multiplier":1}`, 1<<15, 1<<15) + `}`,
			"more than 1024 releases of one sample", 90},
		{`{"class_name":"PoissonSampledDpEvent","sampling_probability":0,"event":{"class_name":"NoOpDpEvent"}}`,
			"must be in (0, 1]", 90},
		{`{"class_name":"ZCDpEvent","rho":1,"xi":0.1}`, "xi must be 0", 90},
		{tree(`{"class_name":"NoOpDpEvent"}`, 1<<31, 2), "more than 2147483648 releases in all", 90},
		{`{"class_name":"SelfComposedDpEvent","count":0,"event":{"class_name":"NoOpDpEvent"}}`, "count must be", 90},
		{deep, "deeper than 64 events", 90},
	} {
		_, err := Read([]byte(c.text), Relation{})
		if err == nil || !strings.Contains(err.Error(), c.want) || exit.Code(err) != c.code {
			t.Errorf("%s: error %v, exit code %d, want %q, %d", c.text, err, exit.Code(err), c.want, c.code)
		}
	}
	said := []byte(`{"adjacency":"replace-one","events":[]}`)
	for _, relation := range []Relation{{Adjacency: event.AddRemove}, {NonNegative: true}, {event.ReplaceOne, true}} {
		if _, err := Read(said, relation); exit.Code(err) != exit.Usage {
			t.Errorf("a text that says what neighbours are, beside %+v: %v", relation, err)
		}
	}
}

// FuzzRead: a list that Read returns obeys the rules of lists, and its ε is a number. The list written and read again
// has the same ε, except for the part that rounding down adds.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		`[{"type":"gaussian","q":0.05,"noise_multiplier":1.24,"count":20},{"type":"laplace","scale":10,"count":1}]`,
		`[{"type":"approx_dp","epsilon":0.1,"delta":1e-7,"count":50},{"type":"zcdp","rho":0.1,"count":1}]`,
		`[{"type":"batch","size":1,"population":3,"released":[{"type":"gaussian","noise_multiplier":2}],"count":9}]`,
		`{"adjacency":"replace-one","event":{"class_name":"RandomizedResponseDpEvent","noise_parameter":0.5,"num_buckets":2}}`,
		`{"class_name":"SelfComposedDpEvent","count":20,"event":{"class_name":"PoissonSampledDpEvent",` +
			`"sampling_probability":0.05,` +
			`"event":{"class_name":"ComposedDpEvent","events":[{"class_name":"GaussianDpEvent","noise_multiplier":1.24}]}}}`,
	} {
		f.Add([]byte(text), false, false)
		f.Add([]byte(text), true, true)
	}
	f.Fuzz(func(t *testing.T, text []byte, replace, nonNegative bool) {
		relation := Relation{NonNegative: nonNegative}
		if replace {
			relation.Adjacency = event.ReplaceOne
		}
		l, err := Read(text, relation)
		if err != nil {
			if code := exit.Code(err); code != exit.Malformed && code != exit.Usage {
				t.Errorf("%q: exit code %d", text, code)
			}
			return
		}
		releases := 0
		for _, e := range l.Releases() {
			if err := e.Check(); err != nil {
				t.Errorf("%q: %v", text, err)
			}
			if releases += e.Count; len(e.Released) == 0 || releases > event.MaxRounds {
				t.Errorf("%q: an event of %d releases, %d in all", text, len(e.Released), releases)
			}
		}
		before, ok := epsilon(t, l)
		if !ok {
			return
		}
		for _, write := range []func(*loss.List) ([]byte, error){List, Tree} {
			b, err := write(l)
			if err != nil {
				continue // there are no words for it
			}
			again, err := Read(b, Relation{})
			if err != nil {
				continue // smaller than the least noise, by what was rounded down
			}
			if after, ok := epsilon(t, again); ok && after < before*(1-1e-9) {
				t.Errorf("%q: ε %v, written as %s %v", text, before, b, after)
			}
		}
	})
}

// epsilon is by Rényi's curves, of lists of few events without much noise on samples, which take them long. ok is false
// where they have no theorem.
func epsilon(t *testing.T, l *loss.List) (epsilon float64, ok bool) {
	for i, e := range l.Releases() {
		if i == 3 || len(e.Released) > 3 {
			return 0, false
		}
		for _, m := range e.Released {
			if g, ok := m.(loss.Gaussian); ok && e.Sampling != loss.All && g.Noise > 20*g.Sensitivity {
				return 0, false
			}
		}
	}
	p, err := l.Renyi()
	if err != nil {
		return 0, false
	}
	bound, err := p.Epsilon(1e-6)
	if err != nil || !(bound.Upper >= 0) {
		t.Errorf("ε %v, %v", bound.Upper, err)
	}
	return bound.Upper, true
}
