package filter

import (
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// commandVariables adds an environment variable for each command's flag. It has precedence over the whole program's
// variable: PRIVPIPE_ACCOUNT_PLAN_EPSILON before PRIVPIPE_ACCOUNT_EPSILON.
func commandVariables(program string) kong.Option {
	return kong.PostBuild(func(k *kong.Kong) error {
		return kong.Visit(k.Model, func(v kong.Visitable, next kong.Next) error {
			if node, ok := v.(*kong.Node); ok && node.Type == kong.CommandNode {
				of := Environment(program) + "_" +
					strings.ToUpper(strings.NewReplacer(" ", "_", "-", "_").Replace(node.Path())) + "_"
				for _, flag := range node.Flags {
					if whole := variableOf(program, flag); slices.Contains(flag.Envs, whole) {
						flag.Envs = []string{of + strings.TrimPrefix(whole, Environment(program)+"_"), whole}
						flag.Value.Tag.Envs = flag.Envs
					}
				}
			}
			return next(nil)
		})
	})
}

// variableOf returns the whole program's variable for a flag. It sets the flags of this name in all commands.
func variableOf(program string, flag *kong.Flag) string {
	return Environment(program) + "_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
}

// leaveOthers drops values from the whole program's variables that were meant for another command. Such a value
// excludes a flag that this command got, or is allowed only in another command's list. If two such values exclude each
// other, neither was meant for this command.
func leaveOthers(k *kong.Context) error {
	for _, path := range k.Path {
		if path.Command == nil {
			continue
		}
		byProgram := func(flag *kong.Flag) bool {
			if len(flag.Envs) < 2 || given(k, flag) {
				return false
			}
			_, own := os.LookupEnv(flag.Envs[0])
			_, whole := os.LookupEnv(flag.Envs[1])
			return whole && !own
		}
		var dropped []*kong.Flag
		for _, flag := range path.Flags {
			if !byProgram(flag) {
				continue
			}
			excludes := func(other *kong.Flag) bool {
				return other != flag && other.Set &&
					slices.ContainsFunc(other.Xor, func(group string) bool { return slices.Contains(flag.Xor, group) })
			}
			if slices.ContainsFunc(path.Flags, excludes) || ofAnother(k.Model.Node, flag) {
				dropped = append(dropped, flag)
			}
		}
		for _, flag := range dropped {
			flag.Target.Set(reflect.Zero(flag.Target.Type()))
			if flag.HasDefault {
				if err := flag.Parse(kong.ScanFromTokens(kong.Token{Type: kong.FlagValueToken, Value: flag.Default}),
					flag.Target); err != nil {
					return err
				}
			}
			flag.Set = false
		}
	}
	return nil
}

// given says whether the command line or --config gives a flag.
func given(k *kong.Context, flag *kong.Flag) bool {
	return slices.ContainsFunc(k.Path, func(path *kong.Path) bool { return path.Flag == flag })
}

// ofAnother says whether a flag's value is allowed only in another command: the flag's own list lacks the value, and a
// flag of the same name elsewhere has it.
func ofAnother(node *kong.Node, flag *kong.Flag) bool {
	if flag.Enum == "" || flag.Target.Kind() != reflect.String || flag.EnumMap()[flag.Target.String()] {
		return false
	}
	for _, other := range node.Flags {
		if other.Name == flag.Name && other.Enum != "" && other.EnumMap()[flag.Target.String()] {
			return true
		}
	}
	return slices.ContainsFunc(node.Children, func(child *kong.Node) bool { return ofAnother(child, flag) })
}
