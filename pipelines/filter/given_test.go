package filter

import (
	"bytes"
	"slices"
	"testing"

	"github.com/alecthomas/kong"
)

type named struct {
	Common
	One    string   `help:"A name."`
	Pair   *string  `help:"A name."`
	Some   []string `help:"Names."`
	Single []string `sep:"none" help:"A name each."`
	All    []string `arg:"" optional:"" help:"Names."`
}

// TestNamesAreBytes: what is not UTF-8 comes through from the command line and the environment, and lists are cut as
// kong cuts them.
func TestNamesAreBytes(t *testing.T) {
	t.Setenv("PRIVPIPE_NAMER_PAIR", "caf\xe8")
	var cli named
	stage := Stage{Name: "namer", Summary: "Name.", Example: "namer"}
	args := []string{"--one=caf\xe9", "--some", "a\xe9,b\\,\xe9,\\x,", "--some=c", "--single=a,\xe9", "\xe9", "a,b",
		"-"}
	_, _, err := parseAny(t.Context(), stage, &cli, args, new(bytes.Buffer), new(bytes.Buffer))
	if err != nil {
		t.Fatal(err)
	}
	if cli.One != "caf\xe9" || cli.Pair == nil || *cli.Pair != "caf\xe8" {
		t.Errorf("names %q, %v", cli.One, cli.Pair)
	}
	for name, c := range map[string]struct{ got, want []string }{
		"some": {cli.Some, []string{"a\xe9", "b,\xe9", `\x`, "c"}}, "single": {cli.Single, []string{"a,\xe9"}},
		"all": {cli.All, []string{"\xe9", "a,b", "-"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %q, want %q", name, c.got, c.want)
		}
	}
	for _, list := range []string{"", ",", "a", "a,", ",a", "a,,b", `a\,b`, `a\\,b`, `\`, `a\`, `\\`, `\x\,`, `\,\`,
		"ä,ö"} {
		if got, want := split(list, ','), kong.SplitEscaped(list, ','); !slices.Equal(got, want) {
			t.Errorf("%q: %q, kong has %q", list, got, want)
		}
	}
}
