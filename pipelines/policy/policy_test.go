package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// stages are the folders of the programs that a process boundary keeps apart.
var stages = []string{"tokenize", "sample", "estep", "privatize", "mstep", "account", "evaluate"}

// A rule is about the packages that match of and do not match except. They must not import a package that matches
// never. If only is set, they may import only the standard library and packages that match only. A deep rule also
// covers indirect imports.
//
// A pattern is an import path, without "privpipe/" for our own packages; "x/..." is x and all below it. "std" is the
// standard library.
type rule struct {
	of, except, never, only []string
	deep                    bool
	reason                  string
}

var none = []string{} // as only: nothing except the standard library

// noServer holds for every build of the privatizer: see TestImports and TestPipes.
var noServer = rule{of: below("privatize"),
	never: []string{"pipelines/metrics/serve", "net/http/...", "github.com/prometheus/..."}, deep: true,
	reason: "privatize opens no port: the node exporter serves the file that it writes"}

func rules() []rule {
	all := []rule{
		{of: []string{"privatize/internal/..."}, only: []string{"privatize/internal/...", "pipelines/event"},
			deep: true,
			reason: "an auditor reads the code that protects people in an hour: no parser, no compression, no " +
				"foreign code"},
		{of: []string{"privatize/internal/..."}, never: []string{"net", "os/exec", "plugin", "C"}, deep: true,
			reason: "sums before noise must have no way out but the release"},
		{of: []string{"privatize/...", "sample/...", "estep/job", "pipelines/event"},
			never:  []string{"math/rand", "math/rand/v2"},
			reason: "randomness that protects anyone comes from the operating system's generator"},
		{of: []string{"..."}, except: append(drawing, testOnly...), never: []string{"crypto/rand"},
			reason: "what decides numbers is in the overlay of testkit/seeded, and the rest must only be unique: say " +
				"here which it is"},
		{of: []string{"privatize/..."}, never: []string{"pipelines/endpoint/plain"}, deep: true,
			reason: "the privatizer reads no text, so it must not link decompressors of text"},
		noServer,
		{of: []string{"account/internal/..."}, except: []string{"account/internal/papers"},
			never: []string{"account/internal/papers"}, deep: true,
			reason: "no bound depends on what a paper claims"},
		{of: []string{"account/internal/loss", "account/internal/accountant"},
			never:  []string{"account/internal/print", "account/internal/ledgers", "pipelines/endpoint/..."},
			deep:   true,
			reason: "what works losses out reads no file and prints nothing"},
		{of: []string{"pipelines/event", "pipelines/exit"}, only: none, deep: true,
			reason: "charges and grants are read on both sides of the wall, and by the auditor"},
		{of: []string{"pipelines/wire/..."}, never: []string{"pipelines/endpoint/...", "pipelines/filter"}, deep: true,
			reason: "the wire format does not depend on its transport"},
		{of: []string{"pipelines/endpoint/..."}, never: []string{"pipelines/filter"}, deep: true,
			reason: "imports go one way: wire and event, endpoint, filter, mains"},
		{of: []string{"..."}, except: append([]string{"estep/...", "mstep/...", "account/calculate", "account/ledger",
			"account/command", "evaluate/audit", "evaluate/command", "evaluate/measure", "evaluate/report",
			"privatize/command", "sample/command", "tokenize/command", "tokenize/streams", "pipelines/view",
			"pipelines/show", "pipelines/handover", "pipelines/networked", "pipelines/testkit/script"}, stages...),
			never:  []string{"pipelines/filter"},
			reason: "flags, signals and exit codes belong in mains and in commands"},
		{of: []string{"pipelines/model", "pipelines/model/lda", "pipelines/model/families"},
			never: []string{"pipelines/endpoint/...", "pipelines/filter"},
			deep:  true, reason: "a model does not depend on the transport of its streams"},
		{of: []string{"pipelines/..."}, except: []string{"pipelines/networked"}, never: below(stages...), deep: true,
			reason: "code that stages share imports no stage"},
		{of: []string{"pipelines/networked"}, never: below("privatize"), deep: true,
			reason: "what protects people is in a program of its own"},
		{of: []string{"..."}, except: []string{"pipelines/networked", "privatize", "pipelines/recipes/kafka/topics"},
			never:  []string{"pipelines/endpoint/kafka/..."},
			reason: "a stage cannot tell a pipe from a topic, and links no broker's client: see TestPipes"},
		{of: []string{"..."}, except: []string{"pipelines/wire", "pipelines/testkit/simulation/effect"},
			never: []string{"unsafe", "C"},
			reason: "the compiler ensures memory safety, except in the code that protoc generates, and in tests that " +
				"ask a goroutine for its labels"},
		{of: []string{"..."}, except: []string{"pipelines/metrics/serve"},
			never:  []string{"github.com/prometheus/..."},
			reason: "one place decides which numbers may be published"},
		{of: []string{"..."}, except: []string{"pipelines/progress"}, never: []string{"github.com/cheggaaa/..."},
			reason: "one place decides the form of the progress line"},
		{of: below("privatize"), never: []string{"pipelines/progress"}, deep: true,
			reason: "the privatizer shows no progress, and links nothing for it"},
		{of: []string{"pipelines/metrics"}, never: []string{"pipelines/endpoint/...", "pipelines/filter"}, deep: true,
			reason: "transports of streams count with it, so it cannot depend on them"},
		{of: []string{"..."}, except: []string{"pipelines/endpoint/kafka", "pipelines/testkit/..."},
			never:  []string{"github.com/segmentio/...", "github.com/twmb/franz-go/..."},
			reason: "a stage cannot tell a topic from a pipe, and another client may take this one's place"},
		{of: []string{"..."}, except: []string{"tokenize/internal/schema/..."},
			never: []string{"github.com/twmb/avro/...", "github.com/bufbuild/protocompile/...",
				"google.golang.org/protobuf/types/dynamicpb", "google.golang.org/protobuf/encoding/protojson"},
			reason: "one place reads values whose writers chose the schema, bounds their memory and is fuzzed"},
		{of: []string{"tokenize/internal/schema/..."}, never: []string{"net", "net/http"},
			reason: "what reads values asks nobody: a registry is another package's"},
		{of: []string{"..."}, except: []string{"tokenize/network", "pipelines/metrics/serve",
			"pipelines/testkit/..."}, never: []string{"net/http/..."},
			reason: "the registry that a flag names, and the port that a flag opens, are the only HTTP"},
		{of: []string{"..."}, except: []string{"tokenize/internal/source", "tokenize/internal/schema",
			"tokenize/command", "tokenize/network"},
			never:  []string{"tokenize/internal/registry"},
			reason: "only the reader of topics asks a registry"},
		{of: []string{"..."}, never: []string{"pipelines/manual"},
			reason: "the writer of manual pages is linked only under the build tag manual, into no shipped program"},
		{of: []string{"..."}, except: testOnly,
			never:  append([]string{"testing/...", "github.com/rogpeppe/go-internal/..."}, testOnly...),
			reason: "test code stays out of the programs"},
	}
	for _, stage := range stages {
		others := slices.DeleteFunc(slices.Clone(stages), func(s string) bool { return s == stage })
		all = append(all, rule{of: below(stage), never: below(others...), deep: true,
			reason: "any program that speaks the wire format can replace a stage, so no stage needs another's code"})
	}
	return all
}

