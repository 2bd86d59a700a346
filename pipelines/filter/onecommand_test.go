package filter

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// commands are those of a stage with a default command, one of two words, and one that has commands of its own.
type commands struct {
	Common
	Draw     drawCommand `cmd:"" default:"withargs" help:"Draw."`
	TwoWords struct {
		Count int    `default:"3" help:"A number."`
		Into  string `arg:"" help:"A file."`
	} `cmd:"" help:"Two words."`
	KL2  struct{} `cmd:"" name:"kl" help:"A name of its own."`
	Many struct {
		First struct {
			Count int `help:"A number."`
		} `cmd:"" help:"The first."`
		Second struct{} `cmd:"" help:"The second."`
	} `cmd:"" help:"Several."`
}

type unexported struct {
	Count int `help:"A number."`
}

type drawCommand struct {
	Compress
	Rate  float64  `required:"" help:"A rate."`
	Words []string `help:"Words."`
	Of    []string `arg:"" optional:"" help:"Files."`
}

func (c *drawCommand) Validate() error {
	if c.Rate > 1 {
		return fmt.Errorf("--rate must be at most 1, is %v", c.Rate)
	}
	return nil
}

var stageOfCommands = Stage{Name: "few", Summary: "Be few.", Example: "few draw"}

// outcome is what the arguments gave: the flags, what was printed, and the command.
type outcome struct {
	common          Common
	flags           any // of the chosen command: those of others are of no use to it
	printed, chosen string
	done            bool
	err             string
}

func outcomeOf(t *testing.T, parse func(cli *commands, stdout *bytes.Buffer) (*kong.Context, bool, error)) (o outcome) {
	t.Helper()
	var stdout bytes.Buffer
	var cli commands
	command, done, err := parse(&cli, &stdout)
	o.common, o.printed, o.done = cli.Common, stdout.String(), done
	if command != nil {
		o.chosen = command.Command()
		name, _, _ := strings.Cut(o.chosen, " ")
		o.flags = map[string]any{"draw": cli.Draw, "two-words": cli.TwoWords, "kl": cli.KL2, "many": cli.Many}[name]
	}
	if err != nil {
		o.err = err.Error() + " in " + commandOf(stageOfCommands, err)
	}
	return o
}

// TestOneCommand: the grammar of one command is taken where the arguments settle it. Whatever the arguments and the
// environment are, flags, messages, help and chosen command are the same as in the grammar of all commands.
func TestOneCommand(t *testing.T) {
	settings := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(settings, []byte(`{"rate": 0.125}`), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args, environment string
		one               bool // the grammar of one command is enough
	}{
		{"draw --rate 0.5", "", true},
		{"draw --rate 0.5 a b --words c,d --quiet", "", true},
		{"draw --rate=0.5 --compress best -v --log json", "", true},
		{"--rate 0.5 a", "", true}, // the default command
		{"--rate 0.5", "FEW_QUIET=true", true},
		{"draw", "FEW_RATE=0.25", true},
		{"two-words --count 4 x", "", true},
		{"two-words x", "FEW_COUNT=7", true},
		{"kl", "", true},
		{"many first --count 2", "", true},
		{"many first", "FEW_COUNT=2", true},
		{"many second", "", true},
		{"draw --rate 0.5 --version", "", true},
		{"two-words draw", "", true}, // an argument that is named like a command
		{"draw --rate 0.5 two-words", "", true},

		{"--rate 0.5 two-words x", "", false}, // Draw's argument or a command
		{"--quiet two-words x", "", false},
		{"a kl", "", false},
		{"draw --config SETTINGS", "", false}, // it may be a pipe
		{"draw", "FEW_CONFIG=SETTINGS", false},
		{"draw --rate 0.5 --config missing", "", false},
		{"draw --rate 0.5 --config=missing", "", false},
		{"draw --rate 0.5", "FEW_CONFIG=missing", false},
		{"--help", "", false},
		{"draw --help", "", false},
		{"many -h", "", false},
		{"draw -qh", "", false},

		{"", "", false},
		{"draw --rate 2", "", false},
		{"draw --rate x", "", false},
		{"draw --rate 0.5 --count 3", "", false},
		{"draw --rate 0.5 --create -1", "", false},
		{"two-words", "", false},
		{"two-words x y", "", false},
		{"twowords x", "", false},
		{"many", "", false},
		{"many third", "", false},
		{"many --rate 3", "", false},
		{"kl x", "", false},
		{"KL", "", false},
		{"draw --rat 0.5", "", false},
		{"draw --log xml --rate 0.5", "", false},
	} {
		t.Run(c.args+" "+c.environment, func(t *testing.T) {
			if name, value, ok := strings.Cut(c.environment, "="); ok {
				t.Setenv("PRIVPIPE_"+name, strings.ReplaceAll(value, "SETTINGS", settings))
			}
			args := strings.Fields(strings.ReplaceAll(c.args, "SETTINGS", settings))
			want := outcomeOf(t, func(cli *commands, stdout *bytes.Buffer) (*kong.Context, bool, error) {
				parser, err := newParser(t.Context(), stageOfCommands, grammar{flags: cli}, stdout, stdout)
				if err != nil {
					t.Fatal(err)
				}
				return parse(parser, args)
			})
			got := outcomeOf(t, func(cli *commands, stdout *bytes.Buffer) (*kong.Context, bool, error) {
				return parseAny(t.Context(), stageOfCommands, cli, args, stdout, stdout)
			})
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got\n%+v, want\n%+v", got, want)
			}
			if c.one && want.err != "" {
				t.Errorf("the case is not what it says: %+v", want)
			}
			var cli commands
			one := false
			if of, ok := oneCommand("few", &cli, args); ok {
				parser, err := newParser(t.Context(), stageOfCommands, of, &bytes.Buffer{}, &bytes.Buffer{})
				if err != nil {
					t.Fatal(err)
				}
				if len(parser.Model.Children) != 1 {
					t.Errorf("%d commands", len(parser.Model.Children))
				}
				_, _, err = parse(parser, args)
				one = err == nil
			}
			if one != c.one {
				t.Errorf("one command is enough: %v", one)
			}
		})
	}
}

