package endtoend

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
)

// TestEmbed makes vectors of texts with three known words in two dimensions, and compares them with vectors worked out
// by hand. Words weigh ½/(½ + p): cat ½, dog and cow 1.
func TestEmbed(t *testing.T) {
	t.Parallel()
	py, folder := python(t, "numpy", "pyarrow"), t.TempDir()
	write(t, folder, "words.json", `{"dimensions": 2, "vectors":
		{"cat": [1, 0, 1, 7], "dog": [0, 1, 1, 8], "cow": [-1, 0, 1, 9], "rare": [5, 5, 7.07, 10]}}`)
	write(t, folder, "frequencies.tsv", "# word, share\ncat\t0.5\ndog\t0\ncow\t0\nthe\t0.1\n")
	write(t, folder, "in.jsonl", `{"id": "a", "text": "Cat, dog-CAT rare"}
{"id": "b", "text": "rare"}
{"id": "c", "text": "cat"}
`)
	// The mean is (0, ⅓), and the rest (1, -⅓), (0, ⅔) and (-1, -⅓) have singular values √2 and √⅔ along the axes.
	write(t, folder, "public.jsonl", "{\"text\": \"cat\"}\n{\"text\": \"dog\"}\n{\"text\": \"cow\"}\n")
	direction := func(x, y float64) []float64 { return []float64{x / math.Hypot(x, y), y / math.Hypot(x, y)} }
	first, second := math.Pow(2, -0.25), math.Pow(2./3, -0.25)
	for _, c := range []struct {
		options string
		want    [][]float64
	}{
		{"", [][]float64{direction(1, 1), {0, 0}, {1, 0}}}, // cat twice at ½, dog once at 1
		{"--public public.jsonl", [][]float64{
			direction(math.Sqrt(.5)*first, (math.Sqrt(.5)-1./3)*second), {0, 0}, direction(first, 1./3*second)}},
		{"--public public.jsonl --power 1", [][]float64{
			direction(math.Sqrt(.5), math.Sqrt(.5)-1./3), {0, 0}, direction(1, 1./3)}},
		{"--public public.jsonl --dimensions 1", [][]float64{{1}, {0}, {1}}},
	} {
		command := fmt.Sprintf("%s %s --smooth 0.5 %s words.json frequencies.tsv", py,
			filepath.Join(root, "pipelines/endtoend/embed.py"), c.options)
		out := run(t, folder, command+` <in.jsonl
			`+command+` --parquet out.parquet <in.jsonl
			`+py+` -c 'import json, pyarrow.parquet as p
for row in p.read_table("out.parquet").to_pylist(): print(json.dumps(row))'`)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if len(lines) != 6 {
			t.Fatalf("%q: %d lines:\n%s", c.options, len(lines), out)
		}
		for i, line := range lines { // three as JSON Lines, three of Parquet
			var record struct {
				ID     string
				Vector []float64
			}
			if err := json.Unmarshal([]byte(line), &record); err != nil {
				t.Fatal(err)
			}
			want := c.want[i%3]
			near := record.ID == string("abc"[i%3]) && len(record.Vector) == len(want)
			for j := range want { // a direction may point either way
				near = near && math.Abs(math.Abs(record.Vector[j])-math.Abs(want[j])) < 1e-6
			}
			if !near {
				t.Errorf("%q, record %d: %s, want the vector %v", c.options, i, line, want)
			}
		}
	}
}

// TestClustersPeers gives the peers 600 vectors around three directions that are at right angles. The peers without
// privacy find the three labels.
func TestClustersPeers(t *testing.T) {
	testkit.Deep(t, "peers")
	t.Parallel()
	py, folder := python(t, "sklearn", "diffprivlib"), t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	var lines strings.Builder
	for i := range 600 {
		x := []float64{0.1 * random.NormFloat64(), 0.1 * random.NormFloat64(), 0.1 * random.NormFloat64()}
		x[i%3]++
		norm := math.Sqrt(x[0]*x[0] + x[1]*x[1] + x[2]*x[2])
		fmt.Fprintf(&lines, `{"label": "%d", "vector": [%v, %v, %v]}`+"\n", i%3, x[0]/norm, x[1]/norm, x[2]/norm)
	}
	write(t, folder, "vectors.jsonl", lines.String())
	script := filepath.Join(root, "pipelines/endtoend/clusters_peers.py")
	out := run(t, folder, py+" "+script+" --components 3 --epsilon 100 --seeds 2 --public vectors.jsonl vectors.jsonl")
	scores := map[string]float64{}
	for _, line := range strings.Split(strings.TrimSpace(out), "\n")[2:] {
		cells := strings.Split(line, " | ")
		nmi, err := strconv.ParseFloat(strings.Fields(cells[2])[0], 64)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		scores[strings.TrimPrefix(cells[0], "| ")+" "+cells[1]] = nmi
	}
	for peer, least := range map[string]float64{
		"k-means, scikit-learn ∞": 0.99, "spherical Gaussians, scikit-learn ∞": 0.99, "k-means, diffprivlib 100": 0.5,
	} {
		if nmi, ok := scores[peer]; !ok || nmi < least {
			t.Errorf("%s: NMI %v, want %v at least:\n%s", peer, nmi, least, out)
		}
	}
}