// drawing are the packages that draw from the operating system's generator.
var drawing = []string{
	// Noise, coins and keys, which a seeded build draws from a seed, and names that bear its mark.
	"privatize/internal/noise", "sample/internal/coin", "estep/job", "pipelines/event",
	"account/internal/plan",
	// Names, fences and marks, which must differ.
	"privatize/command", "privatize/internal/book", "privatize/internal/release", "sample/internal/window",
	"pipelines/endpoint", "pipelines/endpoint/kafka",
	// The auditor's coins, which no binary can foresee.
	"evaluate/internal/audit",
}

// testOnly are the packages that only tests import.
var testOnly = []string{"pipelines/testkit/...", "pipelines/model/modeltest"}

func below(folders ...string) []string {
	patterns := make([]string, len(folders))
	for i, f := range folders {
		patterns[i] = f + "/..."
	}
	return patterns
}

// A node is a package in the output of `go list -json`. Its imports are the imports of its files except tests.
type node struct {
	ImportPath, Name, Dir string
	Standard              bool
	GoFiles, Imports      []string
}

type graph map[string]node

const module = "privpipe"

// load reads the packages of this module and all packages that they import.
func load(t *testing.T, flags ...string) graph {
	t.Helper()
	arguments := append([]string{"list", "-deps", "-json=ImportPath,Name,Dir,Standard,GoFiles,Imports"}, flags...)
	list := exec.Command("go", append(arguments, "./...")...)
	list.Dir, list.Stderr = "../..", os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	g := make(graph)
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var n node
		if err := d.Decode(&n); err == io.EOF {
			return g
		} else if err != nil {
			t.Fatal(err)
		}
		g[n.ImportPath] = n
	}
}

