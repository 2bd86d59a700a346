package endtoend

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/seeded"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// digits writes pixels.txt, train.pp and test.pp to a folder: MNIST with pixels that are on with probability
// intensity/255.
func digits(t testing.TB, folder string) {
	t.Helper()
	run(t, folder, fmt.Sprintf(`tokenize features --image 28x28 -o pixels.txt
		tokenize images -q --bernoulli -o train.pp %s
		tokenize images -q --bernoulli -o test.pp %s`,
		shared(t, "data/mnist", "train-images-idx3-ubyte.gz"), shared(t, "data/mnist", "t10k-images-idx3-ubyte.gz")))
}

// records calls use for each record of a stream.
func records(t testing.TB, file string, use func(*wire.Record)) {
	t.Helper()
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	r, err := stream.NewReader(in, file)
	if err != nil {
		t.Fatal(err)
	}
	for {
		record, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		use(record)
	}
}

// rightPixels is the share of pixels that predictions have on the right side of one half.
func rightPixels(t testing.TB, predictions string) float64 {
	t.Helper()
	right, all := 0, 0
	records(t, predictions, func(r *wire.Record) {
		p := r.GetPrediction()
		if p == nil {
			return
		}
		truth := make([]bool, len(p.Probabilities)/4)
		for _, id := range wire.AppendIDs(nil, p.TruthGaps) {
			truth[id] = true
		}
		for j, on := range truth {
			all++
			if (math.Float32frombits(binary.LittleEndian.Uint32(p.Probabilities[4*j:])) >= 0.5) == on {
				right++
			}
		}
	})
	return float64(right) / float64(all)
}

// meanImage is the share of pixels of test.pp that the mean image of train.pp has on the right side of one half.
func meanImage(t testing.TB, folder string) float64 {
	t.Helper()
	count := func(file string) (on []int, images int) {
		on = make([]int, 784)
		records(t, filepath.Join(folder, file), func(r *wire.Record) {
			if d := r.GetDocument(); d != nil {
				images++
				for _, id := range wire.AppendIDs(nil, d.WordGaps) {
					on[id]++
				}
			}
		})
		return on, images
	}
	train, all := count("train.pp")
	test, images := count("test.pp")
	right := 0
	for j, n := range test {
		if 2*train[j] >= all {
			right += n
		} else {
			right += images - n
		}
	}
	return float64(right) / float64(images*len(test))
}

// A network is a training run of a sigmoid belief network.
type network struct {
	hidden, rounds  int
	scheme          string // of sample
	noCount, images string // flags of estep and mstep, where the number of images is public
	plan            string // of the grant; "" for no noise
}

// train returns the share of right pixels of the test images, with hidden units drawn.
func (n network) train(t *testing.T, folder string) float64 {
	t.Helper()
	release, grant := "none", ""
	if n.plan != "" {
		release = "--grant grant.json"
		grant = fmt.Sprintf(`estep sbn --bounds %s --hidden %d --pixels 784 -o bounds.txt
			account plan-paper -q --ledger run.ledger --noise-multiplier 1 --delta 1e-6 -T %d %s --statistics bounds.txt --model sbn --vocab ../pixels.txt -o grant.json`,
			n.noCount, n.hidden, n.rounds, n.plan)
	}
	run(t, folder, fmt.Sprintf(`rm -rf run; mkdir run; cd run; mkfifo params
		account ledger new run.ledger
		%s
		sample -q %s -T %d ../train.pp | estep sbn %s --params params | privatize -q %s --ledger run.ledger |
			mstep sbn --hidden %d %s --vocab ../pixels.txt --params-out params -o model.pp
		estep sbn --score --model model.pp -o predictions.pp ../test.pp`,
		grant, n.scheme, n.rounds, n.noCount, release, n.hidden, n.images))
	return rightPixels(t, filepath.Join(folder, "run/predictions.pp"))
}

// TestDigits trains few hidden units on MNIST: far above the mean image without noise, and as good as it with noise of
// σ = 1 (specification.md §3.4). TestDigitsWhole has all 50 units.
func TestDigits(t *testing.T) {
	testkit.Deep(t, "quality")
	t.Parallel()
	folder := seeded.Folder(t, seeded.Chance{Seed: 1, Margin: "0.003 of the pixels", Rate: 1e-4})
	digits(t, folder)
	mean := meanImage(t, folder)
	t.Logf("mean image: %.4f", mean)
	for name, c := range map[string]struct {
		network
		least float64
	}{
		"without noise": {network{hidden: 5, rounds: 4, scheme: "--poisson 0.02"}, mean + .007},
		"σ = 1": {network{hidden: 2, rounds: 3, scheme: "--poisson 0.0533",
			plan: "--poisson 0.0533 --clip 2.6457514"}, mean - .003},
		"σ = 1, a public number of images": {network{
			hidden: 2, rounds: 3, scheme: "--fixed 3200", noCount: "--no-count", images: "--images 60000",
			plan: "--fixed 3200/60000 --clip 2.4494898 --clipping proved --sensitivity 1",
		}, mean - .003},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.train(t, folder)
			t.Logf("right pixels: %.4f", got)
			if got < c.least || got > .95 {
				t.Errorf("%.4f of the pixels are right, want %.4f at least", got, c.least)
			}
		})
	}
}

// TestDigitsWhole meets the numbers of specification.md §3.4 at K = 50, S = 3,200 and 18 rounds.
func TestDigitsWhole(t *testing.T) {
	testkit.Deep(t, "quality")
	folder := seeded.Folder(t, seeded.Chance{Seed: 1,
		Margin: "0.004 of the pixels without noise, not measured with noise", Rate: 1e-4})
	digits(t, folder)
	n := network{hidden: 50, rounds: 18, scheme: "--poisson 0.0533"}
	got := n.train(t, folder)
	t.Logf("without noise: %.4f", got)
	if got < .940 {
		t.Errorf("without noise %.4f of the pixels are right, want .940", got)
	}
	n.plan = "--poisson 0.0533 --clip 2.6457514"
	got, mean := n.train(t, folder), meanImage(t, folder)
	t.Logf("with noise: %.4f, mean image: %.4f", got, mean)
	if got < mean {
		t.Errorf("with noise %.4f of the pixels are right, of the mean image %.4f", got, mean)
	}
}
