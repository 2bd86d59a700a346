package topics

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/testkit/stages"
)

// TestPapers runs the systems of the papers, and gibbs.sh, over topics by the flags of lda.sh: each stage in its own process, and the
// charges are those of the same command over pipes.
func TestPapers(t *testing.T) {
	b := broker.Real(t)
	for _, c := range []struct{ recipe, row string }{
		{"zcdp-lda.sh --batch 200 --rounds 3 --epsilon 1", `3 +gaussian +\S+ \(claimed \S+\) +fixed\(200/\d+\) × 3 +yes`},
		{"ma-lda.sh --rate 0.2 --rounds 3 --clip batch", `3 +gaussian +0\.8768\d+ \(claimed 1\.24\) +poisson\(0\.2\) × 3 +yes`},
		{"vips-lda.sh --batch 200 --rounds 3 --composition strong", `3 +gaussian +\S+ \(claimed \S+\) +fixed\(200/\d+\) × 3 +yes`},
		{"../gibbs.sh --epsilon 2 --rounds 3", `3 +gaussian +\S+ +poisson\(0\.1\) × 3 +yes`},
	} {
		name, _, _ := strings.Cut(c.recipe, " ")
		t.Run(name, func(t *testing.T) {
			recipe := filepath.Join(stages.Root, "pipelines/recipes/papers", c.recipe) + " --topics 3 docs.jsonl "
			command := exec.Command("bash", "-c", `
set -euo pipefail
comments "$(go env GOROOT)/src/net/http" >docs.jsonl
`+recipe+` pipes >pipes.txt
`+recipe+` --brokers `+b.Address+` --run `+b.Topic(t, "papers", 1, nil)+` topics
account verify topics/run.ledger
for way in pipes topics; do grep -q "over the releases" $way/report.html; done`)
			command.Dir = t.TempDir()
			out, err := command.CombinedOutput()
			if err != nil || !regexp.MustCompile(c.row).Match(out) {
				t.Errorf("%v: no %s in\n%s", err, c.row, out)
			}
		})
	}
}
