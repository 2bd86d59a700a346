package operations

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/exit"
)

var systemd = filepath.Join(kafka, "systemd")

// A setting is a line of a unit: a key and its value.
type setting struct{ key, value string }

// unit reads a file of systemd's form, comments aside, with lines that a backslash continues.
func unit(t testing.TB, file string) []setting {
	t.Helper()
	var all []setting
	lines := bufio.NewScanner(strings.NewReader(strings.ReplaceAll(read(t, file), "\\\n", "")))
	for lines.Scan() {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "[") {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			t.Fatalf("%s: no setting: %s", file, line)
		}
		all = append(all, setting{key, value})
	}
	return all
}

// values are those of a key.
func values(settings []setting, key string) []string {
	var all []string
	for _, s := range settings {
		if s.key == key {
			all = append(all, s.value)
		}
	}
	return all
}

// units are the services by the names of their stages.
func units(t testing.TB) map[string][]setting {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(systemd, "*@.service"))
	if err != nil || len(files) < 8 {
		t.Fatalf("%d units, %v", len(files), err)
	}
	all := make(map[string][]setting)
	for _, file := range files {
		all[strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "privpipe-"), "@.service")] = unit(t, file)
	}
	return all
}

// commands are the command lines of a unit, as systemd would run them in a machine whose folders are those of a test.
func commands(t testing.TB, name, instance, folder string, variables map[string]string, settings []setting) []service {
	t.Helper()
	specifiers := strings.NewReplacer("%%", "%", "%i", instance, "%p", "privpipe-"+name, "%S",
		filepath.Join(folder, "state"),
		"%C", filepath.Join(folder, "cache"), "%t", filepath.Join(folder, "run"), "%d",
		filepath.Join(folder, "credentials"), "/etc/privpipe", filepath.Join(folder, "etc"))
	expand := func(text string) string {
		return os.Expand(specifiers.Replace(text), func(variable string) string {
			value, ok := variables[variable]
			if !ok {
				t.Errorf("%s: the variable %s is not in example.env", name, variable)
			}
			return value
		})
	}
	var environment []string
	for _, assignment := range values(settings, "Environment") {
		environment = append(environment, expand(assignment))
	}
	if len(values(settings, "EnvironmentFile")) > 0 {
		for variable, value := range variables {
			environment = append(environment, variable+"="+value)
		}
	}
	var all []service
	for _, line := range values(settings, "ExecStart") {
		words := strings.Fields(line)
		if words[0] == "privpipe" { // the name that an installation has on PATH: pipelines/install/privpipe
			words = words[1:]
		}
		for i, word := range words {
			words[i] = expand(word)
		}
		all = append(all, service{name: name, args: words, environment: environment})
	}
	return all
}

// example are the settings of example.env, changed to those of a test.
func example(t testing.TB, changed map[string]string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for _, s := range unit(t, filepath.Join(systemd, "example.env")) {
		all[s.key] = s.value
	}
	for key, value := range changed {
		if _, ok := all[key]; !ok {
			t.Errorf("example.env does not set %s", key)
		}
		all[key] = value
	}
	return all
}

// TestUnits trains by the command lines of the units, and has the whole budget reported as spent.
func TestUnits(t *testing.T) {
	for _, reads := range []string{"contributions", "sums"} {
		t.Run(reads, func(t *testing.T) {
			r := trainUnits(t, reads)
			for _, s := range commands(t, "budget", "people", r.folder, nil, units(t)["budget"]) {
				want := exit.OK
				if s.args[1] == "report" {
					want = exit.Refused
				}
				out, err := exec.Command(s.args[0], s.args[1:]...).CombinedOutput()
				if code := exit.Code(err); code != want {
					t.Errorf("%s: exit code %d, want %d: %s", strings.Join(s.args, " "), code, want, out)
				}
			}
			oneExporter(t, r.folder, reads == "sums")
		})
	}
}

