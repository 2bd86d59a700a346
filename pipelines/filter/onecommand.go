package filter

import (
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// A grammar is a command line for kong: the flags that all commands share, and options that add commands.
type grammar struct {
	flags   any
	options []kong.Option
}

// errWhole is the error when help is requested from the grammar of one command: only the grammar of all commands has
// the help.
var errWhole = errors.New("help")

// oneCommand returns the grammar of only one command: the command that the arguments name, or the default command. It
// is built in a fraction of the time and memory that the grammar of all commands takes. Commands share only the flags
// in Common. So the arguments that this grammar accepts have the same values under the grammar of all commands. The
// only difference is that the latter also refuses wrong environment variables for flags of other commands. Arguments
// that this grammar refuses must be parsed again by the grammar of all commands.
//
// ok is false in three cases. The arguments do not settle the command. The stage has flags beside its commands. Or a
// configuration file is named, since it may be a pipe, which can be read only once.
func oneCommand(program string, cli Commands, args []string) (one grammar, ok bool) {
	if _, set := os.LookupEnv(Environment(program) + "_CONFIG"); set || slices.ContainsFunc(args, namesConfig) {
		return grammar{}, false
	}
	stage := reflect.ValueOf(cli).Elem()
	chosen, byDefault, named := -1, -1, false
	for i := range stage.NumField() {
		field := stage.Type().Field(i)
		if _, command := field.Tag.Lookup("cmd"); !command {
			if field.Type != reflect.TypeFor[Common]() {
				return grammar{}, false
			}
			continue
		}
		name := commandName(field)
		if name == "" {
			return grammar{}, false
		}
		named = named || slices.Contains(args, name)
		if len(args) > 0 && args[0] == name {
			chosen = i
		}
		if field.Tag.Get("default") == "withargs" {
			byDefault = i
		}
	}
	if chosen < 0 && !named { // a command's name anywhere else may be an argument, or name the command
		chosen = byDefault
	}
	if chosen < 0 {
		return grammar{}, false
	}
	field, command := stage.Type().Field(chosen), stage.Field(chosen).Addr().Interface()
	return grammar{cli.shared(), []kong.Option{
		kong.DynamicCommand(commandName(field), field.Tag.Get("help"), field.Tag.Get("group"), command,
			string(field.Tag)),
		kong.Help(func(kong.HelpOptions, *kong.Context) error { return errWhole }),
	}}, true
}

func namesConfig(argument string) bool { return strings.HasPrefix(argument, "--config") }

// commandName returns kong's name for the command in a field: the name in the field's tag, or the field's name in lower
// case. A capital after a small letter begins a new word. commandName returns "" if kong's rule for several capitals in
// a row would matter.
func commandName(field reflect.StructField) string {
	if name := field.Tag.Get("name"); name != "" {
		return name
	}
	var name strings.Builder
	for i, r := range field.Name {
		capital := 'A' <= r && r <= 'Z'
		switch {
		case !capital && !('a' <= r && r <= 'z'):
			return ""
		case capital && i > 0 && !('a' <= field.Name[i-1] && field.Name[i-1] <= 'z'):
			return ""
		case capital && i > 0:
			name.WriteByte('-')
		}
		name.WriteRune(r)
	}
	return strings.ToLower(name.String())
}