// TestVersionAlone: the version is that of the grammar of all commands, which is not made for it.
func TestVersionAlone(t *testing.T) {
	var whole, alone bytes.Buffer
	var cli commands
	parser, err := newParser(t.Context(), stageOfCommands, grammar{flags: &cli}, &whole, &whole)
	if err != nil {
		t.Fatal(err)
	}
	if _, done, err := parse(parser, []string{"--version"}); !done || err != nil {
		t.Fatal(done, err)
	}
	if _, done, err := parseAny(t.Context(), stageOfCommands, nil, []string{"--version"}, &alone, &alone); !done ||
		err != nil || alone.String() != whole.String() {
		t.Errorf("%q, %v, %v, want %q", alone.String(), done, err, whole.String())
	}
}

// TestFlagsBesideCommands: a stage with flags of its own outside the commands is parsed as a whole.
func TestFlagsBesideCommands(t *testing.T) {
	var cli struct {
		Common
		Output string   `help:"A file."`
		Draw   struct{} `cmd:"" help:"Draw."`
	}
	if _, ok := oneCommand("few", &cli, []string{"draw"}); ok {
		t.Error("the flag is forgotten")
	}
	var alone struct {
		Common
		unexported
	}
	if _, ok := oneCommand("few", &alone, nil); ok {
		t.Error("a stage without commands has none")
	}
}

// TestCommandName: a name is the one that kong gives, or none.
func TestCommandName(t *testing.T) {
	var cli struct {
		Draw         struct{} `cmd:""`
		TwoWords     struct{} `cmd:""`
		WithinAThird struct{} `cmd:""`
		UCI          struct{} `cmd:""`
		HTTPServer   struct{} `cmd:""`
		KL2          struct{} `cmd:""`
		Under_score  struct{} `cmd:""`
		AUC          struct{} `cmd:"" name:"area"`
	}
	k, err := kong.New(&cli)
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for i, child := range k.Model.Children {
		if name := commandName(reflect.TypeOf(cli).Field(i)); name == child.Name {
			named++
		} else if name != "" {
			t.Errorf("%q, to kong %q", name, child.Name)
		}
	}
	if named != 3 {
		t.Errorf("%d names, want those of Draw, TwoWords and AUC", named)
	}
}
