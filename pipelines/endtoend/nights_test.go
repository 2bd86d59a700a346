package endtoend

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
)

// nightScript is the script of ACCOUNTING.md's section "Every night".
func nightScript(t *testing.T) string {
	t.Helper()
	_, section, found := strings.Cut(read(t, filepath.Join(root, "account/ACCOUNTING.md")), "## Every night\n")
	_, script, begins := strings.Cut(section, "```sh\n")
	script, _, ends := strings.Cut(script, "```\n")
	if !found || !begins || !ends || !strings.Contains(script, "--more 0.1 ") {
		t.Fatalf("ACCOUNTING.md has no script for every night: %s", script)
	}
	return script
}

// TestEveryNight runs the script of ACCOUNTING.md night after night on one ledger. Each night takes 0.1 more, until the
// ledger's budget is spent: from then on the script ends with exit code 83, and charges nothing. A night may fail half
// way: what it released counts, and the next one plans again.
func TestEveryNight(t *testing.T) {
	testkit.Deep(t, "documents")
	t.Parallel()
	for _, test := range []struct {
		name   string
		broken int // this night's stream is cut; 0: none
		nights int // that release something
	}{
		{"one fails", 3, 6},
		{"whole", 0, 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := corpus(t)
			write(t, folder, "night.sh",
				strings.Replace(nightScript(t), "--min-documents 1000", "--min-documents 10", 1))
			run(t, folder, `
account ledger new --epsilon 0.5 --delta 1e-6 run.ledger
mv docs.jsonl documents.jsonl
mkdir broken
printf '#!/bin/sh\n"$PRIVPIPE_BIN/estep" "$@" >whole.pp && head -c $(($(wc -c <whole.pp) / 2)) whole.pp\n' >broken/estep
printf '#!/bin/sh\ncat tonight\n' >broken/date
cp broken/date .
chmod +x broken/* date night.sh`)
			before := 0.0
			for night := 1; night <= test.nights; night++ {
				write(t, folder, "tonight", fmt.Sprint(night))
				s := bash(folder, `PATH="$PWD:$PATH" ./night.sh`)
				if night == test.broken {
					s = bash(folder, `PATH="$PWD/broken:$PATH" ./night.sh`)
				}
				s.Run()
				code := s.ProcessState.ExitCode()
				spent, releases := spentOf(t, folder)
				most := min(0.1*float64(night), 0.5)
				switch added := spent - before; {
				case night == test.broken && (code != 90 || !(added > 0.01 && added < 0.09) || releases%20 == 0):
					t.Fatalf("night %d, cut: exit code %d, ε %v is added, %d releases: %s", night, code, added,
						releases, s.stderr.String())
				case night == test.broken:
				case code != 0 || spent > most:
					t.Fatalf("night %d: exit code %d, ε %v: %s", night, code, spent, s.stderr.String())
				case night < test.nights && !(added > 0.0999 && added < 0.1001):
					t.Errorf("night %d adds ε %v", night, added)
				case night == test.nights && spent < 0.4999:
					t.Errorf("the last night leaves %v", 0.5-spent)
				}
				before = spent
				// The same night again: it has its release. Another night without documents: nothing is spent on them.
				run(t, folder, `[[ ! -e nights/$(cat tonight).pp ]] || PATH="$PWD:$PATH" ./night.sh`)
				write(t, folder, "tonight", "empty")
				empty := bash(folder, `mv documents.jsonl kept; : >documents.jsonl; PATH="$PWD:$PATH" ./night.sh || code=$?; mv kept documents.jsonl; exit ${code:-0}`)
				if empty.Run(); empty.ProcessState.ExitCode() != 90 {
					t.Errorf("no documents: exit code %d, %s; want 90", empty.ProcessState.ExitCode(),
						empty.stderr.String())
				}
				if again, _ := spentOf(t, folder); again != spent {
					t.Fatalf("ε is %v after the same night, and one without documents, and was %v", again, spent)
				}
			}
			write(t, folder, "tonight", "over")
			ledger := read(t, filepath.Join(folder, "run.ledger"))
			for range 2 {
				s := bash(folder, `PATH="$PWD:$PATH" ./night.sh`)
				s.Run()
				if code := s.ProcessState.ExitCode(); code != 83 ||
					!strings.Contains(s.stderr.String(), "has spent ε 0.5 of 0.5 at δ 1e-06: 0.0000 is left") {
					t.Errorf("nothing is left: exit code %d, %s; want 83", code, s.stderr.String())
				}
			}
			if read(t, filepath.Join(folder, "run.ledger")) != ledger {
				t.Error("a night for which nothing was left changed the ledger")
			}
			run(t, folder, "account verify run.ledger; account report run.ledger")
		})
	}
}

// TestRestoredNights: a ledger and its stored releases that are restored from before the third night agree with each
// other. The release of that night, which lies beside them, stops the fourth before it plans.
func TestRestoredNights(t *testing.T) {
	t.Parallel()
	folder := corpus(t)
	small := strings.NewReplacer("--rounds 20", "--rounds 2")
	write(t, folder, "night.sh", small.Replace(nightScript(t)))
	run(t, folder, `
account ledger new --epsilon 0.5 --delta 1e-6 run.ledger
mv docs.jsonl documents.jsonl
printf '#!/bin/sh\ncat tonight\n' >date
chmod +x date night.sh`)
	night := func(name string, want int) {
		t.Helper()
		write(t, folder, "tonight", name)
		s := bash(folder, `PATH="$PWD:$PATH" ./night.sh`)
		s.Run()
		if code := s.ProcessState.ExitCode(); code != want {
			t.Fatalf("night %s: exit code %d, %s; want %d", name, code, s.stderr.String(), want)
		} else if lost := "nights/3.pp: round 1 of run"; code != 0 && !strings.Contains(s.stderr.String(), lost) {
			t.Errorf("night %s: %s; want %q", name, s.stderr.String(), lost)
		}
	}
	night("1", 0)
	night("2", 0)
	run(t, folder, "mkdir backup newest; cp -rp run.ledger run.ledger.releases backup")
	night("3", 0)
	run(t, folder, "cp -rp run.ledger run.ledger.releases newest; rm -r run.ledger*; cp -rp backup/. .")
	before := read(t, filepath.Join(folder, "run.ledger"))
	night("4", 90)
	if read(t, filepath.Join(folder, "run.ledger")) != before {
		t.Error("the stopped night changed the ledger")
	}
	run(t, folder, "rm -r run.ledger*; cp -rp newest/. .")
	night("4", 0)
	if spent, releases := spentOf(t, folder); releases != 8 || spent > 0.4 || spent < 0.3999 {
		t.Errorf("after four nights: ε %v, %d releases", spent, releases)
	}
}

// spentOf returns what odometer says of run.ledger at the end, 0 where it has no release.
func spentOf(t *testing.T, folder string) (epsilon float64, releases int) {
	t.Helper()
	var odometer struct {
		Runs []struct {
			Epsilon  float64
			Releases int
		}
	}
	if err := json.Unmarshal([]byte(run(t, folder, "account odometer --json run.ledger")), &odometer); err != nil {
		t.Fatal(err)
	}
	for _, r := range odometer.Runs {
		epsilon, releases = r.Epsilon, releases+r.Releases
	}
	return epsilon, releases
}
