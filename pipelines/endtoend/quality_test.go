package endtoend

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"privpipe/pipelines/wire/stream"
)

// bound returns the perplexity by the variational bound of a stream of scores.
func bound(t *testing.T, folder, scores string) float64 {
	t.Helper()
	var p struct{ Bound float64 }
	if err := json.Unmarshal([]byte(run(t, folder, scores+" | evaluate perplexity --json")), &p); err != nil {
		t.Fatal(err)
	}
	return p.Bound
}

// TestPerplexityOfPeers trains without privacy on 20 Newsgroups as the peers' scripts do, five times over 17,000 posts in
// batches of 1,024 with τ0 = 64, κ = 0.7 and K = 50, and scores the split that they are scored on. What the peers reach
// there (shared/peers, evaluate.py on their λ): gensim 4.2 1832, 1844 and 1891 with three seeds, scikit-learn 1.2 1850.
// Nothing is random here but by a seed, so the test is deterministic.
func TestPerplexityOfPeers(t *testing.T) {
	posts, words := shared(t, "data/20newsgroups/20newsgroups.jsonl.zst"), shared(t, "data/vocab/dictnostops.txt")
	prepare, folder := shared(t, "peers/prep.py"), t.TempDir()
	const peers = (1832 + 1844 + 1891 + 1850) / 4.
	decompress(t, posts, filepath.Join(folder, "20newsgroups.jsonl"))
	run(t, folder, fmt.Sprintf(`
python3 %s 20newsgroups.jsonl peers --vocab %s
for part in train test; do tokenize uci --vocab peers.vocab.txt -o $part.pp peers.$part.docword.txt; done
mkfifo params
account ledger new ledger
sample --fixed 1024 --rounds 82 --seed 1 train.pp |
  estep lda --params params --top-topics 0 --word-weight count --norm 0 --iterations 100 |
  privatize none --ledger ledger -q |
  mstep lda --topics 50 --vocab peers.vocab.txt --tau0 64 --kappa 0.7 --seed 1 --average-from 1 --denoise floor \
    --beta expected-log --params-out params -o model.pp`, prepare, words))
	got := bound(t, folder, "estep lda --score --model model.pp test.pp")
	t.Logf("perplexity %.1f, the peers' mean %.1f", got, peers)
	if got > 1.02*peers || got < 0.98*peers {
		t.Errorf("perplexity %.1f is not within 2%% of the peers' %.1f", got, peers)
	}
}

// TestGapClosed trains privately by the recipe at ε = 1, δ = 1e-6 on nine tenths of 162,253 Reddit posts and scores 2,000
// of the others: the model must close at least 66 % of the gap in the variational bound between the unigram and the model
// without privacy. On this split these are 1841.8, by the words' frequencies in the training posts, and 1270.4, by the
// same stages without noise (estep --word-weight count --norm 0 --iterations 20, 50 rounds of a tenth).
//
// Coins and noise are fresh each time. Runs of one plan differ by a deviation of 6 in perplexity, which is 1 % of the gap;
// the mean of 72 % is more than five of these above the limit, so a false alarm is less likely than 1e-6. Without public text the mean is 46 %.
func TestGapClosed(t *testing.T) { closesGap(t, "lda.sh", 0.66) }

// TestGapClosedBySampling is TestGapClosed for gibbs.sh.
func TestGapClosedBySampling(t *testing.T) {
	if os.Getenv("PRIVPIPE_FIGURES") == "" {
		t.Skip("trains for some minutes: set PRIVPIPE_FIGURES=1")
	}
	closesGap(t, "gibbs.sh", 0.4)
}

// closesGap trains by a recipe, and wants at least a share of the gap.
func closesGap(t *testing.T, recipe string, least float64) {
	if testing.Short() {
		t.Skip("trains for two minutes")
	}
	posts, words := shared(t, "data/reddit/docword.reddit.txt.zst"), shared(t, "data/vocab/dictnostops.txt")
	const unigram, nonPrivate = 1841.8, 1270.4
	folder := t.TempDir()
	run(t, folder, fmt.Sprintf("tokenize uci --vocab %s -o all.pp %s", words, posts))
	divide(t, folder)
	run(t, folder, fmt.Sprintf("%s --epsilon 1 --delta 1e-6 --topics 50 --vocab %s train.pp out",
		filepath.Join(root, "pipelines/recipes", recipe), words))
	got := bound(t, folder, "estep lda --score --model out/model.pp held.pp")
	share := (unigram - got) / (unigram - nonPrivate)
	t.Logf("perplexity %.1f: %.1f%% of the gap closed", got, 100*share)
	if share < least {
		t.Errorf("only %.1f%% of the gap is closed, want %.0f%%", 100*share, 100*least)
	}
}

// divide makes train.pp and held.pp of all.pp: every tenth document is held out, of which the first 2,000 are scored.
func divide(t *testing.T, folder string) {
	t.Helper()
	all, err := os.Open(filepath.Join(folder, "all.pp"))
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	in, err := stream.NewReader(all, "all.pp")
	if err != nil {
		t.Fatal(err)
	}
	header, err := in.Header()
	if err != nil {
		t.Fatal(err)
	}
	compressor, err := stream.NewCompressor(stream.Fast)
	if err != nil {
		t.Fatal(err)
	}
	var parts [2]*stream.Writer
	for i, name := range []string{"train.pp", "held.pp"} {
		file, err := os.Create(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if parts[i], err = stream.NewWriter(file, header, compressor); err != nil {
			t.Fatal(err)
		}
	}
	held := 0
	for n := 1; ; n++ {
		document, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		part := parts[0]
		if n%10 == 7 {
			if held++; held > 2000 {
				continue
			}
			part = parts[1]
		}
		if err := part.Write(document); err != nil {
			t.Fatal(err)
		}
	}
	for _, part := range parts {
		if err := part.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
