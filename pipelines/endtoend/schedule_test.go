package endtoend

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit"
)

const schedule = "pipelines/recipes/schedule/"

// TestLastingCodes: what schedulers do not retry is what package exit says.
func TestLastingCodes(t *testing.T) {
	want := slices.Sorted(slices.Values(exit.Lasting))
	for name, list := range map[string]string{"airflow.py": `LASTING = \{(.*?)\}`, "dagster.py": `LASTING = \{(.*?)\}`,
		"cronjob.yaml": `values: \[(.*?)\]`} {
		var codes []int
		for _, code := range strings.Split(regexp.MustCompile(list).FindStringSubmatch(read(t, schedule+name))[1],
			", ") {
			n, err := strconv.Atoi(code)
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, n)
		}
		if slices.Sort(codes); !slices.Equal(codes, want) {
			t.Errorf("%s does not retry %v, lasting are %v", name, codes, want)
		}
	}
}

// jobs makes a folder with a text, and with privpipe, aws and a bucket in its folder bin.
func jobs(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	weeks(t, filepath.Join(folder, "tickets.jsonl"), steady(0), steady(5))
	run(t, folder, fmt.Sprintf(`mkdir bin tickets
printf '#!/bin/sh\nname=$1; shift; exec %q/pipelines/recipes/$name.sh "$@"\n' >bin/privpipe
printf '#!/bin/bash\nset -e\nfrom=%%s/${4#s3://}; to=$5; [ "$to" = - ] && to=/dev/stdout\nif [ -e broken ]; then head -c 3000 "$from" >"$to"; exit 1; fi\ncat "$from" >"$to"\n' "$PWD" >bin/aws
chmod +x bin/*
{ echo id,text,created; sed -E 's/.*"id":"([^"]*)".*"text":"([^"]*)","made":"([^"]*)".*/\1,\2,\3/' tickets.jsonl; } >tickets.csv
sed -E 's/"user":"[^"]*",//' tickets.jsonl >tickets/tickets.jsonl; rm tickets.jsonl; gzip -k tickets/tickets.jsonl`, root))
	return folder
}

