package endtoend

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/testkit/script"
	vocab "privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// An embedded is a document with its vector.
type embedded struct {
	ID     string    `json:"id"`
	User   string    `json:"user,omitempty"`
	Label  string    `json:"label,omitempty"`
	Text   string    `json:"text"`
	Vector []float64 `json:"vector"`
}

// tokenizedVectors writes vectors.pp and words.pp of documents to a folder. The words are the first of bagWords.
func tokenizedVectors(t *testing.T, folder string, documents []embedded) {
	t.Helper()
	var lines strings.Builder
	for _, d := range documents {
		json.NewEncoder(&lines).Encode(d) // a builder takes all
	}
	write(t, folder, "docs.jsonl", lines.String())
	write(t, folder, "vocab.txt", strings.Join(bagWords[:15], "\n")+"\n")
	run(t, folder, fmt.Sprintf(`tokenize features --dimension %[1]d -o features.txt
		tokenize vectors -q --dimension %[1]d -o vectors.pp docs.jsonl
		tokenize text -q --vocab vocab.txt -o words.pp docs.jsonl`, len(documents[0].Vector)))
}

// fixedMixture is a stream of parameters of two clusters around 0 and (0, 0, 0, 0.9), which are nearly hard, or a model
// of them.
func fixedMixture(withWords bool) []byte {
	dimensions := vocab.Words{"x1", "x2", "x3", "x4"}
	h := &wire.Header{
		Version: wire.Version, Kind: wire.Kind_PARAMETERS, Side: wire.Side_PUBLIC, Model: "clusters",
		Vocabulary: dimensions.Hash(), VocabularySize: uint32(len(dimensions)),
	}
	var records []*wire.Record
	if withWords {
		words := &wire.Words{Words: dimensions}
		records = append(records, &wire.Record{Body: &wire.Record_Words{Words: words}})
	}
	records = append(records, &wire.Record{Body: &wire.Record_Parameters{Parameters: new(wire.Parameters)}})
	for i, m := range []struct {
		name  string
		rows  uint32
		cells []float64
	}{
		{"weights", 1, []float64{0.5, 0.5}}, {"means", 2, []float64{7: 0.9}},
		{"variances", 2, slices.Repeat([]float64{0.01}, 8)},
	} {
		h.Matrices = append(h.Matrices, &wire.Matrix{Name: m.name, Rows: m.rows, Columns: uint32(len(m.cells)) / m.rows,
			Element: wire.Element_FLOAT64})
		block := &wire.Block{Matrix: uint32(i), Values: stream.AppendCells(nil, m.cells)}
		records = append(records, &wire.Record{Body: &wire.Record_Block{Block: block}})
	}
	b, _ := script.Stream(h, records...)
	return b
}

// embeddings returns 200 documents. The first has the vector (1, 0, 0, 0) and one word, the second no vector, and the
// third no word. Forty documents of one user are like the first.
func embeddings() (all []embedded) {
	random := rand.New(rand.NewPCG(15, 16))
	for i := range 200 {
		d := embedded{ID: fmt.Sprint("document ", i), Text: bagWords[0] + " " + bagWords[0], Vector: make([]float64, 4)}
		switch {
		case i >= 160:
			d.User, d.Vector[0] = "one", 1
		case i == 0:
			d.Vector[0] = 1
		default:
			for range 1 + random.IntN(30) {
				d.Text += " " + bagWords[random.IntN(10)]
			}
			for j := range d.Vector {
				d.Vector[j] = random.NormFloat64()
			}
		}
		all = append(all, d)
	}
	all[1].Vector, all[2].Text = make([]float64, 4), ""
	return all
}

// clusterSums are how vectors and words reach the privatizer, with fixed clusters.
var clusterSums = map[string]struct {
	pipeline, plan     string
	halved             int // so many cells, the first, are counted half
	without, exchanged float64
}{
	"vectors": {"sample -q --all%s vectors.pp | estep clusters --params params.pp",
		"--model clusters --matrix counts=1x2 --matrix sums=2xV --statistic counts=2 --clip 1.118034 " +
			"--vocab features.txt",
		2, math.Sqrt(5) / 2, 2},
	"words": {"sample -q --all%s words.pp | estep cluster-words --model model.pp --vectors vectors.pp",
		"--model lda --matrix topics=2xV --clip 1 --vocab vocab.txt", 0, 1, math.Sqrt2},
}

// clusterFolder makes a folder with the streams of documents and the fixed clusters.
func clusterFolder(t *testing.T, documents []embedded) (folder string) {
	t.Helper()
	folder = t.TempDir()
	tokenizedVectors(t, folder, documents)
	write(t, folder, "params.pp", string(fixedMixture(false)))
	write(t, folder, "model.pp", string(fixedMixture(true)))
	return folder
}

