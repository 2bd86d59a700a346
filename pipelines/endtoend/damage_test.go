package endtoend

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
)

// secret stands in every private text and id of these tests. No message may have it.
const secret = "MARKERWORD"

// corpus makes vocab.txt, docs.pp and, in streams, what each stage reads: docs.pp, rounds.pp, contributions.pp,
// releases.pp and model.pp.
func corpus(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	var lines, words strings.Builder
	for i := range 40 {
		fmt.Fprintf(&lines, `{"id":"%s-%d","text":"w%c w%c w%c wa %s"}`+"\n", secret, i*i, 'a'+i%7, 'a'+i%11, 'a'+i%13,
			secret)
	}
	for i := range 13 {
		fmt.Fprintf(&words, "w%c\n", 'a'+i)
	}
	write(t, folder, "docs.jsonl", lines.String())
	write(t, folder, "vocab.txt", words.String())
	run(t, folder, `
tokenize text --vocab vocab.txt -o docs.pp docs.jsonl
account plan --noise-multiplier 1 --poisson 0.5 --rounds 2 --model lda --matrix topics=3xV --vocab vocab.txt -o grant.json
account ledger new ledger
mkfifo params
sample --poisson 0.5 --rounds 2 docs.pp | tee rounds.pp | estep lda --params params | tee contributions.pp |
  privatize --grant grant.json --ledger ledger | tee releases.pp |
  mstep lda --topics 3 --vocab vocab.txt --params-out params -o model.pp
rm -r params ledger*
account ledger new out2`)
	return folder
}

// TestBadInput gives wrong inputs to the stages as a shell would. Each case has the documented exit code and leaves no
// output. The message names the fault and nothing private.
func TestBadInput(t *testing.T) {
	folder := corpus(t)
	for _, test := range []struct {
		name, script string
		code         int
		message      string // a regular expression
	}{
		{"empty text", `: | tokenize text --vocab vocab.txt -o out`, 90, `standard input: empty, must have a document`},
		{"no text for a budget", `false | tokenize text --vocab vocab.txt | sample --poisson 0.5 | estep words |
			privatize none --ledger out2 -o out; codes="${PIPESTATUS[*]}"; ! grep charge out2 &&
			[[ $codes == "1 90 90 90 90" ]] && exit 90`, 90, `standard input: empty, must have a document`},
		{"empty stream", `: | sample --all -o out`, 90, `empty`},
		{"empty stream of rounds", `: | estep lda --params docs.pp -o out`, 90, `empty`},
		{"empty stream of contributions", `: | privatize none --ledger out2 -o out`, 90, `empty`},
		{"no ledger", `privatize --grant grant.json --ledger nowhere -o out contributions.pp`, 82,
			`account ledger new`},
		{"empty stream of releases", `: | mstep lda --topics 2 --vocab vocab.txt -o out`, 90, `empty`},
		{"no stream", `seq 100 | sample --all -o out`, 90, `frame 0 at byte 0: `},
		{"wrong kind", `sample --all -o out releases.pp`, 90, `a stream of RELEASES, must be of DOCUMENTS`},
		{"private contributions for mstep", `mstep lda --topics 2 --vocab vocab.txt -o out contributions.pp`, 90,
			`must be of RELEASES`},
		{"wrong vocabulary", `seq -f x%g 13 >v; mstep lda --topics 3 --vocab v -o out releases.pp`, 90, `vocabular`},
		{"another size of vocabulary", `seq -f x%g 99 >v; mstep lda --topics 3 --vocab v -o out releases.pp`, 90,
			`vocabular`},
		{"other numbers of topics", `mstep lda --topics 4 --vocab vocab.txt -o out releases.pp`, 90, `topics|matri`},
		{"documents of another vocabulary",
			`seq -f x%g 13 >v; tokenize text --vocab v docs.jsonl | estep lda --score --model model.pp -o out`, 90,
			`vocabular`},
		{"invalid UTF-8", `printf '{"id":"a","text":"MARKERWORD \xff"}\n' | tokenize text --vocab vocab.txt -o out`, 90,
			`line 1: .*UTF-8`},
		{"no JSON", `printf '{"id":"a","text":"wa"}\nMARKERWORD\n' | tokenize text --vocab vocab.txt -o out`, 90,
			`line 2: `},
		{"empty id", `printf '{"id":"","text":"MARKERWORD"}\n' | tokenize text --vocab vocab.txt -o out`, 90,
			`line 1: .*id`},
		{"CRLF", `sed 's/$/\r/' docs.jsonl | tokenize text --vocab vocab.txt | cmp - <(tokenize text --vocab vocab.txt docs.jsonl)`, 0, `^$`},
		{"an id twice", `cat docs.jsonl docs.jsonl | tokenize text --vocab vocab.txt | sample --all -o out`, 90,
			`twice`},
		{"a document of a billion words", `(printf '{"id":"a","text":"'; yes MARKERWORD | head -c 100000000 | tr '\n' ' '; echo '"}') | tokenize text --vocab vocab.txt -o out`, 90, `line 1: .*larger than`},
		{"a full disk", `tokenize text --vocab vocab.txt docs.jsonl >/dev/full`, 101, `no space left`},
		{"a full disk for the model",
			`cat releases.pp | mstep lda --topics 3 --vocab vocab.txt --checkpoint none >/dev/full`, 101,
			`no space left`},
		{"a closed pipe", `{ yes '{"id":"a","text":"wa"}' | head -n 1000000 | tokenize text --vocab vocab.txt; } | true`, 141, ``},
		{"no grant", `privatize --grant nowhere --ledger out contributions.pp`, 82, `nowhere`},
		{"no flag", `privatize contributions.pp -o out`, 80, `--grant`},
		{"no file", `sample --all nowhere.pp`, 82, `nowhere.pp`},
		{"another rate than granted", `account plan --noise-multiplier 1 --poisson 0.25 --rounds 2 --model lda --matrix topics=3xV --vocab vocab.txt -o g; privatize --grant g --ledger out2 -o out contributions.pp`, 83, `poisson`},
		{"parts of a run missing", `sample --all docs.pp | head -c 200 | estep words -o out`, 90, `truncated|ends`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := bash(folder, test.script)
			s.Run()
			message := s.stderr.String()
			if code := s.ProcessState.ExitCode(); code != test.code {
				t.Errorf("exit code %d, want %d: %s", code, test.code, message)
			}
			if !regexp.MustCompile(test.message).MatchString(message) {
				t.Errorf("the message %q does not match %q", message, test.message)
			}
			if strings.Contains(message, secret) {
				t.Errorf("the message has private text: %q", message)
			}
			if _, err := os.Stat(filepath.Join(folder, "out")); test.code != 0 && err == nil {
				t.Error("it left an output")
			}
			os.Remove(filepath.Join(folder, "out"))
		})
	}
}

