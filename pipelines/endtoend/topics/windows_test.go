package topics

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// TestWindowsOfReports learns from the reports in a topic, batch after batch as they come. It runs sample --window,
// mstep reconstruct, and online LDA over a sampler in place. A second run with sample --epoch cuts the same batches out
// of one file. Both runs have the same parameters and the same model in each round, byte for byte.
func TestWindowsOfReports(t *testing.T) {
	testkit.Deep(t, "kafka")
	broker.Each(t, func(t *testing.T, b *broker.Broker) {
		folder, topic := t.TempDir(), b.Topic(t, "reports", 1, nil)
		bash(t, folder, `
printf '%s\n' alpha beta gamma delta >vocab.txt
account plan-words --mechanism randomized-response --flip 0.1 --max-words 4 --vocab vocab.txt -o rr.json
account ledger new run.ledger
for i in $(seq 60); do
  text='alpha beta'
  ((i % 3)) || text='gamma delta'
  echo "{\"id\":\"author $i\",\"text\":\"$text\"}"
done | tokenize text --vocab vocab.txt | privatize randomized-response --grant rr.json --ledger run.ledger --run reports -o reports.pp
(umask 077; head -c 32 /dev/urandom >key)
sample --epoch --rounds 3 --run online -o rounds.pp reports.pp`)

		// The same documents come to the topic in three windows. The producer says when, and is trusted, so that a slow
		// machine changes nothing but the wait.
		start := time.Now().Add(2 * time.Second).Truncate(time.Millisecond)
		published := inWindows(t, b.Address, topic, batches(t, filepath.Join(folder, "rounds.pp")), start)
		bash(t, folder, fmt.Sprintf(`
learn() { # NAME, from rounds on standard input
  mkdir "$1"
  mkfifo "$1/params" "$1/out"
  tee -p "$1/params.pp" <"$1/out" >"$1/params" &
  mstep reconstruct --grant rr.json |
    estep collapsed --sweeps 5 --statistic counts --secret key --params "$1/params" |
    privatize none --run online |
    mstep online --run online --topics 2 --alpha 1 --eta 0.01 --correlation 0.5 --vocab vocab.txt \
      --params-out "$1/out" --models "$1/models" -o "$1/model.pp"
  wait $!
}
learn epoch <rounds.pp
sample --epoch --trust-stamps --window %s --window-grace %[1]s --window-start %s --window-state state --rounds 3 --run online "kafka://%s/%s" |
  tee windows.pp | learn windows
[[ $(show windows.pp | grep -c round_close) == 3 ]]
for file in params.pp model.pp models; do diff -r epoch/$file windows/$file; done
[[ $(ls epoch/models | wc -l) == 3 ]]`, length, start.UTC().Format("2006-01-02T15:04:05.000Z"), b.Address, topic))
		if err := <-published; err != nil {
			t.Error(err)
		}
	})
}

// TestSharesOfWindows counts the topics of documents in a stream, window after window by the broker's time, and draws
// the series from the topic of releases, as the runbook says.
func TestSharesOfWindows(t *testing.T) {
	testkit.Deep(t, "kafka")
	broker.Each(t, func(t *testing.T, b *broker.Broker) {
		folder, topic := t.TempDir(), b.Topic(t, "documents.private", 1, nil)
		releases := b.Topic(t, "releases", 1, nil)
		bash(t, folder, `
printf '%s\n' alpha beta gamma delta >vocab.txt
for i in $(seq 60); do
  echo "{\"id\":\"author $i\",\"text\":\"alpha beta\"}"
done | tokenize text --vocab vocab.txt -o documents.pp
tokenize text --public --vocab vocab.txt -o public-documents.pp - <<<'{"text":"alpha beta gamma delta"}'
mstep public --vocab vocab.txt -o public.pp public-documents.pp
mstep topics --vocab vocab.txt -o model.pp public.pp
sample --epoch --trust-names --rounds 3 --run weeks -o rounds.pp documents.pp`)
		start := time.Now().Add(2 * time.Second).Truncate(time.Millisecond)
		published := inWindows(t, b.Address, topic, batches(t, filepath.Join(folder, "rounds.pp")), start)
		bash(t, folder, fmt.Sprintf(`
at=kafka://%s
account ledger new --epsilon 2 --delta 1e-6 run.ledger
account plan --epsilon 2 --delta 1e-6 --epoch --rounds 3 --ledger run.ledger --model shares --matrix shares=1x2 --vocab vocab.txt -o grant.json
sample --epoch --trust-stamps --window %s --window-grace %[2]s --window-start %s --window-state state --rounds 3 --run weeks "$at/%s" |
  estep lda --shares --model model.pp |
  privatize --run weeks --grant grant.json --ledger run.ledger -o "$at/%s"
mstep shares --model model.pp -o series.csv "$at/%[5]s?until=end"
[[ $(grep -c '^weeks/[123],,all,' series.csv) == 3 ]]
evaluate series series.csv series.html
account report --delta 1e-6 run.ledger | grep '^pld  *2 '`,
			b.Address, length, start.UTC().Format("2006-01-02T15:04:05.000Z"), topic, releases))
		if err := <-published; err != nil {
			t.Error(err)
		}
	})
}

// length is that of a window.
const length = 3 * time.Second

// inWindows publishes a message in the middle of each window.
func inWindows(t *testing.T, address, topic string, messages [][]byte, start time.Time) (published chan error) {
	published = make(chan error, 1)
	go func() {
		published <- publish(t, address, topic, messages, func(message int) time.Time {
			middle := start.Add(time.Duration(message)*length + length/2)
			time.Sleep(time.Until(middle))
			return middle
		})
	}()
	return published
}

// bash runs a script in strict mode, which must succeed.
func bash(t *testing.T, folder, script string) {
	t.Helper()
	command := exec.Command("bash", "-c", "set -euo pipefail\n"+script)
	command.Dir = folder
	if out, err := testkit.Output(scripted, command); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// batches returns the documents of each round of a stream, as frames of one stream of documents.
func batches(t *testing.T, name string) [][]byte {
	file, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	in, err := stream.NewReader(bytes.NewReader(file), name)
	if err != nil {
		t.Fatal(err)
	}
	h, err := in.Header()
	if err != nil {
		t.Fatal(err)
	}
	compressor, err := stream.NewCompressor(stream.None)
	if err != nil {
		t.Fatal(err)
	}
	var frames bytes.Buffer
	out, err := stream.NewWriter(&frames, &wire.Header{
		Version: h.Version, Kind: wire.Kind_DOCUMENTS, Side: h.Side, Vocabulary: h.Vocabulary,
		VocabularySize: h.VocabularySize,
	}, compressor)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]byte
	for len(all) < 3 {
		record, err := in.Next()
		switch {
		case err != nil:
			t.Fatal(err)
		case record.GetRoundClose() != nil:
			if err := out.Flush(); err != nil {
				t.Fatal(err)
			}
			all = append(all, slices.Clone(frames.Bytes()))
			frames.Reset()
		case record.GetDocument() != nil:
			record.Round = 0
			if err := out.Write(record); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
}

// publish appends messages to a topic, each at the time that it is said to arrive.
func publish(t *testing.T, address, topic string, messages [][]byte, arrives func(message int) time.Time) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(address, ",")...))
	if err != nil {
		return err
	}
	defer client.Close()
	for i, value := range messages {
		if err := client.ProduceSync(t.Context(),
			&kgo.Record{Topic: topic, Timestamp: arrives(i), Value: value}).FirstErr(); err != nil {
			return err
		}
	}
	return nil
}
