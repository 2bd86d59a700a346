package topics

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/testkit/stages"
)

// TestPapers runs the systems of the papers, and gibbs.sh, over topics by the flags of lda.sh, each stage in its own
// process. The same command over pipes has the same charges. The gate runs the first.
func TestPapers(t *testing.T) { broker.Each(t, papers) }

func papers(t *testing.T, b *broker.Broker) {
	for i, c := range []struct{ recipe, row string }{
		{"zcdp-lda.sh --batch 200 --rounds 3 --epsilon 1",
			`3 +gaussian +\S+ \(claimed \S+\) +fixed\(200/\d+\) × 3 +yes`},
		{"ma-lda.sh --rate 0.2 --rounds 3 --clip batch",
			`3 +gaussian +0\.8768\d+ \(claimed 1\.24\) +poisson\(0\.2\) × 3 +yes`},
		{"vips-lda.sh --batch 200 --rounds 3 --composition strong",
			`3 +gaussian +\S+ \(claimed \S+\) +fixed\(200/\d+\) × 3 +yes`},
		{"../gibbs.sh --epsilon 2 --rounds 3", `3 +gaussian +\S+ +poisson\(0\.25\) × 3 +yes`},
		{"../collapsed-gibbs.sh --rounds 3 --sweeps 1", `3 +none +0 +all × 3 +no`},
		{"hdp-lda.sh --rounds 3", `3 +laplace +1, draws of ε 10 +all × 3 +no`},
		{"hdp-lda.sh --rounds 3 --printed", `3 +laplace +unbounded \(claimed 2\), draws of ε 10 +all × 3 +no`},
		{"cdp-lda.sh --rounds 3", `1 +laplace +0\.5 +all × 1 +no\n.* 3 +none +0 +all × 3 +no`},
		{"sub-lda.sh --rounds 3", `3 +gaussian +\S+ +poisson\(0\.5\) × 3 +yes`},
		{"sub-lda.sh --rounds 3 --level word", `3 +gaussian +1\.32288, draws of ε 10 +all × 3 +no`},
		{"sub-lda.sh --rounds 3 --level literal", `3 +none +0 +all × 3 +no`},
		{"sub-lda.sh --rounds 3 --level printed",
			`3 +gaussian +unbounded \(claimed 1\.87083\), draws of ε 10 +all × 3 +no`},
	} {
		t.Run(c.recipe, func(t *testing.T) {
			if i > 0 {
				testkit.Deep(t, "kafka")
			}
			recipe := filepath.Join(stages.Root, "pipelines/recipes/papers", c.recipe) + " --topics 3 docs.jsonl "
			command := exec.Command("bash", "-c", `
set -euo pipefail
comments "$(go env GOROOT)/src/net/http" >docs.jsonl
`+recipe+` pipes >pipes.txt
`+recipe+` --brokers `+b.Address+` --run `+b.Topic(t, "papers", 1, nil)+` topics
account verify topics/private/run.ledger
[[ $(grep -c '"charge":{' pipes/private/run.ledger) == $(grep -c '"charge":{' topics/private/run.ledger) ]]
for way in pipes topics; do grep -q "over the releases" $way/public/report.html; done`)
			command.Dir = t.TempDir()
			out, err := testkit.Output(scripted, command)
			if err != nil || !regexp.MustCompile(c.row).Match(out) {
				t.Errorf("%v: no %s in\n%s", err, c.row, out)
			}
		})
	}
}

// TestRows runs the recipes of regression, belief networks and clusters over topics, in the same way. The gate runs
// the first.
func TestRows(t *testing.T) { broker.Each(t, rows) }