// TestTruncated cuts the input of each stage at all frame boundaries and at some other bytes, in the gate at few: exit
// code 90, no output, no release and no charge for the last round.
func TestTruncated(t *testing.T) {
	number := testkit.Repeats(t, "kills", 4, 20)
	folder := corpus(t)
	for input, stage := range map[string]string{
		"docs.pp":          `sample --all -o out`,
		"rounds.pp":        `estep words -o out`,
		"contributions.pp": `privatize --grant grant.json --ledger ledger -o out`,
		"releases.pp":      `mstep lda --topics 3 --vocab vocab.txt -o out`,
		"model.pp":         `evaluate topics -o out -`,
	} {
		t.Run(input, func(t *testing.T) {
			whole, err := os.ReadFile(filepath.Join(folder, input))
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range cuts(whole, number) {
				write(t, folder, "cut.pp", string(whole[:n]))
				s := bash(folder, `rm -rf ledger*; account ledger new ledger; `+stage+` <cut.pp`)
				s.Run()
				if code := s.ProcessState.ExitCode(); code != 90 {
					t.Errorf("cut at byte %d of %d: exit code %d: %s", n, len(whole), code, s.stderr.String())
				}
				if _, err := os.Stat(filepath.Join(folder, "out")); err == nil {
					t.Fatalf("cut at byte %d of %d: it left an output", n, len(whole))
				}
			}
		})
	}
}

// cuts returns the ends of a stream's frames but the last, and about number positions between the ends.
func cuts(content []byte, number int) []int {
	var at []int
	for n := 1; n < len(content); n += max(1, len(content)/number) {
		at = append(at, n)
	}
	const magic = "\x28\xb5\x2f\xfd"
	for n := 1; n < len(content); n++ {
		if strings.HasPrefix(string(content[n:min(n+4, len(content))]), magic) {
			at = append(at, n)
		}
	}
	return append(at, len(content)-1)
}
