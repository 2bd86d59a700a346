package dpevents

import (
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"privpipe/pipelines/event"
)

// An object is a JSON object. The reader takes its members one by one. The first broken rule is kept in err, and every
// member that is taken later is zero.
type object struct {
	members map[string]jsontext.Value
	err     error
}

// readObject reads a JSON object. It refuses members that occur twice.
func readObject(v jsontext.Value) *object {
	o := new(object)
	if v.Kind() != '{' {
		o.Fail("must be an object")
		return o
	}
	if err := json.Unmarshal(v, &o.members); err != nil {
		o.Fail("%w", err)
	}
	return o
}

func (o *object) Fail(format string, args ...any) { o.check(fmt.Errorf(format, args...)) }

// check keeps err if it is the first.
func (o *object) check(err error) {
	if o.err == nil {
		o.err = err
	}
}

func (o *object) Has(name string) bool { return o.members[name] != nil }

// take removes a member and returns it. The member must exist and have this kind of JSON value.
func (o *object) take(name string, kind jsontext.Kind, a string) (v jsontext.Value, ok bool) {
	v, ok = o.members[name]
	delete(o.members, name)
	switch {
	case o.err != nil:
		return nil, false
	case !ok:
		o.Fail("%s is missing", name)
	case v.Kind() != kind:
		o.Fail("%s must be %s", name, a)
	}
	return v, o.err == nil
}

func (o *object) text(name string) (s string) {
	if v, ok := o.take(name, '"', "a text"); ok {
		o.check(json.Unmarshal(v, &s))
	}
	return s
}

func (o *object) Number(name string) (x float64) {
	if v, ok := o.take(name, '0', "a number"); ok && json.Unmarshal(v, &x) != nil {
		o.Fail("%s is beyond the range of float64", name)
	}
	return x
}

// Within returns a number, which must be in [low, high].
func (o *object) Within(name string, low, high float64) float64 {
	x := o.Number(name)
	if !(x >= low && x <= high) {
		o.Fail("%s must be in [%v, %v], is %v", name, low, high, x)
	}
	return x
}

// Whole returns a whole number, which must be in [low, high].
func (o *object) Whole(name string, low, high int) (n int) {
	if v, ok := o.take(name, '0', "a whole number"); ok && (json.Unmarshal(v, &n) != nil || n < low || n > high) {
		o.Fail("%s must be a whole number in [%d, %d], is %s", name, low, high, v)
	}
	return n
}

// rate returns a sampling rate.
func (o *object) rate(name string) float64 {
	rate := o.Number(name)
	if err := event.CheckRate(rate); err != nil {
		o.Fail("%s: %w", name, err)
	}
	return rate
}

func (o *object) array(name string) (all []jsontext.Value) {
	if v, ok := o.take(name, '[', "an array"); ok {
		o.check(json.Unmarshal(v, &all))
	}
	return all
}

func (o *object) object(name string) jsontext.Value {
	v, _ := o.take(name, '{', "an object")
	return v
}

// done returns the broken rule, if any. A member that was not taken breaks a rule, too.
func (o *object) done() error {
	if o.err == nil && len(o.members) > 0 {
		return fmt.Errorf("unknown member %q", slices.Min(slices.Collect(maps.Keys(o.members))))
	}
	return o.err
}