// TestSchedules runs what the page shows: the line of cron in cron's environment, the jobs of Airflow and Dagster with
// a lasting and a passing failure, DuckDB on what they leave, and copies from S3 by a stand-in that breaks off.
func TestSchedules(t *testing.T) {
	testkit.Deep(t, "operations")
	t.Parallel()
	folder, page := jobs(t), read(t, schedule+"README.md")
	line := regexp.MustCompile(`(?m)^0 6 \* \* 2 +cd /srv/privpipe && (.*)$`).FindStringSubmatch(page)[1]
	command := strings.Replace(line, "--from 2026-03-02", "--from 2025-01-06 --for 4 --now 2025-01-22", 1)
	cron := func(script string) string {
		return fmt.Sprintf("cd %q; exec env -i HOME=/nonexistent PRIVPIPE_BIN=\"$PRIVPIPE_BIN\" "+
			"PATH=\"$PWD/bin:/usr/bin:/bin\" sh -c %q",
			folder, script)
	}
	run(t, folder, cron(command))
	charges := func() string { return run(t, folder, "grep -c '\"type\":\"charge\"' out/weekly/private/run.ledger") }
	once := charges()
	run(t, folder, cron(command))
	if charges() != once {
		t.Error("the line of cron charged something twice")
	}

	interpreter := pythonWith(t, folder, "dagster", "duckdb", "apache-airflow")
	sql := regexp.MustCompile("(?s)```sql\n(.*?)```").FindStringSubmatch(page)[1]
	write(t, folder, "query.py", fmt.Sprintf("import duckdb\nfor query in %q.split(';'):\n"+
		"    if query.strip(): print(duckdb.sql(query).fetchall())\n", sql))
	if got := run(t, folder, fmt.Sprintf("%q query.py", interpreter)); strings.Count(got, "\n") != 3 ||
		!strings.Contains(got, "'gaussian', ") {
		t.Errorf("DuckDB printed %s", got)
	}

	// A stand-in for the recipe ends with the codes of a file, one after the other.
	run(t, folder, `mv bin/privpipe bin/recipe
printf '#!/bin/bash\necho "$*" >>calls; echo secret >&2; code=$(head -n 1 codes); sed -i 1d codes; echo moved; exit $code\n' >bin/privpipe
chmod +x bin/privpipe`)
	dagster := fmt.Sprintf("cp %q/%sdagster.py job.py; PRIVPIPE_DELAY=0.1 PRIVPIPE_JOBS=$PWD PATH=$PWD/bin:$PATH "+
		"DAGSTER_HOME= %q -c 'import job; r = job.privpipe_weekly.execute_in_process(raise_on_error=False); "+
		"print(r.success)' "+
		"2>log", root, schedule, interpreter)
	airflow := fmt.Sprintf(`export AIRFLOW_HOME=$PWD/airflow AIRFLOW__CORE__LOAD_EXAMPLES=False PRIVPIPE_JOBS=$PWD \
  AIRFLOW__CORE__DAGS_FOLDER=$PWD/dags PATH=$PWD/bin:$PATH
if [ ! -e dags ]; then
  mkdir dags
  cp %q/%sairflow.py dags/weekly_dag.py
  { %[3]q -m airflow db migrate && %[3]q -m airflow dags reserialize; } >log 2>&1
fi
if %[3]q -m airflow dags test privpipe_weekly >log 2>&1; then echo True; else echo False; fi`,
		root, schedule, interpreter)
	for name, script := range map[string]string{"Dagster": dagster, "Airflow": airflow} {
		for codes, want := range map[string]string{"0": "True 1", "101 0": "True 2", "83 0": "False 1"} {
			if name == "Airflow" && codes == "101 0" {
				continue // dags test does not wait for a retry
			}
			got := run(t, folder, "rm -f calls; printf '%s\\n' "+codes+" >codes\n("+script+") | tail -n 1; wc -l "+
				"<calls")
			if got = strings.Join(strings.Fields(got), " "); got != want {
				t.Errorf("%s, exit codes %s: %s, want %s; %s", name, codes, got, want, readFile(t,
					filepath.Join(folder, "log")))
			}
			if strings.Contains(string(readFile(t, filepath.Join(folder, "log"))), "secret") {
				t.Errorf("the log of %s has what the recipe said inside", name)
			}
		}
	}
	run(t, folder, "mv bin/recipe bin/privpipe")

	// The budget is of three rounds and needs no advice: the text is small.
	s3 := strings.ReplaceAll(block.FindStringSubmatch(page)[1], "--topics 10", "--topics 2 --rounds 3 --force")
	s3 = "set -o pipefail; PATH=$PWD/bin:$PATH\n" + s3
	ends(t, folder, "touch broken\n"+s3, 1, "")
	run(t, folder, "[ ! -e tickets.jsonl ] && [ ! -e out/tickets ]")
	cut := strings.Split(strings.TrimSpace(s3), "\n")
	ends(t, folder, "PATH=$PWD/bin:$PATH\n"+cut[len(cut)-1], 90, "unexpected EOF")
	run(t, folder, "! grep -s '\"type\":\"charge\"' out/compressed/private/run.ledger; rm broken\n"+s3)
	run(t, folder, "cmp <(tail -n +2 out/tickets/public/topics.txt | wc -l) <(tail -n +2 "+
		"out/compressed/public/topics.txt | wc -l)")
}

// pythonWith makes a virtual environment with packages, or skips the test.
func pythonWith(t *testing.T, folder string, packages ...string) string {
	t.Helper()
	s := bash(folder, "python3 -m venv venv && venv/bin/pip install -q --disable-pip-version-check "+
		""+strings.Join(packages, " "))
	if err := s.Run(); err != nil {
		t.Skipf("pip cannot install %s: %v, %s", packages, err, s.stderr.String())
	}
	return filepath.Join(folder, "venv/bin/python")
}
