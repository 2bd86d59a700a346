package endtoend

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/script"
	vocab "privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// These tests run an auditor's attack: they give the stages a data set and its neighbour, without one document or with
// one exchanged for another, in a format that numbers documents. What reaches the privatizer must differ only in that
// document. When documents were named by their number, all after the one that went had other coins and rounds: of 2,000
// documents dealt over four rounds, the sum of one round moved by 28 times the bound that the ledger charged.

// A bag is a document: how often each word occurs, the words bagWords.
type bag [vocabularySize]int

const vocabularySize = 60

// bagWords are the words of bags, of only letters.
var bagWords = func() (words vocab.Words) {
	for i := range vocabularySize {
		words = append(words, string([]byte{'w', byte('a' + i/26), byte('a' + i%26)}))
	}
	return words
}()

// neighbours returns a data set of 2,000 documents: three are equal, and five are empty. It also returns the data set
// without one document, and with one document exchanged for another, for several documents.
func neighbours() (all []bag, less, exchanged map[string][]bag) {
	random := rand.New(rand.NewPCG(11, 12))
	all = make([]bag, 2000)
	for i := range all {
		for range 3 + random.IntN(60) {
			all[i][int(vocabularySize*random.Float64()*random.Float64())]++
		}
	}
	all[900], all[1500] = all[500], all[500]
	for i := 5; i < len(all); i += 400 {
		all[i] = bag{}
	}
	less, exchanged = make(map[string][]bag), make(map[string][]bag)
	for name, i := range map[string]int{"the first": 0, "a middle one": 1000, "the first of equals": 500,
		"an empty one": 405} {
		less[name] = slices.Delete(slices.Clone(all), i, i+1)
		exchanged[name] = slices.Clone(all)
		exchanged[name][i] = bag{7: 3, 8: 1, 59: 2}
	}
	return all, less, exchanged
}

// formats write documents, and tokenize them to docs.pp.
var formats = map[string]struct {
	file, tokenize string
	write          func(documents []bag) string
	values         bool // the documents have real numbers
	deep           bool // tried only in deep runs
}{
	"uci":   {"docword.txt", "tokenize uci --vocab vocab.txt -o docs.pp docword.txt", uciOf, false, true},
	"lines": {"docs.jsonl", "tokenize text --vocab vocab.txt -o docs.pp docs.jsonl", linesOf, false, false},
	"array": {"docs.npy", "tokenize vectors --dimension 60 -o docs.pp docs.npy", arrayOf, true, false},
	"array with ids": {"docs.npy", "tokenize vectors --dimension 60 --ids ids.txt -o docs.pp docs.npy", arrayOf, true,
		true},
	"vectors": {"docs.jsonl", "tokenize vectors --dimension 60 --norm 20 --project 16 -o docs.pp docs.jsonl",
		func(documents []bag) string { return vectorsOf(documents, false) }, true, true},
	"vectors with ids": {"docs.jsonl", "tokenize vectors --dimension 60 -o docs.pp docs.jsonl",
		func(documents []bag) string { return vectorsOf(documents, true) }, true, false},
}

func uciOf(documents []bag) string {
	var b strings.Builder
	pairs := 0
	for d, counts := range documents {
		for w, n := range counts {
			if n > 0 {
				fmt.Fprintln(&b, d+1, w+1, n)
				pairs++
			}
		}
	}
	return fmt.Sprintf("%d\n%d\n%d\n%s", len(documents), vocabularySize, pairs, b.String())
}

func linesOf(documents []bag) string {
	var b strings.Builder
	for _, counts := range documents {
		var text []string
		for w, n := range counts {
			text = append(text, slices.Repeat([]string{bagWords[w]}, n)...)
		}
		fmt.Fprintf(&b, "{%q:%q}\n", "text", strings.Join(text, " "))
	}
	return b.String()
}

// idsOf returns ids, one a line. An author's id goes with the document, so a document that is removed changes no other
// id. That of an equal document counts on.
func idsOf(documents []bag) (lines []string) {
	seen := make(map[bag]int)
	for _, counts := range documents {
		seen[counts]++
		sum := sha256.Sum256(fmt.Append(nil, counts, seen[counts]))
		lines = append(lines, fmt.Sprintf("%x", sum[:16]))
	}
	return lines
}

