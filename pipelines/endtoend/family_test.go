package endtoend

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/seeded"
)

// The folder testdata/family holds a further family of models: the family's package and the packages of its two halves,
// and nothing else. These tests build the stages with it, as if somebody had added the folders and these lines.
var familyLines = []struct{ file, after, line string }{
	{"estep/command/program.go", " mean.WordsCommand ",
		"\tMixture mixture.Command `cmd:\"\" help:\"Clusters.\"`\n"},
	{"estep/command/program.go", "\t\"privpipe/estep/lda\"", "\t\"privpipe/estep/mixture\"\n"},
	{"mstep/command/program.go", " mean.WordsCommand ",
		"\tMixture mixture.Command `cmd:\"\" help:\"Learn clusters.\"`\n"},
	{"mstep/command/program.go", "\t\"privpipe/mstep/lda\"", "\t\"privpipe/mstep/mixture\"\n"},
	{"pipelines/model/modelfile/families.go", "\tfamilies.Words,", "\tmixture.Family,\n"},
	{"pipelines/model/modelfile/families.go", "\t\"privpipe/pipelines/model/lda\"",
		"\t\"privpipe/pipelines/model/mixture\"\n"},
}

// withFamily returns go's overlay of the project with the further family.
func withFamily(t *testing.T) (overlay string) {
	t.Helper()
	folder := t.TempDir()
	replace := make(map[string]string)
	tree := filepath.Join(root, "pipelines/endtoend/testdata/family")
	err := filepath.WalkDir(tree, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(tree, path)
		if err == nil {
			if _, err := os.Stat(filepath.Join(root, name)); err == nil {
				t.Errorf("%s is there already", name)
			}
			replace[filepath.Join(root, name)] = path
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range familyLines {
		name := filepath.Join(root, l.file)
		if replace[name] == "" {
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			replace[name] = filepath.Join(folder, fmt.Sprint(len(replace), ".go"))
			write(t, folder, filepath.Base(replace[name]), string(source))
		}
		source, err := os.ReadFile(replace[name])
		if err != nil {
			t.Fatal(err)
		}
		before, rest, found := strings.Cut(string(source), l.after)
		end := strings.Index(rest, "\n") + 1
		if !found {
			t.Fatalf("%s has no line %q", l.file, l.after)
		}
		write(t, folder, filepath.Base(replace[name]), before+l.after+rest[:end]+l.line+rest[end:])
	}
	encoded, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay = filepath.Join(folder, "overlay.json")
	write(t, folder, "overlay.json", string(encoded))
	return overlay
}

// goTool runs go in the project.
func goTool(t *testing.T, arguments ...string) {
	t.Helper()
	command := exec.Command("go", arguments...)
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(arguments, " "), err, out)
	}
}