// TestNeighbouringClusters: without one document, its vector and its words, no unclipped sum moves by more than the
// bound of estep/clusters/claim.md, nor with one document exchanged for another. One document reaches each bound.
func TestNeighbouringClusters(t *testing.T) {
	t.Parallel()
	all := embeddings()
	before := clusterFolder(t, all)
	without, exchanged := make(map[int]string), make(map[int]string)
	for _, i := range []int{0, 1, 2, 50} {
		without[i] = clusterFolder(t, slices.Delete(slices.Clone(all), i, i+1))
		other := slices.Clone(all)
		other[i].Text, other[i].Vector = strings.Repeat(bagWords[9]+" ", 30), []float64{-1, 0, 0, 0}
		exchanged[i] = clusterFolder(t, other)
	}
	for what, c := range clusterSums {
		pipeline := fmt.Sprintf(c.pipeline, "")
		with := combined(t, before, pipeline, "")
		for _, n := range []struct {
			relation string
			folders  map[int]string
			bound    float64
		}{{"without", without, c.without}, {"with another for", exchanged, c.exchanged}} {
			moved := make(map[int]float64)
			for i, folder := range n.folders {
				square := 0.0
				for j, steps := range combined(t, folder, pipeline, "").cells[0] {
					d := float64(steps-with.cells[0][j]) * with.grid
					if j < c.halved {
						d /= 2
					}
					square += d * d
				}
				moved[i] = math.Sqrt(square)
				if moved[i] > n.bound*(1+1e-6) {
					t.Errorf("%s %s document %d: the sum moves by %v, the bound is %v", what, n.relation, i,
						moved[i], n.bound)
				}
			}
			// A sum is truncated to steps of 2^-24, and numbers are rounded to binary32 towards 0.
			if moved[0] < n.bound*(1-1e-6) {
				t.Errorf("%s %s document 0: the sum moves by %v, the bound %v can be reached", what, n.relation,
					moved[0], n.bound)
			}
			// A document without a vector, or without a word, adds nothing to the words of clusters.
			if what == "words" && n.relation == "without" && (moved[1] != 0 || moved[2] != 0) {
				t.Errorf("documents without a vector or a word move the sum by %v and %v", moved[1], moved[2])
			}
		}
	}
}

// TestClustersOfUsers: the vectors of one user's documents are clipped together, and so are their words: without the
// user the sums move by the bound, and by 40 times as much where nothing is clipped.
func TestClustersOfUsers(t *testing.T) {
	t.Parallel()
	all := embeddings()
	before, after := clusterFolder(t, all), clusterFolder(t, all[:160])
	for what, c := range clusterSums {
		pipeline := fmt.Sprintf(c.pipeline, " --unit user")
		var clipped, whole [2]sums
		for i, folder := range []string{before, after} {
			run(t, folder, "account plan -q --noise-multiplier 1 --all --unit user "+c.plan+" -o grant.json")
			clipped[i] = combined(t, folder, pipeline, "--grant grant.json")
			whole[i] = combined(t, folder, pipeline, "")
		}
		moved := clipped[0].moved(clipped[1])[0]
		if moved > 1 || moved < 0.999 {
			t.Errorf("%s: without the user the sum moves by %v times the bound", what, moved)
		}
		whole[0].clip = 1 / whole[0].grid
		if moved := whole[0].moved(whole[1])[0]; moved < 39.9 {
			t.Errorf("%s: the documents of the user move the unclipped sum by %v only", what, moved)
		}
	}
}

// TestExactClusters: without noise, three groups of vectors are found from random directions, and each cluster has the
// words of its group. The seeds are fixed, and nothing else is drawn.
func TestExactClusters(t *testing.T) {
	t.Parallel()
	const groups = 3
	random := rand.New(rand.NewPCG(17, 18))
	var all []embedded
	for i := range 300 {
		group := i % groups
		d := embedded{ID: fmt.Sprint(i), Label: fmt.Sprint("group ", group), Vector: make([]float64, 8)}
		for j := range d.Vector {
			d.Vector[j] = 0.1 * random.NormFloat64()
		}
		d.Vector[2*group] += 0.9 // the centres are orthogonal
		for range 12 {
			d.Text += " " + bagWords[5*group+random.IntN(5)]
		}
		all = append(all, d)
	}
	folder := t.TempDir()
	tokenizedVectors(t, folder, all)
	for seed := range 4 {
		run(t, folder, fmt.Sprintf(`
account ledger new ledger%[1]d
mkfifo params%[1]d
sample -q --all --rounds 8 --run vectors vectors.pp | estep clusters --params params%[1]d |
  privatize none -q --run vectors --ledger ledger%[1]d |
  mstep clusters -q -K 3 --seed %[1]d --vocab features.txt --params-out params%[1]d -o model%[1]d.pp
sample -q --all --rounds 1 --run words words.pp |
  estep cluster-words --model model%[1]d.pp --public-model --vectors vectors.pp |
  privatize none -q --run words --ledger ledger%[1]d | mstep lda -q --topics 3 --vocab vocab.txt -o names%[1]d.pp`, seed))
		var agreement struct{ ARI float64 }
		out := run(t, folder,
			fmt.Sprintf("estep clusters --score --model model%d.pp vectors.pp | evaluate clusters -q --json", seed))
		if err := json.Unmarshal([]byte(out), &agreement); err != nil || agreement.ARI != 1 {
			t.Errorf("seed %d: the clusters are not the groups: %s, %v", seed, out, err)
		}
		seen := make(map[int]bool)
		lines := run(t, folder, fmt.Sprintf("evaluate topics -q --top 5 names%d.pp", seed))
		for line := range strings.Lines(lines) {
			var of [groups]int
			for i, word := range bagWords[:5*groups] {
				if slices.Contains(strings.Fields(line), word) {
					of[i/5]++
				}
			}
			if group := slices.Index(of[:], 5); group >= 0 && of[0]+of[1]+of[2] == 5 {
				seen[group] = true
			}
		}
		if len(seen) != groups {
			t.Errorf("seed %d: the clusters do not have the words of the groups:\n%s", seed, lines)
		}
	}
}
