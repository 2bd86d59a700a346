package topics

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
)

// TestMalformedReports has messages among the authors' messages that are no reports of the grant. By default the server
// refuses the topic, and says the place and the broken rule. With --skip-malformed it takes the reports of the others,
// also of authors who reported again, or later.
func TestMalformedReports(t *testing.T) {
	broker.Each(t, func(t *testing.T, b *broker.Broker) {
		folder := t.TempDir()
		bash(t, folder, `
printf '%s\n' alpha beta gamma delta >vocab.txt
printf '%s\n' alpha beta gamma other >other.txt
account plan-words --mechanism randomized-response --flip 0.25 --max-words 4 --vocab vocab.txt -o rr.json
account plan-words --mechanism randomized-response --flip 0.25 --max-words 4 --vocab other.txt -o other.json
cat >author <<'END'
set -euo pipefail
author=$1 to=$2 vocabulary=${3:-vocab.txt} grant=${4:-rr.json}
[[ -e $author.ledger ]] || account ledger new $author.ledger
echo '{"id":"mine","text":"alpha beta"}' | tokenize text --vocab $vocabulary |
  privatize randomized-response --grant $grant --ledger $author.ledger --run reports --shared-topic -o $to
END
account ledger new file.ledger
tokenize text --vocab other.txt <<<'{"id":"mine","text":"alpha"}' |
  privatize randomized-response --grant other.json --ledger file.ledger --run other -o other.pp
tokenize text --vocab vocab.txt <<<'{"id":"mine","text":"alpha"}' |
  privatize randomized-response --grant rr.json --ledger file.ledger --run reports -o report.pp
tokenize text --public --vocab vocab.txt -o counts.pp <<<'{"id":"twice","text":"alpha alpha"}'
tokenize text --vocab vocab.txt -o private.pp <<<'{"id":"mine","text":"alpha"}'`)
		of := func(name string) []byte {
			b, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		report := of("report.pp")
		damaged := slices.Clone(report)
		damaged[30] ^= 1 // in its first frame
		for name, c := range map[string]struct {
			message []byte
			rule    string
		}{
			"text":      {[]byte("reports of others"), "not a Zstandard frame"},
			"empty":     {nil, "the message is empty, must hold a frame"},
			"truncated": {report[:len(report)-1], "input ends inside a frame: the stream is truncated"},
			"damaged":   {damaged, "damaged frame"},
			"oversized": {oversized(), "frame exceeds the wire's limit of 900000 compressed bytes"},
			"another grant's": {of("other.pp"),
				"documents over another vocabulary than that of the grant|frame has another header than"},
			"counts": {of("counts.pp"),
				`document "twice" counts a word more than once|documents made under other settings|frame has another header than`},
			"private": {of("private.pp"),
				"a private stream|documents made under other settings|frame has another header than"},
		} {
			for before := range 2 { // authors
				topic := b.Topic(t, "reports", 1, nil)
				to := fmt.Sprintf("kafka://%s/%s", b.Address, topic)
				if before > 0 {
					bash(t, folder, "bash author ann "+to)
				}
				offset := b.End(t, topic, 0)
				if err := publish(t, b.Address, topic, [][]byte{c.message},
					func(int) time.Time { return time.Now() }); err != nil {
					t.Fatal(err)
				}
				// One who reports again, and one who comes late.
				bash(t, folder, fmt.Sprintf("bash author bob %s; bash author bob %[1]s; bash author late %[1]s", to))
				// Of a private stream at the beginning the whole topic is refused.
				where := fmt.Sprintf(`%s\[0\]: (frame \d+ at offset %d(, record \d)?: )?(%s)`, topic, offset, c.rule)
				if name != "private" {
					where = strings.Replace(where, ": )?", ": )", 1)
				}

				reconstruct := "mstep reconstruct --grant rr.json -o rebuilt.pp %s '" + to + "?until=end'"
				code, said := ends(folder, fmt.Sprintf(reconstruct, ""))
				if refused := regexp.MustCompile(`^mstep: error: ` + where); code != 90 || !refused.MatchString(said) {
					t.Errorf("%s after %d: exit code %d, %q, want 90, %s", name, before, code, said, refused)
				}
				if _, err := os.Stat(filepath.Join(folder, "rebuilt.pp")); err == nil {
					t.Fatalf("%s: documents are left", name)
				}

				code, said = ends(folder, fmt.Sprintf(reconstruct, "--skip-malformed")+`
					show rebuilt.pp | grep -c '^{"document"'; rm rebuilt.pp`)
				skipped := regexp.MustCompile(fmt.Sprintf(`^(mstep: warning: left out: %s[^\n]*\n)+mstep: warning: kafka://\S+: left out \d malformed messages?\n%d\n$`,
					where, before+2))
				if code != 0 || !skipped.MatchString(said) {
					t.Errorf("%s after %d, skipped: exit code %d, %q, want 0, %s", name, before, code, said, skipped)
				}
			}
		}
		// Where a stream ends cannot be told of malformed messages.
		if code, said := ends(folder,
			"mstep reconstruct --grant rr.json -o no.pp --skip-malformed kafka://"+b.Address+"/reports"); code != 80 ||
			!strings.Contains(said, "needs until=end") {
			t.Errorf("without until=end: exit code %d, %q, want 80", code, said)
		}
	})
}

// oversized is a message of a Zstandard frame beyond the wire's limit: its blocks are raw, of 104,000 bytes each.
func oversized() []byte {
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x50}
	for last := range 9 {
		header := 104_000<<3 | last/8
		frame = append(append(frame, byte(header), byte(header>>8), byte(header>>16)), make([]byte, 104_000)...)
	}
	return append(frame, 0, 0, 0, 0)
}

// ends runs a script and returns its exit code, and what it printed and said.
func ends(folder, script string) (code int, said string) {
	command := exec.Command("bash", "-c", "set -euo pipefail\n"+script)
	command.Dir = folder
	out, _ := testkit.Output(scripted, command)
	return command.ProcessState.ExitCode(), string(out)
}
