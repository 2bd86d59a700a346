package filter

import (
	"bytes"
	"context"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
)

// printConfig writes the resolved value of each flag, in a form that --config reads. null stands for a flag without a
// value and without a default. No flag holds a secret: flags only name files with secrets.
func printConfig(w io.Writer, command *kong.Context) error {
	values := make(map[string]any)
	for _, f := range command.Flags() {
		switch f.Name {
		case "help", "version", "config", "print-config":
			continue
		}
		if v := f.Target; v.IsValid() {
			values[f.Name] = plain(v)
			if v.IsZero() && !f.IsBool() && !(f.Set && f.Tag.Has(zeroTag)) {
				values[f.Name] = nil
			}
		}
	}
	for name, value := range values {
		if !utf8.ValidString(fmt.Sprint(value)) {
			return exit.Errorf(exit.Usage, "--print-config: --%s is not UTF-8, and JSON would hold another name", name)
		}
	}
	b, err := json.MarshalIndent(values, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(w, endpoint.Visible(string(b), true))
	return err
}

// plain returns a value in the form that the command line and --config accept.
func plain(v reflect.Value) any {
	switch value := v.Interface().(type) {
	case encoding.TextMarshaler: // for example a time, which has another form as a string
		return value
	case fmt.Stringer:
		return value.String()
	default:
		return value
	}
}

// configFlag is the flag that names a configuration file. kong's own flag type would wait for a FIFO's writer without
// end.
type configFlag string

// BeforeResolve is kong's hook.
func (configFlag) BeforeResolve(ctx context.Context, command *kong.Context, trace *kong.Path) error {
	name := kong.ExpandPath(string(command.FlagValue(trace.Flag).(configFlag)))
	options := endpoint.Of(ctx)
	options.Patience = 10 * time.Second // nothing runs yet that could report the wait
	content, err := endpoint.ReadFile(endpoint.With(ctx, options), name, 1<<20)
	if err != nil {
		return err
	}
	resolver, err := readSettings(bytes.NewReader(content))
	if err != nil {
		return err
	}
	command.AddResolver(resolver)
	return nil
}

// settings has the flags in a configuration file, by name.
type settings map[string]any

// readSettings reads a configuration file: one JSON object.
func readSettings(r io.Reader) (kong.Resolver, error) {
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(content) { // JSON decoding would change a file name in it
		return nil, errors.New("not UTF-8, as JSON must be: give such a name on the command line")
	}
	d := json.NewDecoder(bytes.NewReader(content))
	d.UseNumber() // a float64 cannot hold every seed
	var s settings
	if err := d.Decode(&s); err != nil {
		return nil, fmt.Errorf("not a JSON object of flags: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("not one JSON object of flags: more follows after it")
	}
	return s, nil
}

// Validate is kong's hook. A name that no command has is an error, because silently ignoring a flag could change the
// result.
func (s settings) Validate(app *kong.Application) error {
	known := make(map[string]bool)
	err := kong.Visit(app, func(v kong.Visitable, next kong.Next) error {
		if f, ok := v.(*kong.Flag); ok {
			known[f.Name] = true
		}
		return next(nil)
	})
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if err == nil && !known[name] {
			err = fmt.Errorf("--config: there is no flag --%s", name)
		}
	}
	return err
}

// Resolve is kong's hook for a flag that the command line does not give.
func (s settings) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, name := range flag.Envs {
		if _, ok := os.LookupEnv(name); ok {
			return nil, nil // the environment has precedence
		}
	}
	switch value := s[flag.Name].(type) {
	case json.Number:
		return value.String(), nil
	case bool:
		if !value {
			return nil, nil // a switch is either given or not, as on the command line
		}
		return value, nil
	default:
		return value, nil
	}
}