// own are the packages of this module.
func (g graph) own() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(g)), func(path string) bool { return !ours(path) })
}

func ours(path string) bool { return path == module || strings.HasPrefix(path, module+"/") }

// matches reports whether the package matches one of patterns.
func matches(path string, patterns []string) bool {
	path = strings.TrimPrefix(path, module+"/")
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		folder, tree := strings.CutSuffix(pattern, "...")
		return path == pattern || tree && strings.HasPrefix(path+"/", folder)
	})
}

// check returns the ways in which g breaks r.
func (g graph) check(r rule) []error {
	var broken []error
	about := 0
	for _, path := range g.own() {
		if !matches(path, r.of) || matches(path, r.except) {
			continue
		}
		about++
		for _, chain := range g.imports(path, r.deep) {
			last := chain[len(chain)-1]
			if matches(last, r.never) || r.only != nil && !g.standard(last) && !matches(last, r.only) {
				broken = append(broken, fmt.Errorf("%s: %s", strings.Join(chain, " imports "), r.reason))
			}
		}
	}
	if about == 0 {
		broken = append(broken, fmt.Errorf("no package is %v: the rule is stale", r.of))
	}
	return broken
}

func (g graph) standard(path string) bool { return g[path].Standard || path == "unsafe" || path == "C" }

// imports returns the imports of path, each as a shortest chain from path.
func (g graph) imports(path string, deep bool) [][]string {
	var chains [][]string
	seen := map[string]bool{path: true}
	for queue := [][]string{{path}}; len(queue) > 0; queue = queue[1:] {
		chain := queue[0]
		for _, next := range g[chain[len(chain)-1]].Imports {
			if seen[next] {
				continue
			}
			seen[next] = true
			longer := append(slices.Clip(slices.Clone(chain)), next)
			chains = append(chains, longer)
			if deep {
				queue = append(queue, longer)
			}
		}
	}
	return chains
}

func TestImports(t *testing.T) {
	g := load(t)
	for _, r := range rules() {
		for _, err := range g.check(r) {
			t.Error(err)
		}
	}
}

