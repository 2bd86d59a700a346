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

// An edit changes one place in a file.
type edit struct{ file, from, to string }

// edits has the changes that the overlay makes. Values that must only be unique still come from crypto/rand: fences,
// marks and temporary names.
var edits = []edit{
	imports("privatize/internal/noise/random.go"),
	imports("sample/internal/coin/coin.go"),
	imports("estep/job/key.go"),
	imports("pipelines/event/begin.go"),
	imports("account/internal/plan/flags.go"),
	// With one goroutine the order of draws does not depend on the machine.
	{"privatize/internal/release/noise.go", "runtime.GOMAXPROCS(0)", "min(1, runtime.GOMAXPROCS(0))"},
	// Coins depend on the names of reports. A ledger line's hash includes the time; the hash of the reports does not.
	{"privatize/internal/local/responder.go", "r.book.LineOf(r.charge)[:16]", "r.charge.Release[:16]"},
	{"pipelines/event/begin.go", "rand.Read(id[:])", "rand.Begin(id[:])"},
	{"account/internal/plan/flags.go", "rand.Text()[:12])\n\t}\n",
		"rand.Text()[:12])\n\t}\n\tg.ID = rand.Named + g.ID\n"},
	{"pipelines/event/begin.go", "// NewLedger returns", `func (l *Ledger) begun(name string) error {
	if head := l.Head(); head != nil {
		return rand.Check(name, head.ID)
	}
	return rand.Check(name, "")
}

// NewLedger returns`},
	{"pipelines/event/ledger.go", "\tbefore := new(Ledger)\n\tbefore.tally().reading = true\n",
		"\tif err := l.begun(name); err != nil {\n\t\treturn err\n\t}\n\tbefore := new(Ledger)\n" +
			"\tbefore.tally().reading = true\n"},
	// A replay audit goes on with the outputs of its first run, at the same time.
	also("privatize/internal/release/privatizer.go", "\t\"slices\"\n"),
	{"privatize/internal/release/privatizer.go", "p.noise.add(cells, p.limit.twice); err != nil {\n" +
		"\t\t\treturn nil, false, err\n\t\t}\n", "p.noise.add(cells, p.limit.twice); err != nil {\n" +
		"\t\t\treturn nil, false, err\n\t\t}\n\t\tcells = rand.Frozen(cells, nil, p.terms.Run, \" \", " +
		"p.charge.Round, \" \", p.charge.Attempt)\n"},
	also("privatize/internal/book/book.go", "\t\"time\"\n"),
	{"privatize/internal/book/book.go", "Now: time.Now,", "Now: rand.Now,"},
	also("account/ledger/new.go", "\t\"time\"\n"),
	{"account/ledger/new.go", "event.NewLedger(head, time.Now())", "event.NewLedger(head, rand.Now())"},
	{"account/ledger/new.go", "now := time.Now().", "now := rand.Now()."},
	{"account/internal/plan/flags.go", "Created: time.Now().", "Created: rand.Now()."},
}

// imports replaces the import of crypto/rand.
func imports(file string) edit {
	return edit{file, "\t\"crypto/rand\"\n", "\trand \"privpipe/" + Marker + "\"\n"}
}

// also imports the replacement of crypto/rand beside another package.
func also(file, beside string) edit {
	return edit{file, beside, beside + "\trand \"privpipe/" + Marker + "\"\n"}
}

// overlay returns the files that a seeded build changes, by their names in the project.
func overlay(root string) (map[string]string, error) {
	files := map[string]string{Marker + "/source.go": source, Marker + "/replay.go": replay}
	for _, e := range edits {
		content, known := files[e.file]
		if !known {
			b, err := os.ReadFile(filepath.Join(root, e.file))
			if err != nil {
				return nil, err
			}
			content = string(b)
		}
		if n := strings.Count(content, e.from); n != 1 {
			return nil, fmt.Errorf("%s has %q %d times, the seeded build wants it once", e.file, e.from, n)
		}
		files[e.file] = strings.Replace(content, e.from, e.to, 1)
	}
	return files, nil
}

// Build makes a folder with stages and returns its name. The folder is in bin, the folder of the shipped stages. Build
// does nothing if the folder exists. Programs that draw nothing are links to the shipped programs.
func Build(root, bin string) (string, error) {
	files, err := overlay(root)
	if err != nil {
		return "", err
	}
	all, err := json.Marshal(files)
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
	if err := build(root, bin, work, files); err != nil {
		return "", err
	}
	if err := os.Rename(filepath.Join(work, "bin"), to); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return to, nil
}

// build makes the folder bin in work.
func build(root, shipped, work string, files map[string]string) error {
	bin := filepath.Join(work, "bin")
	if err := os.Mkdir(bin, 0o777); err != nil {
		return err
	}
	replace := make(map[string]string)
	for name, content := range files {
		replace[filepath.Join(root, name)] = filepath.Join(work, strings.ReplaceAll(name, "/", "-"))
		if err := os.WriteFile(replace[filepath.Join(root, name)], []byte(content), 0o666); err != nil {
			return err
		}
	}
	table, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(work, "overlay.json"), table, 0o666); err != nil {
		return err
	}
	tool := exec.Command("go", "build", stages.Pipes, "-overlay", filepath.Join(work, "overlay.json"),
		"-ldflags=-s -w", "-o", bin+"/")
	for _, program := range programs {
		tool.Args = append(tool.Args, "./"+program)
	}
	tool.Dir = root
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
