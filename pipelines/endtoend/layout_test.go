package endtoend

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"privpipe/pipelines/testkit"
)

// tables returns the names of OUT.md's files in OUT/public and in OUT/private. An N in a name is a number, and a *
// anything.
func tables(t *testing.T) (public, private *regexp.Regexp) {
	t.Helper()
	page := read(t, filepath.Join(root, "pipelines/recipes/OUT.md"))
	_, page, _ = strings.Cut(page, "| file in OUT/public |")
	shown, inside, found := strings.Cut(page, "| file in OUT/private |")
	if !found {
		t.Fatal("OUT.md has no two tables")
	}
	names := func(table string) *regexp.Regexp {
		var all []string
		for _, row := range regexp.MustCompile(`(?m)^\| (.*?) \| (.*) \|$`).FindAllStringSubmatch(table, -1) {
			cells := row[1]
			if strings.HasPrefix(cells, "`model.pp`") {
				cells += row[2]
			}
			for _, name := range regexp.MustCompile("`([a-z][^` ]*)`").FindAllStringSubmatch(cells, -1) {
				one := regexp.QuoteMeta(strings.TrimSuffix(name[1], "/"))
				all = append(all, strings.NewReplacer("N", `\d+`, `\*`, ".*").Replace(one))
			}
		}
		return regexp.MustCompile("^(" + strings.Join(all, "|") + ")$")
	}
	return names(shown), names(inside)
}

// TestLayout runs recipes, each with all files that it can leave; the gate runs two. Each file is in the folder that
// OUT.md names. OUT/private is only its owner's. In OUT/public no stream is private, and no file has the mark of the
// private documents. The last lines of each recipe hold.
func TestLayout(t *testing.T) {
	public, private := tables(t)
	folder := t.TempDir()
	comments(t, folder)
	const mark = "qqsecretqq"
	run(t, folder, `mv comments.jsonl all.jsonl
head -n 1500 all.jsonl | sed 's/"text":"/&`+mark+` /; s/"id":"/&`+mark+`/' >comments.jsonl
head -n 100 all.jsonl >held.jsonl; tokenize text --public -o held.pp held.jsonl`)
	table(t, folder, 2000)
	clusterData(t, folder)
	run(t, folder, `sed -i 's/"text":"/&`+mark+` /; s/"id":"/&`+mark+`/' texts.jsonl`)
	for out, c := range map[string]struct{ command, public, private string }{ // the files are of this recipe only
		"private-held": {"lda.sh --epsilon 2 --topics 3 --rounds 3 --held held.jsonl comments.jsonl",
			"start.pp", "perplexity.txt"},
		"public-held": {"online-lda.sh --topics 3 --batch 256 --rounds 3 --trace --held held.pp comments.jsonl",
			"by-round.txt", "by-round.pp"},
		"streams": {"collapsed-gibbs.sh --topics 3 --rounds 2 --sweeps 1 --streams --inherent-report comments.jsonl",
			"params.pp", "contributions.pp"},
		"first": {"papers/cdp-lda.sh --topics 3 --rounds 2 --held held.jsonl comments.jsonl",
			"first-grant.json", "unigram.txt"},
		"reports": {"papers/lp-lda.sh --topics 3 --sweeps 2 comments.jsonl", "grant.json", "rebuilt.pp"},
		"clusters": {"clusters.sh --rounds 2 --dimension 24 --clusters 3 --public public.jsonl --held texts.jsonl " +
			"texts.jsonl texts.jsonl", "names.pp", "clusters.txt"},
		"rows": {"blr.sh --rounds 2 --schema schema.json --held held.csv train.csv", "size.txt", "auc.txt"},
	} {
		t.Run(out, func(t *testing.T) {
			if !strings.HasSuffix(out, "-held") {
				testkit.Deep(t, "papers")
			}
			s := bash(folder, filepath.Join(root, "pipelines/recipes", c.command)+" "+out)
			if err := s.Run(); err != nil {
				t.Fatalf("%v\n%s", err, s.stderr.String())
			}
			for of, names := range map[string]*regexp.Regexp{"public": public, "private": private} {
				entries, err := os.ReadDir(filepath.Join(folder, out, of))
				if err != nil {
					t.Fatal(err)
				}
				for _, entry := range entries {
					if !names.MatchString(entry.Name()) {
						t.Errorf("OUT.md has no %s in OUT/%s", entry.Name(), of)
					}
				}
			}
			run(t, folder, `cd `+out+`
[[ $(echo * .[a-z]*) == "private public .lock" && $(stat -c %a private) == 700 ]]
[[ -e public/`+c.public+` && -e private/`+c.private+` ]]
! grep -rl `+mark+` public
for stream in $(find public -name '*.pp'); do show "$stream" >shown; ! grep `+mark+` shown; rm shown; done
jq -e '.events | length > 0' public/events.json`)
			const form = `page:    (.*)\nmodel:   (\S+) \((.*)\)\nprivate: (\S+) \((.*)\)\nnext:    (.*)\n$`
			last := regexp.MustCompile(form).FindStringSubmatch(s.stderr.String())
			if last == nil {
				t.Fatalf("its last lines are not those of a recipe:\n%s", s.stderr.String())
			}
			run(t, folder, "[[ -s "+last[1]+" && -s "+last[2]+" && -d "+last[4]+" ]]; "+last[6]+" >/dev/null")
			protects := !strings.Contains(run(t, folder, "cat "+out+"/public/report.txt"), "∞")
			if says := strings.HasPrefix(last[3], "all of "); says != protects {
				t.Errorf("of the model it says %q", last[3])
			}
		})
	}
}

