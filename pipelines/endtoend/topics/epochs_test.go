package topics

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
)

// TestEpochs: random allocation over eight epochs, with documents, rounds, contributions and releases in topics. All
// stages are killed after the first epoch, and started again. The broker gets no release of a later epoch before. Then
// each document is in one round of each epoch, each round was charged once, and the ledger costs what the calculator
// says of the epochs.
func TestEpochs(t *testing.T) {
	broker.Each(t, func(t *testing.T, b *broker.Broker) {
		folder, releases := t.TempDir(), b.Topic(t, "releases", 1, nil)
		address := atRelease(t, b, releases, filepath.Join(folder, "ledger"), func(charges int) bool {
			_, err := os.Stat(filepath.Join(folder, "killed"))
			return charges <= 4 || err == nil
		})
		url := func(topic string) string { return "kafka://" + address + "/" + topic }
		command := exec.Command("bash", "-c", `
set -euo pipefail
documents=$1 rounds=$2 contributions=$3 releases=$4
comments "$(go env GOROOT)/src/net/http" >docs.jsonl
tokenize text -q -o docs.pp docs.jsonl
tokenize text -q -o "$documents" docs.jsonl
account ledger new ledger
account plan -q --noise-multiplier 4 --delta 1e-6 --allocate --rounds 3 --epochs 8 --ledger ledger --id r \
  --model words --matrix words=1xV -o grant
charges() { grep -c '"charge":{' ledger || true; }
set -m
chain() {
  sample -q --run r --allocate --rounds 3 --epochs 8 --secret coins --lead 2 --follow "$releases" -o "$rounds" "$documents?until=end" &
  estep words -q -o "$contributions" "$rounds" &
  privatize -q --grant grant --ledger ledger -o "$releases" "$contributions" &
}
chain
while kill -0 $! && (($(charges) < 4)); do sleep .01; done
kill -9 $(jobs -p)
wait || true
(($(charges) < 24)) || { echo "the run was at its end"; exit 1; }
touch killed
chain
for job in $(jobs -p); do wait $job; done
[[ $(charges) == 24 ]]
account verify --releases "$releases?until=end" ledger
units=$(show --private docs.pp | grep -c '^{"document"')
for part in 0 1; do show --private "$rounds?from=start&partition=$part"; done | grep '^{"document"' | sort -u >all # a kill leaves parts twice
[[ $(wc -l <all) == $((8 * units)) ]]
for last in {3..24..3}; do
  [[ $(grep "^{.document.:{.round.:\($((last - 2))\|$((last - 1))\|$last\)," all | grep -o '"id":"[^"]*"' | sort -u | wc -l) == "$units" ]]
done
of() { grep -o '"epsilon": *[0-9.]*' | grep -o '0[0-9.]*\|[1-9][0-9.]*' | head -n 1 | cut -c 1-7; }
ledger=$(account report --delta 1e-6 --json ledger | of)
calculator=$(account epsilon --noise-multiplier 4 --allocate --rounds 3 --epochs 8 --delta 1e-6 --json | of)
echo "ledger $ledger, calculator $calculator"
[[ $ledger == "$calculator" ]]`,
			"epochs", url(b.Topic(t, "documents.private", 1, nil)), url(b.Topic(t, "rounds.private", 2, nil)),
			url(b.Topic(t, "contributions.private", 2, nil)), url(releases))
		command.Dir = folder
		out, err := testkit.Output(scripted, command)
		if err != nil || !strings.Contains(string(out), "verified: 26 lines, 24 charges") {
			t.Errorf("%v\n%s", err, out)
		}
		t.Logf("%s", out)
	})
}