// TestPipes: a stage links no code that reaches a network. Program networked has it, and privatize, unless it is built
// with -tags pipes.
//
// tokenize may link net, since net/mail and mime/multipart read the headers of mail with net/textproto, which can also
// dial. No code of tokenize imports net, so nothing calls it. What protects people is in the other stages.
func TestPipes(t *testing.T) {
	client := []string{"github.com/segmentio/...", "pipelines/endpoint/kafka/...", "net/http/...", "crypto/tls"}
	without := func(folders []string, stage string) []string {
		return slices.DeleteFunc(slices.Clone(folders), func(s string) bool { return s == stage })
	}
	programs := append(slices.Clone(stages), "pipelines/show")
	for build, of := range map[string][]string{"": without(programs, "privatize"), "pipes": programs} {
		links := load(t, "-tags", build)
		for _, r := range []rule{
			{of: of, never: client, deep: true, reason: "a stage reads and writes files and pipes"},
			{of: without(of, "tokenize"), never: []string{"net"}, deep: true,
				reason: "a stage reads and writes files and pipes"},
			{of: []string{"tokenize/..."}, except: []string{"tokenize/network"},
				never: []string{"net", "net/textproto"}, reason: "what reads headers of mail dials nobody"},
			{of: []string{"..."}, except: []string{"tokenize/internal/source"},
				never: []string{"net/mail", "mime/multipart"}, reason: "only the reader of mail needs net"},
			noServer,
		} {
			for _, err := range links.check(r) {
				t.Error(err)
			}
		}
		for _, program := range []string{"privatize", "pipelines/networked"} {
			reaches := len(links.check(rule{of: []string{program}, never: client, deep: true})) > len(client)
			if build == "" && !reaches {
				t.Errorf("%s reaches no network", program)
			}
		}
	}
}

// TestStages checks that the list of stages, on which rules rest, matches the programs.
func TestStages(t *testing.T) {
	var programs []string
	for path, n := range load(t) {
		if folder := strings.TrimPrefix(path, module+"/"); ours(path) && n.Name == "main" &&
			!strings.HasPrefix(folder, "pipelines/") {
			programs = append(programs, folder)
		}
	}
	slices.Sort(programs)
	if want := slices.Sorted(slices.Values(stages)); !slices.Equal(programs, want) {
		t.Errorf("the programs are %v, the rules are about %v", programs, want)
	}
}

// TestMains checks that a main only calls its stage, which other programs and tests then reach whole.
func TestMains(t *testing.T) {
	const most = 15
	for _, stage := range stages {
		source, err := os.ReadFile(filepath.Join("../..", stage, "main.go"))
		if err != nil {
			t.Fatal(err)
		}
		if lines := bytes.Count(source, []byte("\n")); lines > most {
			t.Errorf("%s/main.go has %d lines, may have %d", stage, lines, most)
		}
	}
}

// TestOneExit checks that a program exits in one place. Any other exit would leave temporary files, with an exit code
// outside the table of package exit.
func TestOneExit(t *testing.T) {
	noStages := append([]string{"pipelines/recipes/..."}, testOnly...) // a recipe's helpers write no records
	var exits []string
	g := load(t)
	for _, path := range g.own() {
		if matches(path, noStages) {
			continue
		}
		for _, name := range g[path].GoFiles {
			source, err := os.ReadFile(filepath.Join(g[path].Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			calls, err := endings(source)
			if err != nil {
				t.Fatal(err)
			}
			for _, call := range calls {
				exits = append(exits, path+" "+call)
			}
		}
	}
	if want := []string{module + "/pipelines/filter os.Exit"}; !slices.Equal(exits, want) {
		t.Errorf("programs end in %q, may in %q", exits, want)
	}
}

// endings returns the uses of functions that end the process in a Go file.
func endings(source []byte) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	names := make(map[string]string) // by which the file calls packages
	for _, i := range file.Imports {
		path := strings.Trim(i.Path.Value, `"`)
		if name := filepath.Base(path); i.Name == nil {
			names[name] = path
		} else if names[i.Name.Name] = path; i.Name.Name == "." {
			return nil, errors.New("a dot import hides what is called")
		}
	}
	var found []string
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				call := names[x.Name] + "." + s.Sel.Name
				switch {
				case call == "os.Exit", call == "syscall.Exit", strings.HasPrefix(call, "log.Fatal"):
					found = append(found, call)
				}
			}
		}
		return true
	})
	return found, nil
}