// arrayOf writes the counts as vectors of an array of NumPy, which knows documents only by their rows.
func arrayOf(documents []bag) string {
	var cells []float64
	for _, counts := range documents {
		for _, n := range counts {
			cells = append(cells, float64(n))
		}
	}
	return npy(cells, len(documents), vocabularySize)
}

// vectorsOf writes the counts as vectors of JSON Lines.
func vectorsOf(documents []bag, named bool) string {
	var b strings.Builder
	ids := idsOf(documents)
	for i, counts := range documents {
		line := map[string]any{"vector": counts}
		if named {
			line["id"] = ids[i]
		}
		json.NewEncoder(&b).Encode(line) // a builder takes all
	}
	return b.String()
}

// tokenized makes a folder with docs.pp, by a format.
func tokenized(t *testing.T, format string, documents []bag) string {
	t.Helper()
	folder, f := t.TempDir(), formats[format]
	write(t, folder, "vocab.txt", strings.Join(bagWords, "\n")+"\n")
	write(t, folder, f.file, f.write(documents))
	write(t, folder, "ids.txt", strings.Join(idsOf(documents), "\n")+"\n")
	run(t, folder, f.tokenize)
	return folder
}

// recordsOf returns the records of a stream.
func recordsOf(t *testing.T, path string) (records []*wire.Record) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	in, err := stream.NewReader(file, path)
	for err == nil {
		var record *wire.Record
		if record, err = in.Next(); err == nil {
			records = append(records, record)
		}
	}
	if err != io.EOF {
		t.Fatal(err)
	}
	return records
}

// A round is a set of documents, each as its encoding, which has the name.
type round map[string]bool

// roundsOf draws rounds by flags of sample.
func roundsOf(t *testing.T, folder, flags string) []round {
	t.Helper()
	run(t, folder, "sample "+flags+" -o rounds.pp docs.pp")
	var rounds []round
	for _, record := range recordsOf(t, filepath.Join(folder, "rounds.pp")) {
		switch {
		case record.GetRoundOpen() != nil:
			rounds = append(rounds, make(round))
		case record.GetDocument() != nil:
			b, err := proto.MarshalOptions{Deterministic: true}.Marshal(record.GetDocument())
			if err != nil {
				t.Fatal(err)
			}
			rounds[len(rounds)-1][string(b)] = true
		}
	}
	return rounds
}

// beyond returns how many members of a are not in b.
func (a round) beyond(b round) (n int) {
	for document := range a {
		if !b[document] {
			n++
		}
	}
	return n
}

