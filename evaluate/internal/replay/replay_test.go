package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/wire"
)

// bags returns documents with the counts of word 0 as their sizes.
func bags(sizes ...uint32) *Data {
	h := &wire.Header{Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PRIVATE,
		Vocabulary: make([]byte, 32), VocabularySize: 3}
	d := &Data{File: "documents.pp", form: (*documents)(h)}
	for i, size := range sizes {
		one := &document{Id: nameOf("document", i), User: fmt.Sprint("user ", i/2)}
		if size > 0 {
			one.WordGaps, one.Counts = []uint32{0}, []uint32{size}
		}
		d.items = append(d.items, one)
	}
	return d
}

// grant is a grant for two rounds, with a clip of 16 steps.
func grant(change func(*event.Grant)) *event.Grant {
	g := &event.Grant{
		Version: event.GrantVersion, ID: "g", Created: testkit.Noon, Mechanism: event.Gaussian,
		Adjacency: event.AddRemove, Unit: event.Document, Clip: 1, NoiseMultiplier: 1 << 25,
		Subject: event.Subject{Matrices: []event.Matrix{{Name: "m", Rows: 2, Columns: 2, Symmetric: true}}},
		Scheme:  event.Scheme{Method: event.Poisson, Rate: 0.5, Rounds: 2, Secret: true}, Releases: 2,
	}
	if change != nil {
		change(g)
	}
	return g
}

// folderOf returns a folder with a ledger of two releases under a grant.
func folderOf(t *testing.T, g *event.Grant) string {
	t.Helper()
	var b testkit.Book
	b.Begin(t)
	b.Of(t, g, 2, "r")
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "ledger"), b.Bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// pipeline stands for a pipeline of a seeded build: it releases two rounds of three cells and writes a model. On other
// documents than those in $OLDPWD it runs its first argument, too.
const pipeline = `set -e
cp "$OLDPWD/ledger" ledger
echo '{"output":[1,2,3]}' >"$PRIVPIPE_REPLAY/own/r%201%200"
echo '{"output":[4,5,6]}' >"$PRIVPIPE_REPLAY/own/r%202%200"
echo model >model
(umask 077; mkdir inside; echo $$ >inside/key; echo $$ >key)
echo ready; echo "begins in $PWD" >&2; echo another >&2
[ -e "$OLDPWD/documents.pp" ] || cp documents.pp "$OLDPWD/documents.pp"
cmp -s documents.pp "$OLDPWD/documents.pp" || eval "$1"`

// auditor returns an auditor of the pipeline. On neighbours the pipeline also runs a script.
func auditor(folder, script string) *Auditor {
	return &Auditor{Bin: folder, From: folder, Folder: folder, Workers: 2, Patience: time.Hour,
		Command: []string{"sh", "-c", pipeline, "sh", script}, Status: func(string, ...any) {}}
}

