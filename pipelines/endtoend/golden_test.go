package endtoend

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
)

// TestFirstStep runs the first E-step and M-step of the authors' online LDA through the real stages and compares λ to
// 1e-4 relative. The reference's minibatch of 40 documents stands for 400: here each is there ten times, and all of
// them are in the round.
func TestFirstStep(t *testing.T) {
	g, folder := testkit.ReadOnlineLDA(), t.TempDir()
	var pairs, words strings.Builder
	n := 0
	for copy := range 10 {
		for d, ids := range g.WordIDs {
			for i, id := range ids {
				fmt.Fprintf(&pairs, "%d %d %d\n", copy*len(g.WordIDs)+d+1, id+1, g.WordCounts[d][i])
				n++
			}
		}
	}
	for v := range g.V {
		fmt.Fprintf(&words, "w%d\n", v)
	}
	write(t, folder, "vocab.txt", words.String())
	write(t, folder, "docword.txt", fmt.Sprintf("%d\n%d\n%d\n%s", 10*len(g.WordIDs), g.V, n, pairs.String()))
	write(t, folder, "first.npy", npy(g.Lambda0(), g.K, g.V))
	run(t, folder, fmt.Sprintf(`
mkfifo params
account ledger new ledger
tokenize uci --vocab vocab.txt docword.txt | sample --all |
  estep lda --params params --top-topics 0 --word-weight count --norm 0 --iterations %d --tolerance %g |
  privatize none --ledger ledger -q |
  mstep lda-paper --topics %d --vocab vocab.txt --initial first.npy --alpha %g --eta %g --tau0 %g --kappa %g \
    --average-from 1 --beta expected-log --params-out params -o model.pp`,
		g.Iterations, g.Tolerance, g.K, g.Alpha, g.Eta, g.Tau0, g.Kappa))
	rows, err := csv.NewReader(strings.NewReader(run(t, folder, "mstep export --format csv model.pp"))).ReadAll()
	if err != nil || len(rows) != 1+g.K*g.V {
		t.Fatalf("%d rows of λ, %v", len(rows), err)
	}
	for i, row := range rows[1:] {
		k, v := i/g.V, i%g.V
		got, err := strconv.ParseFloat(row[2], 64)
		if want := g.Lambda1[k][v]; err != nil || math.Abs(got-want) > 1e-4*want {
			t.Errorf("λ[%d][%d] is %v, want %v", k, v, got, want)
		}
	}
}

// npy encodes an array of float64 as numpy saves it (NPY format, version 1.0).
func npy(values []float64, rows, columns int) string {
	header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", rows, columns)
	header += strings.Repeat(" ", 63-(len(header)+10)%64) + "\n"
	var b bytes.Buffer
	b.WriteString("\x93NUMPY\x01\x00")
	binary.Write(&b, binary.LittleEndian, uint16(len(header)))
	b.WriteString(header)
	binary.Write(&b, binary.LittleEndian, values)
	return b.String()
}