// oneExporter checks that one node exporter can serve the files of privatize and combine: it refuses two numbers of one
// name with equal labels. The labels are the labels in rules.yml, and another user may read the files.
func oneExporter(t *testing.T, folder string, combines bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "run/privpipe-*/*.prom"))
	if err != nil || (len(files) == 2) != combines {
		t.Errorf("files %v, %v", files, err)
	}
	names, metrics := make(map[string]string), make(map[string]bool)
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o644 {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
		stage := strings.TrimPrefix(filepath.Base(filepath.Dir(file)), "privpipe-")
		content := read(t, file)
		for _, match := range shown.FindAllStringSubmatch(content, -1) {
			if names[match[0]] != "" {
				t.Errorf("%s and %s have %s", file, names[match[0]], match[0])
			}
			names[match[0]] = file
			if !strings.Contains(match[2], fmt.Sprintf("run=%q,stage=%q", run, stage)) {
				t.Errorf("%s: not the labels of this stage: %s", file, match[0])
			}
			metrics[match[1]] = true
		}
		if _, err := exec.LookPath("promtool"); err != nil {
			t.Log("promtool is missing: Debian's prometheus has it")
		} else {
			bash(t, folder, fmt.Sprintf("promtool check metrics <%q", file))
		}
	}
	if !metrics["privpipe_healthy"] || !metrics["privpipe_textfile_timestamp_seconds"] {
		t.Errorf("the files have only %v", metrics)
	}
}

// TestInstallUnits runs the commands in operations.md that install the units. Two folders stand for /etc and /usr/lib
// on a machine that has systemd and nothing of privpipe.
func TestInstallUnits(t *testing.T) {
	_, page, _ := strings.Cut(read(t, filepath.Join(kafka, "operations.md")), "## systemd")
	_, page, _ = strings.Cut(page, "```\n")
	block, _, found := strings.Cut(page, "```\n")
	if !found {
		t.Fatal("operations.md has no block of commands")
	}
	folder := t.TempDir()
	script := strings.NewReplacer("/etc/", folder+"/etc/", "/usr/lib/", folder+"/usr/lib/").
		Replace(block + "\ntest -d /etc/privpipe/\n")
	bash(t, folder, fmt.Sprintf(`mkdir -p etc/systemd/system usr/lib/sysusers.d; cp -r %q .; echo '{}' >client.json
systemctl() { [[ -e etc/systemd/system/privpipe-estep@.service && $* == "enable --now "* ]]; }
systemd-sysusers() { [[ -e usr/lib/sysusers.d/privpipe.conf ]]; }
%s
test -e etc/systemd/system/privpipe-.service.d/common.conf; test -e etc/privpipe/news.env
[[ $(stat -c %%a etc/privpipe/privpipe-estep/client.json) == 600 && $(stat -c %%a etc/privpipe) == 755 ]]`, systemd, script))
}

// trainUnits trains by the command lines of the units. What privatize reads is contributions or sums.
func trainUnits(t *testing.T, reads string) *training {
	t.Helper()
	folder := t.TempDir()
	inPlace(t, folder)
	names := []string{"tokenize", "sample", "estep", "privatize", "mstep"}
	if reads == "sums" {
		names = append(names, "combine")
	}
	ledger, model := "state/privpipe-privatize/people.ledger", "state/privpipe-mstep/"+run+"/model.pp"
	return train(t, folder, filepath.Join(folder, ledger), filepath.Join(folder, model),
		func(brokers string) []service {
			bash(t, folder, fmt.Sprintf("topics --partitions %d %s %s", partitions, brokers, run))
			changed := settings(brokers, folder)
			changed["PRIVATIZE_READS"] = reads
			delete(changed, "PARTITIONS") // of Kubernetes, where a Job makes the topics
			delete(changed, "REPLICAS")
			var all []service
			for _, name := range names {
				all = append(all, commands(t, name, run, folder, example(t, changed), units(t)[name])...)
			}
			return all
		})
}