// TestChecks: each difference is found by the check that it belongs to, and by no other.
func TestChecks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ script, check, says string }{
		"nothing":                 {"", "", ""},
		"a private file":          {"(umask 077; echo >more); echo more >>key; echo more >>inside/key", "", ""},
		"a file left out":         {"mkdir -p out; echo $$ >out/.lock", "", ""},
		"an exit code":            {"exit 3", Code, "3, not 0"},
		"no end":                  {"sleep 100000", Code, "it does not end"},
		"a line more":             {"echo 41 documents >&2", Messages, `1 lines more, such as "41 documents"`},
		"a message of the time":   {"echo 'estep: warning: waiting for parameters' >&2", "", ""},
		"output":                  {"echo 41", Output, "9 bytes, not 6"},
		"a file more":             {"echo >other", Files, "other, which the first run has not"},
		"a file less":             {"rm model", Files, "no model"},
		"a mode":                  {"chmod 755 model", Files, "has mode"},
		"a size":                  {"echo >>model", Files, "model has 7 bytes, not 6"},
		"content":                 {"echo lemon >model", Files, "model has other bytes"},
		"a file that turns up":    {"chmod 755 inside; chmod 644 inside/key", Files, "inside/key, which"},
		"a line of a ledger less": {"sed -i '$d' ledger", Ledger, "ledger has 3 lines, not 4"},
		"a damaged ledger":        {"echo >>ledger", Ledger, "no ledger"},
		"a release less":          {`rm "$PRIVPIPE_REPLAY/own/r%202%200"`, Releases, "no r 2 0"},
		"a release more": {`cp "$PRIVPIPE_REPLAY"/own/r%202%200 "$PRIVPIPE_REPLAY"/own/r%203%200`, Releases,
			"r 3 0, which"},
		"as far as allowed": {`echo '{"output":[17,2,3]}' >"$PRIVPIPE_REPLAY"/own/r%201%200`, "", ""},
		"a step too far": {`echo '{"output":[18,2,3]}' >"$PRIVPIPE_REPLAY"/own/r%201%200`, Sums,
			"r 1 0 moves by 1.0625 times"},
		"off the diagonal, in L2": {`echo '{"output":[1,14,3]}' >"$PRIVPIPE_REPLAY"/own/r%201%200`, Sums,
			"moves by 1.06066 times"},
		"other cells": {`echo '{"output":[1,2]}' >"$PRIVPIPE_REPLAY"/own/r%201%200`, Sums, "+Inf times"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := folderOf(t, grant(nil))
			a := auditor(folder, c.script)
			if name == "no end" { // elsewhere a slow machine is no violation
				a.Patience = time.Second
			}
			a.Cases, a.Except = []string{"without the first"}, []string{"out/.l*"}
			_, results, err := a.Audit(context.Background(), bags(3, 0, 5))
			if err != nil {
				t.Fatal(err)
			}
			broken := results[0].Broken()
			for _, check := range Checks {
				if results[0].Found(check) != (check == c.check) {
					t.Errorf("%s: found by %s: %v: %s", name, check, results[0].Found(check), broken)
				}
			}
			if !strings.Contains(broken, c.says) || (broken == "") != (c.check == "") {
				t.Errorf("%s, must say %s", broken, c.says)
			}
		})
	}
}

// TestNotAudited: a pipeline that cannot be audited is an error, not a success.
func TestNotAudited(t *testing.T) {
	t.Parallel()
	const both = `echo '{"output":[1,2,3]}' >"$PRIVPIPE_REPLAY/own/r%201%200"
cp "$PRIVPIPE_REPLAY/own/r%201%200" "$PRIVPIPE_REPLAY/own/r%202%200"
`
	for name, c := range map[string]struct {
		command string
		change  func(*event.Grant)
		says    string
	}{
		"a command that fails": {"echo why >&2; exit 3", nil, "exit code 3: why"},
		"no ledger":            {"true", nil, "leaves no ledger"},
		"another privatize":    {"cp $OLDPWD/ledger .", nil, "no privatize of --bin"},
		"no charge": {both + `cp $OLDPWD/ledger .; echo '{}' >"$PRIVPIPE_REPLAY/own/other%201%200"`, nil,
			"no charge of a ledger claims anything of the release other 1 0"},
		"other output": {both + "cp $OLDPWD/ledger .; echo $$", nil, "does not repeat itself"},
		"its own noise": {both + `cp $OLDPWD/ledger .; echo '{"output":['$$',1,1]}' >"$PRIVPIPE_REPLAY/own/r%201%200"`,
			nil, "sums move"},
		"no bound": {both + "cp $OLDPWD/ledger .", func(g *event.Grant) {
			g.Clipping, g.Claim = event.ClipUnbounded, event.PaperClaim
		}, "claims no privacy for round 1"},
		"words": {both + "cp $OLDPWD/ledger .", func(g *event.Grant) {
			g.Unit, g.Adjacency, g.Clipping, g.Proved = event.Word, event.ReplaceOne, event.ClipProved, 1.5
			g.Scheme = event.Scheme{Method: event.All, Rate: 1, Rounds: 2}
			g.Matrices = []event.Matrix{{Name: "m", Rows: 1, Columns: 3}}
		}, "no neighbours for unit word"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := folderOf(t, grant(c.change))
			a := auditor(folder, "")
			a.Command = []string{"sh", "-c", c.command}
			_, results, err := a.Audit(context.Background(), bags(3, 0, 5))
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, %v, must say %s", results, err, c.says)
			}
		})
	}
	a := auditor(folderOf(t, grant(nil)), "")
	a.Cases = []string{"without a document"}
	if _, _, err := a.Audit(context.Background(), bags(3, 0, 5)); err == nil ||
		!strings.Contains(err.Error(), `"without the first"`) {
		t.Errorf("an unknown case: %v", err)
	}
}

