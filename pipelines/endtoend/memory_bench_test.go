package endtoend

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// BenchmarkMemory is the memory of each stage at its peak, in bytes a cell of the model, with everything else that the
// process holds. The model has K = 200 and V = 50,000. Four rounds have 1,000 documents of 60 words each.
func BenchmarkMemory(b *testing.B) {
	const topics, words = 200, 50_000
	folder := b.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	word := func(w int) string { // of letters: digits are no part of a word
		letters := []byte("wwwww")
		for i := range letters {
			letters[i] = 'a' + byte(w%26)
			w /= 26
		}
		return string(letters)
	}
	var vocabulary, text strings.Builder
	for w := range words {
		fmt.Fprintln(&vocabulary, word(w))
	}
	for range 2000 {
		document := make([]string, 60)
		for i := range document {
			document[i] = word(random.IntN(words))
		}
		fmt.Fprintf(&text, "{\"text\":\"%s\"}\n", strings.Join(document, " "))
	}
	write(b, folder, "vocab.txt", vocabulary.String())
	write(b, folder, "text.jsonl", text.String())
	run(b, folder, fmt.Sprintf(`
tokenize text --vocab vocab.txt -o documents.pp text.jsonl
mkfifo params
account ledger new ledger
account plan --noise-multiplier 1 --poisson 0.5 --rounds 4 --model lda --matrix topics=%dxV --vocab vocab.txt -o grant.json`, topics))
	stages := []string{
		"sample --poisson 0.5 --rounds 4 documents.pp",
		"estep lda --params params",
		"privatize --grant grant.json --ledger ledger",
		fmt.Sprintf("mstep lda --topics %d --vocab vocab.txt --params-out params -o model.pp", topics),
	}
	for range b.N {
		run(b, folder, "rm -rf ledger* model.pp; account ledger new ledger")
		for i, took := range measure(b, folder, stages...) {
			name, _, _ := strings.Cut(stages[i], " ")
			b.ReportMetric(float64(took.memory)/(topics*words), name+"-bytes/cell")
		}
	}
}