// TestEarlierLayout: a folder that an earlier version began is refused, and stays as it is.
func TestEarlierLayout(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, "text.jsonl", `{"text":"alpha"}`+"\n")
	run(t, folder, "cp "+root+"/pipelines/recipes/schemas/adult.json schema.json; account ledger new all.ledger")
	for _, old := range []string{"settings", "run.ledger"}[:testkit.Repeats(t, "operations", 1, 2)] {
		run(t, folder, "rm -rf out; mkdir out; echo of an earlier version >out/"+old)
		before := run(t, folder, "ls -lAR --time-style=full-iso out")
		for _, command := range []string{
			"lda.sh text.jsonl", "lda.sh --ledger all.ledger text.jsonl",
			"gibbs.sh text.jsonl", "online-lda.sh text.jsonl",
			"collapsed-gibbs.sh text.jsonl",
			"blr.sh --schema schema.json text.jsonl", "quickstart.sh",
			"papers/lp-lda.sh text.jsonl", "papers/erm.sh --schema schema.json text.jsonl",
		} {
			s := bash(folder, filepath.Join(root, "pipelines/recipes", command)+" out")
			s.Run()
			const want = "finish it with that version, or name another folder"
			if code := s.ProcessState.ExitCode(); code != 83 || !strings.Contains(s.stderr.String(), want) {
				t.Errorf("%s: exit code %d, %s; want 83", command, code, s.stderr.String())
			}
			if after := run(t, folder, "ls -lAR --time-style=full-iso out"); after != before {
				t.Errorf("%s changed the folder:\n%s", command, after)
			}
		}
	}
}

// TestKilledFolder kills all processes of one recipe. The same command goes on at once. No FIFO is left, neither in the
// recipe's folder nor in the folder of temporary files.
func TestKilledFolder(t *testing.T) {
	testkit.Deep(t, "kills")
	folder := t.TempDir()
	comments(t, folder)
	run(t, folder, "mkdir temporary")
	recipe := "TMPDIR=$PWD/temporary exec " + filepath.Join(root, "pipelines/recipes/lda.sh") +
		" --topics 2 --rounds 60 --public none comments.jsonl out"
	s := bash(folder, recipe)
	s.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		text, _ := os.ReadFile(filepath.Join(folder, "out/private/run.ledger"))
		if strings.Count(string(text), `"charge":{`) >= 4 {
			break
		}
	}
	syscall.Kill(-s.Process.Pid, syscall.SIGKILL)
	if s.Wait() == nil {
		t.Fatal("it had ended before the kill")
	}
	run(t, folder, "ls -d out/private/fifos.*; "+recipe)
	if charged := strings.Count(read(t, filepath.Join(folder, "out/private/run.ledger")), `"charge":{`); charged != 62 {
		t.Errorf("%d releases are charged, want 62", charged) // 60 rounds, the size and the words
	}
	if left := run(t, folder, "find out temporary -type p -o -name 'fifos.*'; ls -A temporary"); left != "" {
		t.Errorf("left %s", left)
	}
}
