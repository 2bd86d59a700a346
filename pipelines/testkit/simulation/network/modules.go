package network

import (
	_ "embed" // the file ordered.go
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// An Edit replaces a text in a file. The file has the text exactly Times times; 0 means once.
type Edit struct {
	File, From, To string
	Times          int
}

// Apply returns the content of the edit's file with the edit.
func (e Edit) Apply(content string) (string, error) {
	if n := strings.Count(content, e.From); n != max(1, e.Times) {
		return "", fmt.Errorf("%s has %q %d times, want %d", e.File, e.From, n, max(1, e.Times))
	}
	return strings.ReplaceAll(content, e.From, e.To), nil
}

// The modules of broker and client that a simulation builds from edited copies.
const (
	brokerModule = "github.com/twmb/franz-go/pkg/kfake"
	clientModule = "github.com/segmentio/kafka-go"
)

var (
	//go:embed testdata/ordered.go.txt
	ordered string
	//go:embed testdata/draws.go.txt
	draws string
)

// modules has the edits of each module. Random names and leaders come from a stream that begins anew with each cluster.
// Loops over members and transactions have an order. One loop of the broker tells each new member that it leads its
// group; the members of Kafka agree on one leader. The broker expels members that wait for its own answer to a join;
// Kafka does not. Whether a member counts as heard when the answer to it is lost depends on the machine;
// in Kafka it counts. Timers of groups never fire at the same moment.
//
// The client puts a connection back after it has answered a request. Whether the next request finds the connection then
// depends on the machine. The edit puts it back first. A request whose context
// has ended is sent or not; the edit never sends it.
var modules = map[string][]Edit{
	brokerModule: {
		{File: "misc.go", From: "\t\"crypto/rand\"\n", To: ""},
		{File: "misc.go", From: "io.ReadFull(rand.Reader, randPool)", To: "io.ReadFull(draws, randPool)"},
		{File: "cluster.go", From: "\t\"math/rand\"\n", To: ""},
		{File: "cluster.go", From: "rand.Intn(", To: "drawBelow("},
		{File: "cluster.go", From: "\tc := &Cluster{\n", To: "\tdrawAnew()\n\tc := &Cluster{\n"},
		{File: "cluster.go", From: "return time.AfterFunc(d, ", To: "return time.AfterFunc(d+oneAfterAnother(), "},
		{File: "cluster.go", From: "range seedTopics {", To: "range ordered(seedTopics) {"},
		{File: "data.go", From: "\t\"math/rand\"\n", To: ""},
		{File: "data.go", From: "rand.Intn(", To: "drawBelow("},
		{File: "txns.go", From: "\t\"math/rand\"\n", To: ""},
		{File: "txns.go", From: "rand.Uint64()", To: "draws.Uint64()"},
		{File: "txns.go", From: "range pids.txs {", To: "range orderedByID(pids.txs) {", Times: 3},
		{File: "03_metadata.go", From: "range ps {", To: "range ordered(ps) {", Times: 2},
		{File: "03_metadata.go", From: "range c.data.tps {", To: "range ordered(c.data.tps) {"},
		{File: "topic_partition.go", From: "range *tps {", To: "range ordered(*tps) {"},
		{File: "topic_partition.go", From: "range ps {\n\t\t\tfn(", To: "range ordered(ps) {\n\t\t\tfn("},
		{File: "groups.go", From: "range g.members {", To: "range ordered(g.members) {", Times: 10},
		{File: "groups.go", From: "\t\tg.updateMemberAndRebalance(m, nil, nil)\n\t})",
			To: "\t\tif !m.waitingReply.empty() {\n\t\t\tg.updateHeartbeat(m)\n\t\t\treturn\n\t\t}\n" +
				"\t\tg.updateMemberAndRebalance(m, nil, nil)\n\t})"},
		{File: "groups.go", From: "\tif !creq.reply(kresp) {\n\t\treturn\n\t}\n\tif m ",
			To: "\tcreq.reply(kresp)\n\tif m "},
		{File: "groups.go", From: "range g.pendingSyncIDs {", To: "range ordered(g.pendingSyncIDs) {"},
		{File: "groups.go", From: "range votes {", To: "range ordered(votes) {"},
		{File: "groups.go", From: "\t\tif !foundLeader {\n", To: "\t\tif !foundLeader {\n\t\t\tfoundLeader = true\n"},
	},
	clientModule: {
		{File: "consumergroup.go", From: "range memberAssignments {", To: "range ordered(memberAssignments) {"},
		{File: "transport.go", From: "\t// This first select should never",
			To: "\tif err := ctx.Err(); err != nil {\n\t\treturn nil, err\n\t}\n\t// This first select should never"},
		{File: "transport.go", From: `			cr.res.resolve(r)
		}
		if !c.group.releaseConn(c) {
			break
		}
`, To: `			kept := c.group.releaseConn(c)
			cr.res.resolve(r)
			if !kept {
				break
			}
			continue
		}
		if !c.group.releaseConn(c) {
			break
		}
`},
	},
}

// Modules copies the modules with their edits into a folder. It returns the name of a file for the option -modfile of
// go build. The shipped programs are built without it.
func Modules(root, folder string) (string, error) {
	definition, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return "", err
	}
	for _, module := range []string{brokerModule, clientModule} {
		to := filepath.Join(folder, filepath.Base(module))
		if err := copied(root, module, to); err != nil {
			return "", err
		}
		if module == brokerModule {
			if err := os.WriteFile(filepath.Join(to, "draws.go"), []byte(draws), 0o666); err != nil {
				return "", err
			}
		}
		definition = fmt.Appendf(definition, "\nreplace %s => %s\n", module, to)
	}
	name := filepath.Join(folder, "go.mod")
	if err := os.WriteFile(name, definition, 0o666); err != nil {
		return "", err
	}
	return name, os.WriteFile(filepath.Join(folder, "go.sum"), sums, 0o666)
}

// copied copies a module without its tests, with its edits.
func copied(root, module, to string) error {
	list := exec.Command("go", "list", "-m", "-json", module)
	list.Dir = root
	output, err := list.Output()
	if err != nil {
		return fmt.Errorf("go list -m %s: %w", module, err)
	}
	var found struct{ Dir string }
	if err := json.Unmarshal(output, &found); err != nil {
		return err
	}
	err = filepath.WalkDir(found.Dir, func(name string, entry fs.DirEntry, err error) error {
		file, _ := filepath.Rel(found.Dir, name)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "fixtures" || entry.Name() == "examples"):
			return fs.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, file), 0o777)
		case strings.HasSuffix(name, "_test.go") || !strings.HasSuffix(name, ".go") && entry.Name() != "go.mod":
			return nil
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, file), content, 0o666)
	})
	if err != nil {
		return err
	}
	for _, e := range modules[module] {
		file := filepath.Join(to, e.File)
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		changed, err := e.Apply(string(content))
		if err != nil {
			return fmt.Errorf("%s: %w", module, err)
		}
		if err := os.WriteFile(file, []byte(changed), 0o666); err != nil {
			return err
		}
	}
	name := filepath.Base(strings.TrimSuffix(module, "-go")) // of the package
	return os.WriteFile(filepath.Join(to, "ordered.go"), []byte(strings.Replace(ordered, "NAME", name, 1)), 0o666)
}