// TestNeighbouringRounds: without one document all rounds hold the same documents, except for that one. With one
// document exchanged for another, rounds of fixed size have at most one member exchanged.
func TestNeighbouringRounds(t *testing.T) {
	t.Parallel()
	all, less, exchanged := neighbours()
	key := filepath.Join(t.TempDir(), "key")
	write(t, filepath.Dir(key), "key", strings.Repeat("k", 32))
	if err := os.Chmod(key, 0o600); err != nil {
		t.Fatal(err)
	}
	for format, f := range formats {
		if f.deep && testkit.Repeats(t, "accounting", 0, 1) == 0 {
			continue
		}
		before := tokenized(t, format, all)
		after := make(map[string]string)
		for name, documents := range less {
			after[name] = tokenized(t, format, documents)
		}
		// in: the number of rounds that each document is in, 0 where coins say it
		for flags, in := range map[string]int{
			"--epoch --rounds 4":                               1,
			"--allocate --rounds 4 --seed 7":                   1,
			"--allocate --rounds 4 --secret " + key:            1,
			"--allocate --rounds 4 --epochs 3 --seed 7":        3,
			"--allocate --rounds 4 --epochs 3 --secret " + key: 3,
			"--poisson 0.5 --rounds 20 --seed 7":               0,
			"--poisson 0.5 --rounds 20 --secret " + key:        0,
		} {
			with := roundsOf(t, before, flags)
			for name, folder := range after {
				without, lost := roundsOf(t, folder, flags), 0
				for i := range with {
					gone, came := with[i].beyond(without[i]), without[i].beyond(with[i])
					if gone > 1 || came > 0 {
						t.Errorf("%s without %s, %s: round %d loses %d documents and gains %d", format, name, flags,
							i+1, gone, came)
					}
					lost += gone
				}
				// All of 20 fair coins fall alike with a probability of 2^-19; but these are the same each time.
				if in > 0 && lost != in || in == 0 && (lost == 0 || lost == len(with)) {
					t.Errorf("%s without %s, %s: %d of %d rounds lose a document", format, name, flags, lost, len(with))
				}
			}
		}
		for name, documents := range exchanged {
			after[name] = tokenized(t, format, documents)
		}
		for _, coins := range []string{"--seed 7", "--secret " + key} {
			flags := "--fixed 500 --rounds 20 " + coins
			with := roundsOf(t, before, flags)
			for name, folder := range after {
				without, changed := roundsOf(t, folder, flags), 0
				for i := range with {
					gone, came := with[i].beyond(without[i]), without[i].beyond(with[i])
					if gone > 1 || came != gone {
						t.Errorf("%s with %s exchanged, %s: round %d loses %d documents and gains %d", format, name,
							flags, i+1, gone, came)
					}
					changed += gone
				}
				if changed == 0 {
					t.Errorf("%s with %s exchanged, %s: no round is another", format, name, flags)
				}
			}
		}
	}
}

// TestFilesApart: documents that are named by content in two runs of tokenize have one name where they are equal, which
// sample refuses, unless each run has a prefix. Then a document less is one less, also where the other file has an
// equal one.
func TestFilesApart(t *testing.T) {
	all, _, _ := neighbours()
	first, second := all[:1000], all[1000:] // document 500 of the one is document 500 of the other
	files := func(first []bag, east, west string) (folder string) {
		folder = tokenized(t, "uci", first)
		write(t, folder, "second.txt", uciOf(second))
		run(t, folder, "tokenize uci --vocab vocab.txt "+east+" -o east.pp docword.txt")
		run(t, folder, "tokenize uci --vocab vocab.txt "+west+" -o west.pp second.txt")
		run(t, folder, "cat east.pp west.pp >docs.pp")
		return folder
	}
	s := bash(files(first, "", ""), "sample --all docs.pp >rounds.pp")
	if s.Run(); s.ProcessState.ExitCode() != 90 || !strings.Contains(s.stderr.String(), "--prefix") {
		t.Errorf("two files without a prefix: exit code %d, %s", s.ProcessState.ExitCode(), s.stderr.String())
	}
	const flags = "--epoch --rounds 4"
	with := roundsOf(t, files(first, "--prefix east-", "--prefix west-"), flags)
	without := roundsOf(t, files(slices.Delete(slices.Clone(first), 500, 501), "--prefix east-", "--prefix west-"),
		flags)
	gone, came := 0, 0
	for i := range with {
		gone, came = gone+with[i].beyond(without[i]), came+without[i].beyond(with[i])
	}
	if gone != 1 || came != 0 {
		t.Errorf("without one document of two files the rounds lose %d and gain %d", gone, came)
	}
}

// sums are the exact sums of rounds, in steps, the bound on a unit, and the value of a step.
type sums struct {
	cells      [][]int64
	clip, grid float64
}

// sumsOf adds up contributions by privatize combine, whose partial sum has no noise.
func sumsOf(t *testing.T, folder, plan, pipeline string) sums {
	t.Helper()
	subject := " --model words --matrix words=1xV"
	if strings.Contains(pipeline, "estep lda") {
		subject = " --model lda --matrix topics=5xV"
	}
	run(t, folder, fmt.Sprintf("account plan --noise-multiplier 1 %s --vocab vocab.txt -o grant.json", plan+subject))
	return combined(t, folder, pipeline, "--grant grant.json")
}