// TestRulesCanFail checks the checker on a small module whose stages break all rules.
func TestRulesCanFail(t *testing.T) {
	g := graph{
		"net":         {Standard: true},
		"os":          {Standard: true, Imports: []string{"unsafe"}},
		"example.com": {Imports: []string{"net"}},
	}
	for path, imports := range map[string][]string{
		"privatize":                  {"os", "privpipe/privatize/internal/noise"},
		"privatize/internal/noise":   {"os", "privpipe/privatize/internal/fixed"},
		"privatize/internal/fixed":   {"privpipe/pipelines/wire"},
		"privatizer":                 {"net"}, // not below privatize
		"pipelines/wire":             {"unsafe", "example.com"},
		"pipelines/testkit/script":   {"testing"},
		"pipelines/endpoint/kafka":   {"github.com/segmentio/kafka-go/sasl"},
		"pipelines/endpoint/kafkaed": {"github.com/segmentio/kafka-go"},
	} {
		g[module+"/"+path] = node{Imports: imports}
	}
	const fixed, noise = "privpipe/privatize/internal/fixed", "privpipe/privatize/internal/noise"
	for name, c := range map[string]struct {
		rule rule
		want []string
	}{
		"never": {rule{of: []string{"privatize/..."}, never: []string{"os"}}, []string{
			"privpipe/privatize imports os", noise + " imports os"}},
		"never, deep": {rule{of: []string{"privatize/internal/..."}, never: []string{"net"}, deep: true}, []string{
			fixed + " imports privpipe/pipelines/wire imports example.com imports net",
			noise + " imports " + fixed + " imports privpipe/pipelines/wire imports example.com imports net"}},
		"never, not deep": {rule{of: []string{"privatize/internal/..."}, never: []string{"net"}}, nil},
		"only": {rule{of: []string{"privatize/internal/noise"}, only: none},
			[]string{noise + " imports " + fixed}},
		"only, kept": {rule{of: []string{"privatize/internal/noise"}, only: []string{"privatize/internal/..."}}, nil},
		"only, deep": {rule{of: []string{"privatize/internal/noise"}, deep: true,
			only: []string{"privatize/internal/...", "pipelines/wire"}},
			[]string{noise + " imports " + fixed + " imports privpipe/pipelines/wire imports example.com"}},
		"one package": {rule{of: []string{"privatize"}, never: []string{"net"}}, nil},
		"except": {rule{of: []string{"..."}, except: []string{"pipelines/endpoint/kafka/..."},
			never: []string{"github.com/segmentio/kafka-go/..."}},
			[]string{"privpipe/pipelines/endpoint/kafkaed imports github.com/segmentio/kafka-go"}},
		"stale": {rule{of: []string{"gone/..."}, never: []string{"net"}}, []string{"no package is [gone/...]"}},
	} {
		var got []string
		for _, err := range g.check(c.rule) {
			text, _, _ := strings.Cut(err.Error(), ":")
			got = append(got, text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestEndingsAreFound(t *testing.T) {
	for source, want := range map[string]int{
		`package p; import "os"; func f() { os.Exit(1); defer os.Exit(2) }`:        2,
		`package p; import unix "os"; var exit = unix.Exit`:                        1,
		`package p; import "log"; func f() { log.Fatalf("x") }`:                    1,
		`package p; import "privpipe/pipelines/exit"; var c = exit.Errorf`:         0,
		`package p; type t struct{ Exit func(int) }; func f(os t) { os.Exit(1) }`:  0,
		`package p; import "os"; func f() { os.Remove("x"); println("os.Exit") } `: 0,
	} {
		if got, err := endings([]byte(source)); err != nil || len(got) != want {
			t.Errorf("%s: got %q, %v, want %d", source, got, err, want)
		}
	}
}
