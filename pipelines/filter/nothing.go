package filter

import (
	"fmt"
	"os"
	"reflect"

	"github.com/alecthomas/kong"
)

// zeroTag is the struct tag for a flag that may be given as zero or as an empty text, zero:"". The code must tell such
// a value from a flag that is not given. So zero is the flag's default, or the flag has another default, or the field
// is a pointer.
const zeroTag = "zero"

// refuseNothing refuses a flag or argument that is given as nothing: zero, an empty text or an empty list. The value
// may come from the command line, the environment or --config. Go's zero value also stands for a flag that is not
// given. So a budget of nothing would mean any budget, and a time-out of nothing would mean no time-out.
func refuseNothing(k *kong.Context) error {
	return eachGiven(k, func(flag *kong.Value) bool { return true })
}

// refuseAbsent does the same for flags that would look as if they were not given. It runs before the rules of commands
// are checked, since such a rule would let these flags pass. For other flags a rule gives a better error: it names the
// range.
func refuseAbsent(k *kong.Context) error {
	return eachGiven(k, func(flag *kong.Value) bool {
		return !flag.HasDefault && !flag.Required && flag.Target.Kind() != reflect.Pointer
	})
}

// eachGiven checks the given values of the flags and arguments that matter.
func eachGiven(k *kong.Context, matters func(*kong.Value) bool) error {
	checkGiven := func(name string, flag *kong.Value, given reflect.Value) error {
		if !given.IsValid() || flag.IsBool() || flag.Tag.Has(zeroTag) || !matters(flag) {
			return nil
		}
		return checkGiven(name, given)
	}
	for _, path := range k.Path {
		if flag := path.Flag; flag != nil {
			given := k.Value(path)
			if given.Kind() == reflect.Slice && hasEmpty(k.Args, "--"+flag.Name) {
				given = reflect.Zero(given.Type())
			}
			if err := checkGiven("--"+flag.Name, flag.Value, given); err != nil {
				return err
			}
		}
		if argument := path.Positional; argument != nil {
			if err := checkGiven("<"+argument.Name+">", argument, k.Value(path)); err != nil {
				return err
			}
		}
		for _, flag := range path.Flags {
			for _, name := range flag.Envs {
				if _, given := os.LookupEnv(name); given && flag.Set {
					if err := checkGiven("--"+flag.Name, flag.Value, flag.Target); err != nil {
						return fmt.Errorf("%w (from %s)", err, name)
					}
				}
			}
		}
	}
	return nil
}

// hasEmpty says whether the arguments give a flag an empty text. kong's lists drop such a text.
func hasEmpty(arguments []string, flag string) bool {
	for i, argument := range arguments {
		if argument == flag+"=" || argument == "" && i > 0 && arguments[i-1] == flag {
			return true
		}
	}
	return false
}

// checkGiven refuses a value that is nothing: zero, empty, or a list with an empty text.
func checkGiven(name string, given reflect.Value) error {
	switch given.Kind() {
	case reflect.Pointer:
		if given.IsNil() { // not given
			return nil
		}
		return checkGiven(name, given.Elem())
	case reflect.String, reflect.Map:
		if given.Len() == 0 {
			return fmt.Errorf("%s must not be empty", name)
		}
	case reflect.Slice:
		if given.Len() == 0 {
			return fmt.Errorf("%s must not be empty", name)
		}
		for i := range given.Len() {
			if text := given.Index(i); text.Kind() == reflect.String && text.Len() == 0 {
				return fmt.Errorf("%s must not be empty", name)
			}
		}
	default:
		if given.IsZero() || given.CanFloat() && given.Float() == 0 { // IsZero is false for -0
			return fmt.Errorf("%s must not be 0", name)
		}
	}
	return nil
}
