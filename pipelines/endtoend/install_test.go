package endtoend

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
)

// installed installs into a folder, and returns what begins a script on a machine that has neither Go nor the checkout:
// an environment with only the system's own programs.
func installed(t *testing.T, script string) (prefix, machine string) {
	t.Helper()
	folder := t.TempDir()
	run(t, root, fmt.Sprintf(script, filepath.Join(folder, "made")))
	prefix = filepath.Join(folder, "moved to here") // it may be moved, and the path may have a space
	if err := os.Rename(filepath.Join(folder, "made"), prefix); err != nil {
		t.Fatal(err)
	}
	return prefix, fmt.Sprintf("exec env -i HOME=/nonexistent PATH=%q bash -euo pipefail <<'END'\n",
		prefix+"/bin:/usr/bin:/bin")
}

// TestInstall tries an installation where there is no checkout: a stage, a recipe by its name and through a link of
// another name, the auditor's walk with its page, the manual and the completions.
func TestInstall(t *testing.T) {
	testkit.Deep(t, "distribution")
	t.Parallel()
	prefix, machine := installed(t, "pipelines/install/install.sh %s")
	folder := t.TempDir()
	comments(t, folder)
	try := func(script, want string) {
		t.Helper()
		if got := run(t, folder, machine+script+"\nEND"); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s: no %s in\n%s", script, want, got)
		}
	}
	try("privpipe --help", `(?m)^  lda +Trains a private topic model\.$`)
	listed := run(t, folder, machine+"privpipe --help\nEND")
	for name, want := range map[string]bool{"blr": true, "papers/dpvi": true, "rows": false, "stages": false,
		"papers/sampled": false, "papers/figures/figure": false} {
		if has := strings.Contains(listed, "\n  "+name+" "); has != want {
			t.Errorf("privpipe --help lists %s: %v, want %v", name, has, want)
		}
	}
	try("privpipe --version", `^privpipe \d+\.\d+\.\d+\S* wire \d+ go`)
	try("privpipe tokenize text -o docs.pp comments.jsonl; PATH=$(privpipe path):$PATH; show docs.pp -o shown; head "+
		"-n 1 shown", `"vocabulary_size":12000`)
	try("privpipe lda --epsilon 2 --topics 2 --rounds 3 comments.jsonl out",
		`(?m)^pld +(2|1\.99\d*) +1e-06 .*document +5$`)
	try(fmt.Sprintf("ln -s %q/share/privpipe/pipelines/recipes/lda.sh mine; ./mine --epsilon 2 --topics 2 --rounds 3 "+
		"comments.jsonl linked",
		prefix), `(?m)^pld +(2|1\.99\d*) +1e-06 .*document +5$`)
	for _, file := range []string{"systemd/privpipe-estep@.service", "systemd/privpipe-.service.d/common.conf",
		"kubernetes/privatize.yaml",
		"monitoring/rules.yml", "recovery.md"} {
		try("cat \"$(privpipe path)/../../share/privpipe/pipelines/recipes/kafka/"+file+"\"",
			regexp.QuoteMeta(read(t, "pipelines/recipes/kafka/"+file)))
	}
	try("cat \"$(privpipe path)/../../share/privpipe/pipelines/python/privpipe/models.py\"",
		regexp.QuoteMeta(read(t, "pipelines/python/privpipe/models.py")))
	for _, name := range []string{"nothing", "../lda", "stages/../lda", "kafka/nothing"} {
		s := bash(folder, machine+"privpipe "+name+"\nEND")
		if s.Run(); s.ProcessState.ExitCode() != 80 ||
			!strings.Contains(s.stderr.String(), "no stage or recipe "+name) {
			t.Errorf("privpipe %s: exit code %d, %s; want 80", name, s.ProcessState.ExitCode(), s.stderr.String())
		}
	}
	completions := fmt.Sprintf("source %q/share/bash-completion/completions/privpipe\n", prefix) + `
complete() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _privpipe; echo "${COMPREPLY[*]}"; }
`
	for words, want := range map[string]string{
		`privpipe tok`: `^tokenize$`, `privpipe ld`: `^lda$`, `privpipe account ledger n`: `^new$`,
		`privpipe account plan --mech`:          `^--mechanism$`,
		`privpipe account plan --mechanism lap`: `^laplace$`, `privpipe account plan --mechanism = lap`: `^laplace$`,
		`privpipe lda --eps`: `^--epsilon$`, `privpipe tokenize text --vocab voc`: `^$`,
	} {
		try(completions+"complete "+words, "(?m)"+want)
	}
	for _, stage := range []string{"tokenize", "sample", "estep", "privatize", "mstep", "account", "evaluate", "show"} {
		page := run(t, folder, fmt.Sprintf("gzip -dc %q/share/man/man1/privpipe-%s.1.gz", prefix, stage))
		for _, want := range []string{".SH \"NAME\"\nprivpipe-" + stage + ` \- `, `\-\-dry\-run`,
			".SH \"EXIT STATUS\""} {
			if !strings.Contains(page, want) {
				t.Errorf("the manual page of %s has no %s", stage, want)
			}
		}
	}
	// No page has a line that man would take for something else.
	if _, err := os.Stat("/usr/bin/groff"); err == nil {
		run(t, prefix, `for page in share/man/man1/*.gz; do
  said=$(gzip -dc "$page" | groff -man -ww -z -Tutf8 -K utf8 2>&1)
  [[ -z $said ]] || { echo "$page: $said" >&2; exit 1; }
done`)
	}
	if _, err := os.Stat("/usr/bin/jq"); err == nil {
		interpreter := run(t, folder,
			fmt.Sprintf("%q -c 'import sys; print(sys.executable, end=\"\")'", python(t, "struct")))
		try(fmt.Sprintf("PYTHON=%q privpipe audit", interpreter), `(?m)^audit: all of it is as PRIVACY\.md says$`)
	}
}

// TestDist makes the tar and the Debian package twice, from two folders, and installs from both.
func TestDist(t *testing.T) {
	testkit.Deep(t, "distribution")
	t.Parallel()
	run(t, root, "type dpkg-deb git >/dev/null")
	folder := t.TempDir()
	run(t, folder, fmt.Sprintf(`
git clone -q %q one; git clone -q one two
for checkout in one two; do
  PRIVPIPE_ARCHITECTURES=$(go env GOARCH) $checkout/pipelines/install/dist.sh $checkout.made
done
diff -r one.made two.made`, root))
	for name, unpack := range map[string]string{
		"tar": "mkdir %[1]s && tar -xzf " + folder + "/one.made/*.tar.gz --strip-components 1 -C %[1]s",
		"deb": "dpkg-deb -x " + folder + "/one.made/*.deb %[1]s.root && mv %[1]s.root/usr %[1]s",
	} {
		_, machine := installed(t, unpack)
		if got := run(t, folder, machine+"privpipe account --version\nEND"); !strings.HasPrefix(got,
			"privpipe account 0.") {
			t.Errorf("from the %s: %s", name, got)
		}
	}
}