// combined adds up contributions. Without a grant none is clipped.
func combined(t *testing.T, folder, pipeline, grant string) (s sums) {
	t.Helper()
	run(t, folder, pipeline+" | privatize combine "+grant+" -o sums.pp")
	for _, record := range recordsOf(t, filepath.Join(folder, "sums.pp")) {
		switch {
		case record.GetRoundOpen() != nil:
			s.cells = append(s.cells, nil)
		case record.GetSum() != nil:
			s.clip, s.grid = float64(record.GetSum().Clip), record.GetSum().Grid
		case record.GetBlock() != nil:
			of := &s.cells[len(s.cells)-1]
			for b := record.GetBlock().Values; len(b) > 0; b = b[8:] {
				*of = append(*of, int64(binary.LittleEndian.Uint64(b)))
			}
		}
	}
	return s
}

// moved returns by how much of the bound each sum differs, in L2.
func (s sums) moved(other sums) []float64 {
	moved := make([]float64, len(s.cells))
	for i, cells := range s.cells {
		square := 0.0
		for j, c := range cells {
			d := float64(c - other.cells[i][j])
			square += d * d
		}
		moved[i] = math.Sqrt(square) / s.clip
	}
	return moved
}

// TestNeighbouringSums: without one document the exact sum of one round moves by at most the bound, and no other one
// moves. Lengths are cut and documents drawn again by coins of the document's own.
func TestNeighbouringSums(t *testing.T) {
	t.Parallel()
	all, less, _ := neighbours()
	const epoch, each = "--epoch --rounds 4", "--all"
	for format, f := range formats {
		if f.values || f.deep && testkit.Repeats(t, "accounting", 0, 1) == 0 {
			continue
		}
		prepared := func(documents []bag) (folder string) {
			folder = tokenized(t, format, documents)
			write(t, folder, "params.pp", string(randomParameters()))
			return folder
		}
		before, after := prepared(all), make(map[string]string)
		for name, documents := range less {
			after[name] = prepared(documents)
		}
		for pipeline, plan := range map[string]string{
			"sample " + epoch +
				" docs.pp | estep words": epoch,
			"sample " + each + " docs.pp | estep lda --params params.pp --length 12":                              each,
			"sample " + each + " docs.pp | estep lda --params params.pp --length 40 --resample":                   each,
			"sample " + each + " docs.pp | estep lda --params params.pp --length 12 --word-weight count --norm 0": each,
		} {
			with := sumsOf(t, before, plan, pipeline)
			for name, folder := range after {
				moved := with.moved(sumsOf(t, folder, plan, pipeline))
				slices.Sort(moved)
				last := len(moved) - 1
				empty := name == "an empty one" // whose contribution is 0
				if moved[last] > 1 || (moved[last] == 0) != empty || last > 0 && moved[last-1] > 0 {
					t.Errorf("%s without %s, %s: sums move by %.3v times the bound", format, name, pipeline, moved)
				}
			}
		}
	}
}

// randomParameters is a stream of the parameters after round 0, of five random topics.
func randomParameters() []byte {
	random := rand.New(rand.NewPCG(13, 14))
	weights := make([]float32, 5*vocabularySize)
	for i := range weights {
		weights[i] = float32(math.Pow(random.Float64(), 4)) + 1e-3
	}
	h := &wire.Header{
		Version: wire.Version, Kind: wire.Kind_PARAMETERS, Side: wire.Side_PUBLIC, Model: "lda",
		Vocabulary: bagWords.Hash(), VocabularySize: vocabularySize,
		Matrices: []*wire.Matrix{{Name: "weights", Rows: 5, Columns: vocabularySize, Element: wire.Element_FLOAT32}},
	}
	alpha := &wire.Parameters{Scalars: []*wire.Scalar{{Name: "alpha", Value: 0.1}}}
	b, _ := script.Stream(h, &wire.Record{Body: &wire.Record_Parameters{Parameters: alpha}},
		&wire.Record{Body: &wire.Record_Block{Block: &wire.Block{Values: stream.AppendCells(nil, weights)}}})
	return b
}