// TestTogether: one sensitivity covers all rounds of an epoch, and each round where coins are thrown again.
func TestTogether(t *testing.T) {
	t.Parallel()
	// Both rounds move by ten of sixteen steps, in a cell on the diagonal: 14.1 steps in L2, and 20 in L1.
	const move = `echo '{"output":[11,2,3]}' >"$PRIVPIPE_REPLAY"/own/r%201%200
		echo '{"output":[14,5,6]}' >"$PRIVPIPE_REPLAY"/own/r%202%200`
	epoch := event.Scheme{Method: event.Epoch, Rate: 0.5, Rounds: 2}
	for name, c := range map[string]struct {
		change func(*event.Grant)
		moved  float64
	}{
		"each round":         {nil, 10.0 / 16},
		"an epoch":           {func(g *event.Grant) { g.Scheme = epoch }, 14.142135 / 16},
		"an epoch, in L1":    {func(g *event.Grant) { g.Scheme, g.Mechanism = epoch, event.Laplace }, 20.0 / 16},
		"a bound on the sum": {func(g *event.Grant) { g.Scheme, g.Clipping = epoch, event.ClipBatch }, 10.0 / 32},
		"an exchange":        {func(g *event.Grant) { g.Adjacency = event.ReplaceOne }, 10.0 / 32},
		"two epochs": {func(g *event.Grant) {
			g.Scheme = event.Scheme{Method: event.Allocate, Rate: 1, Rounds: 2, Epochs: 2, Secret: true}
		}, 10.0 / 16},
	} {
		a := auditor(folderOf(t, grant(c.change)), move)
		_, results, err := a.Audit(context.Background(), bags(3, 0, 5))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, r := range results {
			if d := r.Moved - c.moved; d > 1e-6 || d < -1e-6 || r.Found(Sums) != (c.moved > 1) {
				t.Errorf("%s, %s: moved by %v, must be %v: %s", name, r.Neighbour, r.Moved, c.moved, r.Broken())
			}
		}
	}
}

// TestMoved: votes of words are compared exactly, word by word, and reports bit by bit.
func TestMoved(t *testing.T) {
	read := func(content string) (o output) {
		if err := json.Unmarshal([]byte(content), &o); err != nil {
			t.Fatal(err)
		}
		return o
	}
	for _, c := range []struct {
		mechanism, a, b string
		moved, share    float64 // over a sensitivity of 10
	}{
		{event.Select, `{"exact":{"a":3,"b":7},"output":["a"]}`, `{"exact":{"b":3,"c":12},"output":["b","c"]}`,
			9 + 16 + 144, 1.3},
		{event.RandomizedResponse, `{"output":"AQ8="}`, `{"output":"AvA="}`, 2 + 8, 1},
		{event.RandomizedResponse, `{"output":"AQ8="}`, `{"output":"AQ=="}`, math.Inf(1), math.Inf(1)},
		{event.Laplace, `{"output":[1,-2]}`, `{"output":[4,3]}`, 3 + 5, 0.8},
		{event.Gaussian, `{"output":[1,-2]}`, `{"output":[4,2]}`, 9 + 16, 0.5},
		{event.Gaussian, `{"output":[1,-2]}`, `{"output":[4,2,1]}`, math.Inf(1), math.Inf(1)},
	} {
		of := &claim{"r 1 0", &event.Charge{Mechanism: c.mechanism, Sensitivity: 10}, []float64{1, 1}}
		norm, err := of.moved(read(c.a), read(c.b))
		if share := of.share(norm); err != nil || norm != c.moved || share != c.share {
			t.Errorf("%s: %v, a share of %v, %v; want %v and %v", c.mechanism, norm, share, err, c.moved, c.share)
		}
	}
	reports := &claim{name: "r 1 0", charge: &event.Charge{Mechanism: event.RandomizedResponse}}
	kept := map[string]output{"r 1 0 1": {}, "r 1 0 12": {}, "r 1 01 1": {}, "r 1 0": {}}
	if names := slices.Sorted(slices.Values(reports.of(kept))); !slices.Equal(names, []string{"r 1 0 1", "r 1 0 12"}) {
		t.Errorf("the reports are %q", names)
	}
}

