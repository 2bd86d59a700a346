package endtoend

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// TestDisjointDatasets releases from two data sets that share no unit, by plans for the whole budget that do not know
// of each other: together they cost what one costs. Nothing of one data set is released by the other's grant, nor by
// its coins.
func TestDisjointDatasets(t *testing.T) {
	folder := corpus(t)
	run(t, folder, `
head -n 20 docs.jsonl >north.jsonl
tail -n 20 docs.jsonl >south.jsonl
account ledger new --epsilon 1 --delta 1e-6 --disjoint-datasets run.ledger
for d in north south; do
  account plan --dataset $d --allocate --rounds 2 --ledger run.ledger --model words --matrix words=1xV --vocab vocab.txt -o $d.json
  tokenize text --vocab vocab.txt $d.jsonl | sample --allocate --rounds 2 | estep words >$d.pp
  tokenize text --vocab vocab.txt $d.jsonl | sample --allocate --rounds 2 --secret key | estep words >$d-key.pp
done`)
	refused := func(script, message string) {
		t.Helper()
		before := read(t, filepath.Join(folder, "run.ledger"))
		s := bash(folder, script)
		s.Run()
		if code := s.ProcessState.ExitCode(); code != 83 || !strings.Contains(s.stderr.String(), message) {
			t.Errorf("%s: exit code %d, %s; want 83 and %q", script, code, s.stderr.String(), message)
		}
		if read(t, filepath.Join(folder, "run.ledger")) != before {
			t.Errorf("%s: something was charged", script)
		}
	}
	refused(`privatize --grant north.json --ledger run.ledger -o no.pp north-key.pp`,
		`the grant is for data set "north", the release is from "default"`)
	refused(`privatize --grant north.json --dataset south --ledger run.ledger -o no.pp south.pp`,
		`the grant is for data set "north", the release is from "south"`)
	run(t, folder, `privatize --grant north.json --dataset north --ledger run.ledger -o out-north.pp north-key.pp`)
	refused(`privatize --grant south.json --dataset south --ledger run.ledger -o no.pp south-key.pp`,
		`another run, data set or mechanism released rounds of this allocation: sample again with new coins`)
	// Neither plan knows of the other. What was released is sent again, byte for byte.
	run(t, folder, `
privatize --grant south.json --dataset south --ledger run.ledger -o out-south.pp south.pp
privatize --grant north.json --dataset north --ledger run.ledger -o again.pp north-key.pp
cmp again.pp out-north.pp
account verify run.ledger`)
	refused(`privatize --grant north.json --dataset south --ledger run.ledger -o no.pp north-key.pp`,
		"under other settings")

	var report struct {
		Epsilon  float64
		Disjoint bool `json:"disjoint_datasets"`
		Datasets []struct {
			Dataset string
			Epsilon float64
		}
	}
	if err := json.Unmarshal([]byte(run(t, folder, "account report --json run.ledger")), &report); err != nil {
		t.Fatal(err)
	}
	within := func(epsilon float64) bool { return epsilon > 0.999 && epsilon <= 1 }
	if !report.Disjoint || !within(report.Epsilon) || len(report.Datasets) != 2 ||
		report.Datasets[0].Dataset != "north" ||
		!within(report.Datasets[0].Epsilon) || !within(report.Datasets[1].Epsilon) {
		t.Errorf("report %+v, want ε 1 of each of two data sets and of both", report)
	}

	// Where data sets may share units, the second plan is refused.
	run(t, folder, `
account ledger new --epsilon 1 --delta 1e-6 shared.ledger
for d in north south; do
  account plan --allocate --rounds 2 --ledger shared.ledger --model words --matrix words=1xV --vocab vocab.txt -o $d.json
done
privatize --grant north.json --dataset north --ledger shared.ledger -o out-north.pp north.pp`)
	refused(`privatize --grant south.json --dataset south --ledger shared.ledger -o no.pp south.pp`, "planned without")
}
