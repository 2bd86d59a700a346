package endtoend

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
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
	try("privpipe kit kit; cd kit; sha256sum --check --quiet SHA256SUMS; bin/privatize --version; ls privatize/*",
		`(?s)^privpipe privatize 0\..*PRIVACY\.md`)
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

// TestDist makes the distribution twice, from two folders, installs from the tar and the Debian package, runs the
// image, and has verify.sh compare, also a file with one other byte.
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
	run(t, folder, "cd one.made && sha256sum -c --quiet SHA256SUMS")
	image(t, folder)
	verify := "export PRIVPIPE_ARCHITECTURES=$(go env GOARCH)\none/pipelines/install/verify.sh "
	if got := run(t, folder, verify+"one.made/privpipe*"); strings.Count(got, "the same bytes: ") != 5 {
		t.Errorf("verify.sh printed\n%s\nwant 5 files with the same bytes", got)
	}
	ends(t, folder, `mkdir other && cp one.made/*.deb other && printf x >>other/*.deb
`+verify+"other/*.deb", 90, "another version of Go makes other bytes")
	ends(t, folder, "touch privpipe-0.1.0~20200101.00000000.oci.tar\n"+verify+"privpipe-*.oci.tar", 83,
		"check out the commit in its name")
}

// image checks the digests of the OCI image, and has a user without rights run stages where there is nothing else.
func image(t *testing.T, folder string) {
	t.Helper()
	run(t, folder, "mkdir oci && tar -C oci -xf one.made/*.oci.tar")
	type descriptor struct{ Digest string }
	blob := func(d descriptor, of any) string {
		file := filepath.Join(folder, "oci/blobs", strings.Replace(d.Digest, ":", "/", 1))
		content := readFile(t, file)
		if sum := fmt.Sprintf("sha256:%x", sha256.Sum256(content)); sum != d.Digest {
			t.Errorf("a blob of the image has digest %s, is named %s", sum, d.Digest)
		}
		if of != nil {
			if err := json.Unmarshal(content, of); err != nil {
				t.Fatal(err)
			}
		}
		return file
	}
	var index struct {
		Manifests []struct {
			descriptor
			Platform struct{ Architecture string }
		}
	}
	if err := json.Unmarshal(readFile(t, filepath.Join(folder, "oci/index.json")), &index); err != nil {
		t.Fatal(err)
	}
	if len(index.Manifests) != 1 || index.Manifests[0].Platform.Architecture != runtime.GOARCH {
		t.Fatalf("the index has %+v", index)
	}
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	blob(index.Manifests[0].descriptor, &manifest)
	var config struct {
		Config struct{ User, WorkingDir string }
	}
	if blob(manifest.Config, &config); config.Config.User != "65532:65532" || len(manifest.Layers) != 1 {
		t.Errorf("the image has %+v and %d layers", config, len(manifest.Layers))
	}
	if os.Getuid() != 0 {
		t.Log("not root: no chroot into the image")
		return
	}
	got := run(t, folder, fmt.Sprintf(`mkdir root && tar -C root -xzf %q
cd root && find . -type f ! -path './bin/*' ! -name LICENSE
box() { chroot --userspec=65532:65532 . "$@"; }
printf '{"id":"a","text":"a text of words"}\n' | box /bin/tokenize text | box /bin/show --private
box /bin/account ledger new /work/run.ledger
box /bin/account report /work/run.ledger
stat -c %%u work/run.ledger`, blob(manifest.Layers[0], nil)))
	if !strings.HasPrefix(got, `{"header":`) || !strings.Contains(got, `"document":{"id":"a"`) ||
		!strings.HasSuffix(got, "\n65532\n") {
		t.Errorf("the image printed\n%s", got)
	}
}

// TestPackagingFiles parses the formula and the expression, and compares the hash of dependencies there.
func TestPackagingFiles(t *testing.T) {
	testkit.Deep(t, "distribution")
	t.Parallel()
	for tool, file := range map[string]string{"ruby -c": "privpipe.rb", "nix-instantiate --parse": "privpipe.nix"} {
		if program, _, _ := strings.Cut(tool, " "); !has(program) {
			t.Logf("no %s: %s is not parsed", program, file)
			continue
		}
		run(t, root, tool+" pipelines/install/"+file)
	}
	if !has("nix-hash") {
		t.Skip("no nix-hash, of Debian's nix-bin")
	}
	digest, err := hex.DecodeString(strings.TrimSpace(run(t, t.TempDir(),
		fmt.Sprintf("git clone -q %q one; cd one; go mod vendor; nix-hash --type sha256 vendor", root))))
	if err != nil {
		t.Fatal(err)
	}
	if want := "sha256-" + base64.StdEncoding.EncodeToString(digest); !strings.Contains(read(t,
		"pipelines/install/privpipe.nix"), want) {
		t.Errorf("vendorHash of privpipe.nix is another one than %s", want)
	}
}

func has(program string) bool { _, err := exec.LookPath(program); return err == nil }