// differ returns how many units go and come from one data set to another.
func differ(kind wire.Unit, before, after []item) (gone, come, units int) {
	contents := func(items []item) map[string]string {
		all := make(map[string]string)
		for _, one := range items {
			all[wire.UnitName(kind, one.names())] += one.names().Id + one.content()
		}
		return all
	}
	a, b := contents(before), contents(after)
	for name, content := range a {
		if b[name] != content {
			gone++
		}
	}
	for name, content := range b {
		if a[name] != content {
			come++
		}
	}
	return gone, come, len(b)
}

// TestNeighbours: each neighbour differs in one unit, by the relation, and the units in which faults show are there.
func TestNeighbours(t *testing.T) {
	d := bags(3, 0, 5, 1, 3, 0, 9) // user 3 has one document, the others two
	d.items[6].(*document).Label, d.items[5].(*document).User = "other", "user 0"
	jsonl, err := ReadText("x.jsonl", []byte(`{"text":"a a b","user":"u","score":12345678901234567890}
{"text":"","user":"u"}
{"text":"c","user":"v"}
{"text":"a a b","user":"w"}
`))
	if err != nil {
		t.Fatal(err)
	}
	table, err := ReadText("x.csv", []byte("id,age,label\n1,30,yes\n2,40,no\n3,\"5,0\",no\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		data     *Data
		relation Relation
		want     []string
	}{
		{d, Relation{event.AddRemove, event.Document, false}, []string{"without the first", "without the last",
			"without the shortest", "without a twin", "with an empty one", "with a twin of the first",
			"with a twin with another label", "with a loud one", "with one with all words"}},
		{d, Relation{event.ReplaceNull, event.User, false}, []string{"without the first", "without the last",
			"with an empty one", "with a loud one", "with one with many documents"}},
		{d, Relation{event.ReplaceNull, event.Document, true}, []string{"nothing for the first", "nothing for the last",
			"nothing for the shortest", "nothing for a twin"}},
		{d, Relation{event.ReplaceOne, event.User, true}, []string{"one with many documents for the first",
			"an empty one for the last", "one with many documents under the name of the first"}},
		{d, Relation{event.ReplaceOne, event.Word, false}, []string{"word 1 for 0 in document 4",
			"word 2 for 0 in document 4"}},
		{jsonl, Relation{event.AddRemove, event.User, false}, []string{"without the first", "without the last",
			"with an empty one", "with a loud one", "with one with all texts", "with one with many documents"}},
		{jsonl, Relation{event.AddRemove, event.Document, false}, []string{"without the last", "with an empty one"}},
		{table, Relation{event.AddRemove, event.Document, false}, []string{"without the first", "without the last",
			"with a twin of the first", "with a twin of the last", "with a twin with another label"}},
		{table, Relation{event.ReplaceOne, event.Document, false}, []string{"a twin of the last for the first"}},
	} {
		kind := wire.Unit_DOCUMENT
		if c.relation.Unit == event.User {
			kind = wire.Unit_USER
		}
		var names []string
		for _, n := range c.data.Neighbours(c.relation) {
			gone, come, units := differ(kind, c.data.items, n.items)
			exchange := c.relation.Adjacency == event.ReplaceOne || c.relation.Fixed
			kept := units == len(c.data.units(kind))
			if exchange && (gone > 1 || gone != come || !kept) || !exchange && gone+come != 1 {
				t.Errorf("%v: %s: %d units go and %d come", c.relation, n.Name, gone, come)
			}
			if _, err := c.data.form.encode(n.items); err != nil {
				t.Errorf("%s: %v", n.Name, err)
			}
			names = append(names, n.Name)
		}
		for _, want := range c.want {
			if !slices.Contains(names, want) {
				t.Errorf("%v: no neighbour %s, they are %q", c.relation, want, names)
			}
		}
	}
}

// TestTexts: a text that is read and written is the same. Other content is refused.
func TestTexts(t *testing.T) {
	for name, content := range map[string]string{
		"x.jsonl": `{"score":12345678901234567890,"text":"a","vector":[1,2.50]}` + "\n" + `{"text":"b"}` + "\n",
		"x.csv":   "id,age\n1,\"4,0\"\n2,\n",
	} {
		d, err := ReadText(name, []byte(content))
		if err != nil || !IsText(name) {
			t.Fatalf("%s: %v", name, err)
		}
		if b, err := d.form.encode(d.items); string(b) != content || err != nil {
			t.Errorf("%s: %s, %v", name, b, err)
		}
	}
	for name, content := range map[string]string{
		"x.jsonl": "[1]\n[2]\n", "one.jsonl": `{"text":"a"}`, "x.csv": "", "one.csv": "a,b\n1,2\n",
		"ragged.csv": "a,b\n1\n1,2\n",
	} {
		if _, err := ReadText(name, []byte(content)); err == nil {
			t.Errorf("%s: %q is taken", name, content)
		}
	}
	if IsText("documents.pp") {
		t.Error("a stream is a text")
	}
}

// TestValues: documents of values get a document with the opposite values.
func TestValues(t *testing.T) {
	d := &Data{form: &documents{Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PRIVATE,
		Values: true, VocabularySize: 2}}
	for i := range 2 {
		d.items = append(d.items, &document{Id: nameOf("row", i), WordGaps: []uint32{0, 1},
			Values: []byte{0, 0, 0x80, 0x3f, 0, 0, 0x80, 0xbf}})
	}
	for _, n := range d.Neighbours(Relation{Adjacency: event.AddRemove, Unit: event.Document}) {
		if n.Name != "with the opposite of the first" {
			continue
		}
		for _, one := range n.items {
			if slices.Equal(one.(*document).Values, []byte{0, 0, 0x80, 0xbf, 0, 0, 0x80, 0x3f}) {
				return
			}
		}
	}
	t.Error("no document has the opposite values")
}

// TestCheckSeeded: every program that draws must be of a seeded build.
func TestCheckSeeded(t *testing.T) {
	bin := t.TempDir()
	write := func(content string) {
		for _, program := range drawing {
			if err := os.WriteFile(filepath.Join(bin, program), []byte(content), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	write("… " + string(marker()) + " …")
	if err := CheckSeeded(bin); err != nil {
		t.Error(err)
	}
	for _, program := range drawing {
		if err := os.WriteFile(filepath.Join(bin, program), []byte("shipped"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := CheckSeeded(bin); err == nil || !strings.Contains(err.Error(), program+" is not of a seeded build") {
			t.Errorf("%s is shipped: %v", program, err)
		}
		write(string(marker()))
	}
	if err := os.Remove(filepath.Join(bin, "sample")); err != nil {
		t.Fatal(err)
	}
	if err := CheckSeeded(bin); err == nil {
		t.Error("a folder without sample is taken")
	}
}

// TestJSON: a result has the violations.
func TestJSON(t *testing.T) {
	r := &Result{Neighbour: "n", Releases: 2, Moved: 1.5}
	r.find(Sums, "r 1 0 moves by %v", 1.5)
	b, err := json.Marshal(r)
	const want = `{"neighbour":"n","releases":2,"moved":1.5,"findings":[{"check":"sums","says":"r 1 0 moves by 1.5"}]}`
	if err != nil || string(b) != want {
		t.Errorf("%s, %v", b, err)
	}
}
