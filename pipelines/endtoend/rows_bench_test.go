package endtoend

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// BenchmarkRows compares rows a core-second in the E-step of Bayesian logistic regression with numpy, which has the
// rows of Adult (V = 106) as a dense matrix of float64 and works on all at once. Ours is measured in a process, as
// theirs, and as the whole stage, which also reads the round from a file, checks it, and writes the contributions out.
// Sums are privatize's work; numpy's are there to see what they add.
func BenchmarkRows(b *testing.B) {
	py, folder := python(b, "numpy"), b.TempDir()
	adult(b, folder)
	run(b, folder, `mkfifo params; account ledger new ledger
		sample -q --all -T 3 train.pp | estep blr --row-norm 3.873 --params params | privatize none -q --ledger ledger |
			mstep blr --vocab features.txt --params-out params -o model.pp
		sample -q --all -T 4 --first-round 4 -o round.pp train.pp; mstep export --format npz -o model.npz model.pp`)
	rows := writeRows(b, folder, 106, 3.873)
	const stage = "estep blr --row-norm 3.873 --params model.pp round.pp"
	// it answers the round: not one that the parameters have already
	run(b, folder, stage+" | show --private | grep -c '\"unit\"' >/dev/null")
	script, err := filepath.Abs("logistic_rows.py")
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		var theirs, summed, inProcess, whole least
		for range repetitions {
			var peer struct{ CPU, Summed float64 }
			decode(b, run(b, folder, fmt.Sprintf("OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 %s %s rows.npy labels.npy "+
				"model.npz", py, script)), &peer)
			theirs.take(peer.CPU/rows, 0)
			summed.take(peer.Summed/rows, 0)
			out := run(b, root,
				fmt.Sprintf("PRIVPIPE_MODEL=%[1]s/model.pp PRIVPIPE_DOCUMENTS=%[1]s/train.pp GOMAXPROCS=1 "+
					"go test ./estep/blr -run '^$' -bench Contribute -benchtime 3x", folder))
			rate := docsPerSecond.FindStringSubmatch(out)
			if rate == nil {
				b.Fatal(out)
			}
			perSecond, err := strconv.ParseFloat(rate[1], 64)
			if err != nil {
				b.Fatal(err)
			}
			inProcess.take(1/perSecond, 0)
			whole.take(measure(b, folder, onOneCore+stage+" >/dev/null")[0].cpu.Seconds()/rows, 0)
		}
		for name, l := range map[string]least{"numpy": theirs, "numpy-summed": summed, "in-process": inProcess,
			"stage": whole} {
			b.ReportMetric(1/l.cpu, name+"-rows/core-s")
		}
		b.ReportMetric(theirs.cpu/inProcess.cpu, "in-process-×numpy")
		b.ReportMetric(theirs.cpu/whole.cpu, "stage-×numpy")
	}
}

// writeRows writes the rows of train.pp, over their norm, and their labels as arrays. It returns the number of rows.
func writeRows(b *testing.B, folder string, features int, norm float64) float64 {
	b.Helper()
	content, err := os.ReadFile(filepath.Join(folder, "train.pp"))
	if err != nil {
		b.Fatal(err)
	}
	var cells, labels []float64
	err = each(content, func(_ *stream.Reader, record *wire.Record) error {
		d := record.GetDocument()
		if d == nil {
			return nil
		}
		row := make([]float64, features)
		for i, id := range wire.AppendIDs(nil, d.WordGaps) {
			row[id] = float64(math.Float32frombits(binary.LittleEndian.Uint32(d.Values[4*i:]))) / norm
		}
		y, err := strconv.ParseFloat(d.Label, 64)
		cells, labels = append(cells, row...), append(labels, y)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	write(b, folder, "rows.npy", npy(cells, len(labels), features))
	write(b, folder, "labels.npy", npy(labels, len(labels), 1))
	return float64(len(labels))
}
