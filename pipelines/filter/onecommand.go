package filter

import (
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// A grammar is a command line for kong: the flags that all commands have, and options that add commands.
type grammar struct {
	flags   any
	options []kong.Option
}

// errWhole is the error of a grammar of one command that is asked for help: only the grammar of all commands has it.
var errWhole = errors.New("help")

// oneCommand returns the grammar of only the command that the arguments name, or of the default command. To build it takes a fraction
// of the time and memory that the grammar of all commands takes. Commands share no flags but those of Common, so the grammar of all
// commands parses what this one accepts to the same values, except that it also refuses what the environment has wrong about flags of
// other commands. What this one refuses is to be parsed again by that of all commands.
//
// ok is false for arguments that do not settle the command, for a stage with flags of its own beside the commands, and where a
// configuration file is named, for it may be a pipe, which is read only once.
func oneCommand(program string, cli any, common *Common, args []string) (one grammar, ok bool) {
	if _, set := os.LookupEnv(environment(program) + "_CONFIG"); set || slices.ContainsFunc(args, namesConfig) {
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
	if chosen < 0 && !named { // the name of a command anywhere else may be an argument, or name the command
		chosen = byDefault
	}
	if chosen < 0 {
		return grammar{}, false
	}
	field, command := stage.Type().Field(chosen), stage.Field(chosen).Addr().Interface()
	return grammar{common, []kong.Option{
		kong.DynamicCommand(commandName(field), field.Tag.Get("help"), field.Tag.Get("group"), command, string(field.Tag)),
		kong.Help(func(kong.HelpOptions, *kong.Context) error { return errWhole }),
	}}, true
}

func namesConfig(argument string) bool { return strings.HasPrefix(argument, "--config") }

// commandName is the name that kong gives to the command of a field: that of its tag, or the field's in lower case, where a capital
// after a small letter begins a new word. It is empty where kong's rule for several capitals in a row would count.
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