// TestFamily: a further family of models is its own packages and a line in each list. With it the stages train over
// pipes, privately, and its documents' state and secret coins survive a kill. The model equals the model of an
// undisturbed run, byte for byte.
func TestFamily(t *testing.T) {
	testkit.Deep(t, "distribution")
	overlay, folder := withFamily(t),
		seeded.Folder(t, seeded.Chance{Seed: 1, Margin: "no word of the other half, two are allowed", Rate: 1e-6})
	checks := filepath.Join(folder, "mixture.test")
	goTool(t, "test", "-c", "-vet=off", "-overlay", overlay, "-o", checks, "./pipelines/model/mixture")
	run(t, folder, checks)
	bin := filepath.Join(folder, "bin")
	goTool(t, "build", "-overlay", overlay, "-o", bin+"/", "./estep", "./mstep", "./evaluate",
		"./pipelines/networked")

	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))

	var words, texts strings.Builder
	for v := range 40 {
		fmt.Fprintln(&words, bagWords[v])
	}
	random := rand.New(rand.NewPCG(3, 4))
	for i := range 3000 { // of two clusters, each of which has one half of the words four times as often as the other
		text := ""
		for v := range 40 {
			if random.Float64() < []float64{0.4, 0.1}[(v/20+i)%2] {
				text += " " + bagWords[v]
			}
		}
		fmt.Fprintf(&texts, "{\"id\":\"text %d\",\"text\":%q}\n", i, text)
	}
	write(t, folder, "vocab.txt", words.String())
	write(t, folder, "texts.jsonl", texts.String())
	write(t, folder, "train.sh", `
		set -euo pipefail
		cd "$1"; shift
		[[ -p params ]] || mkfifo params
		[[ -e ledger ]] || account ledger new ledger
		sample --poisson 0.5 --rounds 8 --run mixture --secret ../coins ../docs.pp |
			estep mixture ${flags:-} --params params --secret ../key --state state.pp |
			privatize "$@" --run mixture --ledger ledger |
			mstep mixture --clusters 2 --vocab ../vocab.txt --params-out params -o model.pp`)
	run(t, folder, `tokenize text -q --vocab vocab.txt -o docs.pp texts.jsonl
		(umask 077; head -c 32 /dev/urandom >key; head -c 32 /dev/urandom >coins); mkdir quiet killed private`)

	run(t, folder, "bash train.sh quiet none")
	killed := bash(folder, "bash train.sh killed none")
	killed.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	for range 3000 { // until a round is learned, or all
		if _, err := os.Stat(filepath.Join(folder, "killed/model.pp.checkpoint")); err == nil {
			break
		}
		time.Sleep(2 * time.Millisecond)
	}
	syscall.Kill(-killed.Process.Pid, syscall.SIGKILL)
	killed.Wait()
	run(t, folder, "bash train.sh killed none; cmp quiet/model.pp killed/model.pp")

	run(t, folder, `account ledger new private/ledger
		account plan -q --ledger private/ledger --epsilon 8 --delta 1e-5 --poisson 0.5 --rounds 8 --clip 1 --non-negative --vocab vocab.txt --model mixture \
			--matrix documents=1x2 --matrix occurrences=2xV -o grant.json
		bash train.sh private --grant ../grant.json`)
	for _, model := range []string{"quiet", "private"} {
		out := run(t, folder, "evaluate topics --top 20 "+model+"/model.pp")
		for line := range strings.Lines(out) {
			first, second := 0, 0
			for i, word := range bagWords[:40] {
				if strings.Contains(line, " "+word+" ") {
					if i < 20 {
						first++
					} else {
						second++
					}
				}
			}
			if first+second > 0 && min(first, second) > 2 {
				t.Errorf("%s: a cluster has %d words of one half and %d of the other:\n%s", model, first, second, out)
			}
		}
		if strings.Count(out, "\n") != 3 {
			t.Errorf("not two clusters:\n%s", out)
		}
	}
	run(t, folder, "mstep export --format csv private/model.pp | wc -l | grep -qx 81")

	// Rounds that are answered as a whole are coupled: they are summed without noise, and refused under a grant.
	run(t, folder, `mkdir coupled refused; flags=--in-place bash train.sh coupled none
		account ledger new refused/ledger
		account plan -q --ledger refused/ledger --epsilon 8 --delta 1e-5 --poisson 0.5 --rounds 8 --clip 1 --non-negative --vocab vocab.txt \
			--model mixture --matrix documents=1x2 --matrix occurrences=2xV -o coupled.json
		if flags=--in-place bash train.sh refused --grant ../coupled.json 2>log; then exit 1; fi
		grep -q "^privatize: error: refused: .* depend on one another" log; ! grep -q charge refused/ledger`)

	for what, c := range map[string]struct{ command, want string }{
		"no key":      {"estep mixture --params x --secret nowhere docs.pp", "82 .*head -c 32"},
		"a short key": {"estep mixture --params x --secret vocab.txt docs.pp", "90 .*larger than 32 bytes"},
		"a topic": {"estep mixture --params x kafka://localhost:1/rounds.private",
			"80 .*partitions of a topic change hands"},
		"a run unnamed": {"sample -q --all docs.pp | estep mixture --params model.pp --secret key",
			"80 .*name their run.* sample --run"},
		"another's state": {"sample -q --all docs.pp | estep mixture --params model.pp --state killed/state.pp",
			"90 .*another run"},
		"state released": {"privatize none -q --run mixture --ledger killed/ledger killed/state.pp",
			"90 .*a stream of STATE, must be of CONTRIBUTIONS or SUMS"},
		"state combined": {"privatize combine killed/state.pp",
			"90 .*a stream of STATE, must be of CONTRIBUTIONS or SUMS"},
		"state learned": {"mstep mixture --clusters 2 --vocab vocab.txt -o no.pp killed/state.pp",
			"90 .*a stream of STATE, must be of RELEASES"},
		"no parameters":   {"estep mixture docs.pp", "80 .*training needs --params"},
		"an lda command":  {"estep lda --infer --model private/model.pp docs.pp", "90 .*must be of .lda"},
		"no such topics":  {"mstep export nowhere.pp", "82"},
		"not for scoring": {"estep mixture --score --model private/model.pp docs.pp", "80 .*does not score"},
	} {
		t.Run(what, func(t *testing.T) {
			run(t, folder, fmt.Sprintf(`cp private/model.pp . ; set +e; got=$(%s 2>&1 >/dev/null); code=$?
				echo "$code $(tr '\n' ' ' <<<"$got")" | grep -E "^%s" || { echo "code $code: $got" >&2; exit 1; }`, c.command, c.want))
		})
	}
}
