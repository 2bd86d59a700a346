// Package seeded makes tests with noise and coins from a seed. It builds the stages with an overlay that replaces
// crypto/rand by another source. No build tag, flag or variable of a shipped program does so. PRIVPIPE_SEED=N go test …
// runs such tests with another seed, and .ci/deep seeds runs each of them with twenty seeds.
package seeded

import (
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"privpipe/pipelines/testkit/overlay"
	"privpipe/pipelines/testkit/stages"
)

var (
	//go:embed testdata/source.go
	source string
	//go:embed testdata/replay.go
	replay string
	//go:embed testdata/head
	head string
)

// programs are built again with the overlay. Other programs draw nothing.
var programs = []string{"account", "estep", "privatize", "sample"}

// Marker is the package that replaces crypto/rand. It has no folder: it exists only in the overlay. Its name is in each
// program of a seeded build, and in no other program.
const Marker = "pipelines/testkit/seeded/source"

// edits has the changes that the overlay makes. Values that must only be unique still come from crypto/rand: fences,
// marks and temporary names.
var edits = []overlay.Edit{
	imports("privatize/internal/noise/random.go"),
	imports("sample/internal/coin/coin.go"),
	imports("estep/job/key.go"),
	imports("pipelines/event/begin.go"),
	imports("account/internal/plan/flags.go"),
	// With one goroutine the order of draws does not depend on the machine.
	edit("privatize/internal/release/noise.go", "runtime.GOMAXPROCS(0)", "min(1, runtime.GOMAXPROCS(0))"),
	// Coins depend on the names of reports. A ledger line's hash includes the time; the hash of the reports does not.
	edit("privatize/internal/local/responder.go", "r.book.LineOf(r.charge)", "r.charge.Release, error(nil)"),
	edit("pipelines/event/begin.go", "rand.Read(id[:])", "rand.Begin(id[:])"),
	edit("account/internal/plan/flags.go", "rand.Text()[:12])\n\t}\n",
		"rand.Text()[:12])\n\t}\n\tg.ID = rand.Named + g.ID\n"),
	edit("pipelines/event/begin.go", "// NewLedger returns", `func (l *Ledger) begun(name string) error {
	if head := l.Head(); head != nil {
		return rand.Check(name, head.ID)
	}
	return rand.Check(name, "")
}

// NewLedger returns`),
	edit("pipelines/event/ledger.go", "\tbefore := l.newTally(nil)\n",
		"\tif err := l.begun(name); err != nil {\n\t\treturn err\n\t}\n\tbefore := l.newTally(nil)\n"),
	// A replay audit goes on with the outputs of its first run, at the same time.
	also("privatize/internal/release/privatizer.go", "\t\"slices\"\n"),
	edit("privatize/internal/release/privatizer.go", "p.noise.add(cells, p.limit.twice); err != nil {\n"+
		"\t\t\treturn nil, false, err\n\t\t}\n", "p.noise.add(cells, p.limit.twice); err != nil {\n"+
		"\t\t\treturn nil, false, err\n\t\t}\n\t\tcells = rand.Frozen(cells, nil, p.terms.Run, \" \", "+
		"p.charge.Round, \" \", p.charge.Attempt)\n"),
	also("privatize/internal/selection/selector.go", "\t\"slices\"\n"),
	edit("privatize/internal/selection/selector.go", "words, err := s.draw(&w)\n\tif err != nil {\n"+
		"\t\treturn nil, false, err\n\t}\n", "votes := rand.Votes(w.words, w.Cells)\n"+
		"\twords, err := s.draw(&w)\n\tif err != nil {\n\t\treturn nil, false, err\n\t}\n"+
		"\twords = rand.Frozen(words, votes, s.terms.Run, \" 1 0\")\n"),
	also("privatize/internal/local/responder.go", "\t\"io\"\n"),
	edit("privatize/internal/local/responder.go", "if _, err := out.Write(encoded); err != nil {",
		"encoded = rand.Frozen(encoded, nil, r.terms.Run, \" 1 0 \", r.documents)\n"+
			"\t\tif _, err := out.Write(encoded); err != nil {"),
	also("privatize/internal/book/book.go", "\t\"time\"\n"),
	edit("privatize/internal/book/book.go", "Now: time.Now,", "Now: rand.Now,"),
	also("account/ledger/new.go", "\t\"time\"\n"),
	edit("account/ledger/new.go", "event.NewLedger(head, time.Now())", "event.NewLedger(head, rand.Now())"),
	edit("account/ledger/new.go", "now := time.Now().", "now := rand.Now()."),
	imports("sample/internal/window/state.go"),
	edit("account/internal/plan/flags.go", "Created: time.Now().", "Created: rand.Now()."),
}

// imports replaces the import of crypto/rand.
func imports(file string) overlay.Edit {
	return edit(file, "\t\"crypto/rand\"\n", "\trand \"privpipe/"+Marker+"\"\n")
}

// also imports the replacement of crypto/rand beside another package.
func also(file, beside string) overlay.Edit {
	return edit(file, beside, beside+"\trand \"privpipe/"+Marker+"\"\n")
}

func edit(file, from, to string) overlay.Edit { return overlay.Edit{File: file, From: from, To: to} }

// changed returns the files that a seeded build changes.
func changed(root string) (*overlay.Overlay, error) {
	o, err := overlay.New(root)
	if err != nil {
		return nil, err
	}
	o.Files[Marker+"/source.go"], o.Files[Marker+"/replay.go"] = source, replay
	return o, o.Edit(edits...)
}

// Build makes a folder with stages and returns its name. The folder is in bin, the folder of the shipped stages. Build
// does nothing if the folder exists. Programs that draw nothing are links to the shipped programs.
func Build(root, bin string) (string, error) {
	return BuildWith(root, bin, func(*overlay.Overlay) error { return nil })
}

// BuildWith does the same after more changes.
func BuildWith(root, bin string, change func(*overlay.Overlay) error) (string, error) {
	o, err := changed(root)
	if err != nil {
		return "", err
	}
	if err := change(o); err != nil {
		return "", err
	}
	all, err := json.Marshal(o.Files)
	if err != nil {
		return "", err
	}
	to := filepath.Join(bin, fmt.Sprintf("seeded-%x", sha256.Sum256(append(all, head...)))[:len("seeded-")+16])
	if _, err := os.Stat(to); err == nil {
		return to, nil
	}
	work, err := os.MkdirTemp(bin, "seeding-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	if err := build(o, bin, work); err != nil {
		return "", err
	}
	if err := os.Rename(filepath.Join(work, "bin"), to); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return to, nil
}

// build makes the folder bin in work.
func build(o *overlay.Overlay, shipped, work string) error {
	bin := filepath.Join(work, "bin")
	if err := os.Mkdir(bin, 0o777); err != nil {
		return err
	}
	table, err := o.Write(work)
	if err != nil {
		return err
	}
	tool := exec.Command("go", "build", stages.Pipes, "-overlay", table,
		"-ldflags=-s -w", "-o", bin+"/")
	for _, program := range programs {
		tool.Args = append(tool.Args, "./"+program)
	}
	tool.Dir = o.Root
	if out, err := tool.CombinedOutput(); err != nil {
		return fmt.Errorf("%s%w", out, err)
	}
	others, err := os.ReadDir(shipped)
	if err != nil {
		return err
	}
	for _, other := range others {
		if name := other.Name(); !other.IsDir() {
			if err := os.Symlink("../"+name, filepath.Join(bin, name)); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
	}
	real, err := exec.LookPath("head")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(bin, "head"), []byte(strings.Replace(head, "HEAD", real, 1)), 0o777)
}
