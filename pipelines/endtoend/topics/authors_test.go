package topics

import (
	"fmt"
	"os/exec"
	"testing"
	"time"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
)

// TestAuthors has many authors, each with a ledger and processes of her own, who report a document each to one topic,
// from which the server rebuilds as many. Some report again, which repeats the report, or on another day, when the
// server has begun. Part kafka has a thousand of them.
func TestAuthors(t *testing.T) {
	authors := testkit.Repeats(t, "kafka", 10, 1000)
	broker.Each(t, func(t *testing.T, b *broker.Broker) {
		topic := b.Topic(t, "reports", 1, nil)
		command := exec.Command("bash", "-c", fmt.Sprintf(`
set -euo pipefail
printf '%%s\n' alpha beta gamma delta >vocab.txt
account plan-words --mechanism randomized-response --flip 0.25 --max-words 4 --vocab vocab.txt -o rr.json
reports=kafka://%[1]s/%[2]s

# author N begins her ledger and reports. Half of all have alpha and beta, the others gamma.
author() {
  mkdir -p "$1"
  text='alpha beta'
  (($1 %% 2)) || text=gamma
  [[ -e $1/run.ledger ]] || account ledger new "$1/run.ledger"
  echo "{\"id\":\"mine\",\"text\":\"$text\"}" | tokenize text --vocab vocab.txt |
    privatize randomized-response --grant rr.json --ledger "$1/run.ledger" --run reports --shared-topic -o "$reports"
}
export -f author
export reports
seq %[3]d | xargs -P 4 -I{} bash -euo pipefail -c 'author {}'
mstep reconstruct --grant rr.json -o first.pp "$reports?until=end"
show first.pp | grep -c '^{"document"' >first.txt
seq 5 | xargs -P 4 -I{} bash -euo pipefail -c 'author {}' # again
author $((%[3]d + 1))                                      # late
mstep reconstruct --grant rr.json -o second.pp "$reports?until=end"
show second.pp | grep -c '^{"document"' >second.txt
[[ $(cat */run.ledger | grep -c '"charge":{') == $((%[3]d + 1)) ]]
echo "$(<first.txt) $(<second.txt)"`, b.Address, topic, authors))
		command.Dir = t.TempDir()
		out, err := testkit.Output(scripted*time.Duration(1+authors/100), command)
		if want := fmt.Sprintf("%d %d\n", authors, authors+1); err != nil || string(out) != want {
			t.Errorf("%v: %q, want %q", err, out, want)
		}
	})
}
