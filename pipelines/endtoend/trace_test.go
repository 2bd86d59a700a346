package endtoend

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A score is what a stream of scores has of a document, bit for bit.
type score struct {
	id             string
	tokens         uint64
	bound, unigram uint64 // bits
}

// scores returns the scores of each round, in their order.
func scores(t *testing.T, name string) map[uint32][]score {
	t.Helper()
	rounds := make(map[uint32][]score)
	err := each([]byte(read(t, name)), func(_ *stream.Reader, record *wire.Record) error {
		s := record.GetScore()
		rounds[record.Round] = append(rounds[record.Round],
			score{s.Id, uint64(s.Tokens), math.Float64bits(s.Bound), math.Float64bits(s.Unigram)})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rounds
}

// TestTrace trains and scores held-out text after each round, in three ways: by the folder of mstep --models, by each
// of its files, and by the stream of parameters. The scores are equal to the bit. The stream has no unigram, so that
// one is given.
func TestTrace(t *testing.T) {
	const rounds = 4
	folder := t.TempDir()
	run(t, folder, fmt.Sprintf(`
vocab=%q rounds=%d
comments "$(go env GOROOT)/src/net" >text.jsonl
comments "$(go env GOROOT)/src/fmt" >held.jsonl
tokenize text --public --vocab $vocab -o docs.pp text.jsonl
tokenize text --public --vocab $vocab -o held.pp held.jsonl
mkfifo params
sample --fixed 300 --rounds $rounds docs.pp | estep lda --params params | privatize none --run trace | tee releases.pp |
  mstep lda --topics 3 --vocab $vocab --average-from 1 --models models --params-out params -o model.pp
mstep lda --topics 3 --vocab $vocab --average-from 1 --params-out params.pp -o again.pp releases.pp
cmp model.pp again.pp
sample --all docs.pp | estep words | privatize none --run words | mstep words --vocab $vocab -o words.pp
estep lda --score --model models -o models-scores.pp held.pp
estep lda --score --params params.pp --unigram words.pp -o params-scores.pp held.pp
for t in $(seq $rounds); do
  estep lda --score --model models/00000000$t.pp -o $t-scores.pp held.pp
done
estep lda --score --model model.pp -o model-scores.pp held.pp
cmp model-scores.pp $rounds-scores.pp`, vocabulary, rounds))
	models, params := scores(t, filepath.Join(folder, "models-scores.pp")),
		scores(t, filepath.Join(folder, "params-scores.pp"))
	if len(models) != rounds {
		t.Fatalf("scores of %d rounds, want %d", len(models), rounds)
	}
	compared := 0
	for round, scored := range models {
		alone := scores(t, filepath.Join(folder, fmt.Sprintf("%d-scores.pp", round)))[round]
		if len(scored) < 100 || len(alone) != len(scored) {
			t.Fatalf("round %d: %d scores, and %d of its file alone", round, len(scored), len(alone))
		}
		streamed, sent := params[round]
		if sent && len(streamed) != len(scored) {
			t.Fatalf("round %d: %d scores by the stream of parameters, want %d", round, len(streamed), len(scored))
		}
		for i, s := range scored {
			if s != alone[i] {
				t.Fatalf("round %d: document %d has the scores %v, and by the file alone %v", round, i, s, alone[i])
			}
			if !sent {
				continue
			}
			if p := streamed[i]; p.id != s.id || p.tokens != s.tokens || p.bound != s.bound {
				t.Fatalf("round %d: document %d has the scores %v, and by the stream of parameters %v", round, i, s, p)
			}
		}
		if sent {
			compared++
		}
		if round > 1 && scored[0].bound == models[1][0].bound {
			t.Errorf("round %d has the scores of round 1", round)
		}
	}
	if compared < rounds-1 { // no E-step follows the last round
		t.Errorf("%d rounds are in both, want at least %d", compared, rounds-1)
	}
}