// inPlace makes the folders of state and cache, as systemd would. It also makes the operator's files: a ledger, a
// grant, and a credential that lets the stages speak to brokers in clear.
func inPlace(t *testing.T, folder string) {
	t.Helper()
	bash(t, folder, fmt.Sprintf(`umask 077
mkdir -p state/privpipe-{sample,mstep}/%[1]s state/privpipe-privatize cache/privpipe-sample/%[1]s run/privpipe-{privatize,combine} credentials etc
echo '{}' >credentials/kafka_client.json
account ledger new --epsilon 1 --delta 1e-6 state/privpipe-privatize/people.ledger
account plan --epsilon 1 --delta 1e-6 --poisson 0.1 --rounds %[2]d --ledger state/privpipe-privatize/people.ledger \
  --model lda --matrix topics=5xV -o etc/%[1]s.grant.json`, run, rounds))
}

// TestUnitsRestart: services are left alone after the very codes that no restart can heal, and a stop is no failure.
func TestUnitsRestart(t *testing.T) {
	common := unit(t, filepath.Join(systemd, "privpipe-.service.d/common.conf"))
	want := strings.Trim(fmt.Sprint(exit.Lasting), "[]")
	if got := values(common, "RestartPreventExitStatus"); !slices.Equal(got, []string{want}) {
		t.Errorf("RestartPreventExitStatus=%q, want %q", got, want)
	}
	if got := values(common, "SuccessExitStatus"); !slices.Equal(got, []string{fmt.Sprint(exit.Terminated)}) {
		t.Errorf("SuccessExitStatus=%q, want %d", got, exit.Terminated)
	}
	if !strings.Contains(read(t, filepath.Join(kafka, "README.md")), "`RestartPreventExitStatus="+want+"`") {
		t.Errorf("the runbook does not say RestartPreventExitStatus=%s", want)
	}
	for name, settings := range units(t) {
		restart := values(settings, "Restart")
		if name == "tokenize" || name == "budget" { // tokenize has nothing to resume; budget reports by its exit code
			if restart != nil {
				t.Errorf("%s: Restart=%s", name, restart)
			}
		} else if !slices.Equal(restart, []string{"on-failure"}) {
			t.Errorf("%s: Restart=%s", name, restart)
		}
		for _, key := range []string{"User", "MemoryMax"} {
			if len(values(settings, key)) != 1 {
				t.Errorf("%s: no %s=", name, key)
			}
		}
		user := values(settings, "User")[0]
		if !strings.Contains(read(t, filepath.Join(systemd, "privpipe.sysusers")), "\nu "+user+" ") {
			t.Errorf("%s: privpipe.sysusers has no user %s", name, user)
		}
	}
}

// TestUnitsVerify has systemd itself check the units, and weigh how much a service could harm.
func TestUnitsVerify(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("systemd-analyze is missing: Debian's systemd has it")
	}
	folder := t.TempDir()
	bash(t, folder, fmt.Sprintf(`
cp -r %q/. .
printf '#!/bin/sh\n' >privpipe; chmod +x privpipe
sed -i -e "s|^ExecStart=privpipe |ExecStart=$PWD/privpipe |" -e "s|^ExecStart=/etc/.*|ExecStart=$PWD/privpipe|" *.service
export SYSTEMD_UNIT_PATH=$PWD:
systemd-analyze verify --man=no *@.service *@.timer *@.target >said 2>&1 || { cat said; exit 1; }
[[ ! -s said ]] || { cat said; exit 1; }
for unit in *@.service; do systemd-analyze security --offline=true --threshold=20 "$unit" >said || { cat said; exit 1; }; done`, systemd))
	typo := exec.Command("bash", "-c", `sed -i s/ProtectClock/ProtectClocks/ privpipe-.service.d/common.conf
SYSTEMD_UNIT_PATH=$PWD: systemd-analyze verify --man=no privpipe-estep@.service`)
	typo.Dir = folder
	if out, _ := typo.CombinedOutput(); !strings.Contains(string(out), "ProtectClocks") {
		t.Errorf("systemd-analyze does not read common.conf: %s", out)
	}
}