func rows(t *testing.T, b *broker.Broker) {
	for i, c := range []struct{ recipe, row string }{
		{"../blr.sh --rounds 3", `3 +gaussian +\S+ +all × 3 +no`},
		{"../blr.sh --rounds 3 --rate 0.2 --sigma none", `3 +none +0 +poisson\(0\.2\) × 3 +no`},
		{"vips-blr.sh --batch 200 --rounds 3", `3 +gaussian +0\.8943\d* \(claimed 1\) +fixed\(200/4000\) × 3 +yes`},
		{"dpvi.sh --rounds 3 --rate 0.2", `3 +gaussian +\S+ +poisson\(0\.2\) × 3 +yes`},
		{"../sbn.sh --hidden 3 --rounds 3", `3 +gaussian +\S+ +poisson\(0\.0533\) × 3 +yes`},
		{"vips-sbn.sh --hidden 3 --batch 200 --rounds 3", `3 +gaussian +1 +fixed\(200/2000\) × 3 +yes`},
		{"../clusters.sh --clusters 3 --rounds 3", `3 +gaussian +\S+ +all × 3 +no`},
	} {
		t.Run(c.recipe, func(t *testing.T) {
			if i > 0 {
				testkit.Deep(t, "kafka")
			}
			papers := filepath.Join(stages.Root, "pipelines/recipes/papers")
			recipe := filepath.Join(papers, c.recipe)
			switch {
			case strings.Contains(c.recipe, "sbn"):
				recipe += " --image 6x6 --held data/held.idx data/train.idx "
			case strings.Contains(c.recipe, "clusters"):
				recipe += " --dimension 2 vectors.jsonl "
			default:
				recipe += " --schema data/schema.json --held data/held.csv data/train.csv "
			}
			command := exec.Command("bash", "-c", `
set -euo pipefail
`+papers+`/made.sh data
awk -F, '{ printf "{\"vector\":[%s,%s]}\n", $1 - 0.5, $2 - 0.5 }' data/train.csv >vectors.jsonl
`+recipe+` pipes >pipes.txt
`+recipe+` --brokers `+b.Address+` --run `+b.Topic(t, "rows", 1, nil)+` topics
account verify topics/private/run.ledger
want=3
[[ ! -e pipes/public/size-grant.json ]] || want=4 # the size of the rows is a charge before all rounds
[[ $(grep -c '"charge":{' pipes/private/run.ledger) == $want ]]
[[ $(grep -c '"charge":{' topics/private/run.ledger) == $want ]]`)
			command.Dir = t.TempDir()
			out, err := testkit.Output(scripted, command)
			if err != nil || !regexp.MustCompile(c.row).Match(out) {
				t.Errorf("%v: no %s in\n%s", err, c.row, out)
			}
		})
	}
}

// TestKilledSampler kills one process of estep in the middle of one recipe over topics. Each process of estep keeps the
// topics of its partition. The recipe fails. The same command ends the run with the model that the same key gives over
// pipes.
func TestKilledSampler(t *testing.T) {
	testkit.Deep(t, "kafka")
	b := broker.Real(t)
	for recipe, victim := range map[string]string{
		"hdp-lda.sh --epsilon-laplace none": "partition=2", "../collapsed-gibbs.sh --sweeps 1": "partition=0",
	} {
		t.Run(recipe, func(t *testing.T) {
			t.Parallel()
			name := b.Topic(t, "killed", 1, nil)
			command := exec.Command("bash", "-c", `
set -euo pipefail
comments "$(go env GOROOT)/src/net/http" >docs.jsonl
mkdir -p {pipes,topics}/private
(umask 077; head -c 32 /dev/urandom >pipes/private/gibbs.key; cp pipes/private/gibbs.key topics/private)
recipe="`+filepath.Join(stages.Root, "pipelines/recipes/papers", recipe)+` --topics 3 --rounds 8 --run `+name+`"
$recipe docs.jsonl pipes
charges() { cat topics/private/run.ledger 2>/dev/null | grep -c '"charge":{' || true; }
set -m
$recipe --brokers `+b.Address+` docs.jsonl topics &
while kill -0 $! && (($(charges) < 3)); do sleep .01; done
kill -9 $(pgrep -g $! -f '^networked estep .*`+victim+`')
if wait $!; then echo "the recipe ended well"; exit 1; fi
(($(charges) < 8)) || { echo "the run was at its end"; exit 1; }
$recipe --brokers `+b.Address+` docs.jsonl topics
account verify topics/private/run.ledger
[[ $(charges) == 8 ]]
cmp pipes/public/model.pp topics/public/model.pp`)
			command.Dir = t.TempDir()
			if out, err := testkit.Output(scripted, command); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
