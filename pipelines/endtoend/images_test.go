package endtoend

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/seeded"
)

// stripes writes train.idx with the given number of images, and held.idx with 300 images, to a folder. The images have
// 6 × 6 pixels, with two neighbouring rows or columns on, and one pixel in twenty wrong. Their mean has no pixel on.
func stripes(t *testing.T, folder string, images int) {
	t.Helper()
	const side = 6
	r := rand.New(rand.NewPCG(5, 6))
	for _, f := range []struct {
		name   string
		images int
	}{{"train.idx", images}, {"held.idx", 300}} {
		idx := binary.BigEndian.AppendUint32(nil, 0x803)
		for _, size := range []int{f.images, side, side} {
			idx = binary.BigEndian.AppendUint32(idx, uint32(size))
		}
		for range f.images {
			along, stripe := r.IntN(2), r.IntN(side/2)
			for pixel := range side * side {
				on := [2]int{pixel / side, pixel % side}[along]/2 == stripe
				if r.IntN(20) == 0 {
					on = !on
				}
				idx = append(idx, map[bool]byte{true: 200, false: 20}[on])
			}
		}
		write(t, folder, f.name, string(idx))
	}
}

// An imageRecipe is a recipe of sigmoid belief networks with flags, what its report says, and how far above the mean
// image the model is at least. ¦ stands between the patterns.
type imageRecipe struct {
	name, command, rows string
	gain                float64
}

var imageRecipes = []imageRecipe{
	{"sbn", "sbn.sh --epsilon 2 --rounds 4",
		`pld +(2|1\.99\d*) +1e-06 .*add-remove +document +5\n¦4 +gaussian +\S+ +poisson\(0\.0533\) × 4 +yes\n`, -1},
	// By default one pass. The claim is of the paper's setting in all but the numbers of images.
	{"vips", "papers/vips-sbn.sh", `pld +3\.1\d* +0\.0001 .*replace-one +document +5\n¦vips20 +ε 5\.713\n¦5 +gaussian +1 +fixed\(400/2000\) × 5 +yes\n`, -1},
	{"sbn all", "sbn.sh --sigma 0.4 --rate 1 --rounds 3", `3 +gaussian +0\.4\d* +all × 3 +no\n`, .05},
	{"sbn none", "sbn.sh --sigma none --rate 0.2 --rounds 5", `pld +∞¦5 +none +0 +poisson\(0\.2\) × 5 +no\n`, .1},
	// 400/2000 of the noise.
	{"vips literal", "papers/vips-sbn.sh --sigma 2 --literal --rounds 4",
		`4 +gaussian +0\.4000\d* +fixed\(400/2000\) × 4 +yes\n`, .05},
	{"vips none", "papers/vips-sbn.sh --sigma none --batch 300", `pld +∞¦6 +none +0 +fixed\(300/2000\) × 6 +no\n`, .1},
}

// ofImages is the path of a recipe for small images, with flags.
func ofImages(command string) string {
	recipe, flags, _ := strings.Cut(command, " ")
	return filepath.Join(root, "pipelines/recipes", recipe) + " --image 6x6 --hidden 4 " + flags
}

// TestImageRecipes runs the recipes of sigmoid belief networks, and each command once more, from another folder: it
// prints the same, and charges nothing. Only public images come to the page, and into a picture.
func TestImageRecipes(t *testing.T) {
	testkit.Deep(t, "papers")
	folder := seeded.Folder(t, seeded.Chance{Seed: 1, Margin: "0.04 of the pixels", Rate: 1e-6})
	stripes(t, folder, 2000)
	run(t, folder, "mkdir elsewhere; tokenize images -q --public --image 6x6 -o held.pp held.idx")
	for _, c := range imageRecipes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.check(t, folder)
		})
	}
}

// TestStrongComposition is TestImageRecipes with a claim whose accounting takes half a minute.
func TestStrongComposition(t *testing.T) {
	testkit.Deep(t, "papers")
	folder := t.TempDir()
	stripes(t, folder, 2000)
	run(t, folder, "mkdir elsewhere; tokenize images -q --public --image 6x6 -o held.pp held.idx")
	imageRecipe{"vips strong", "papers/vips-sbn.sh --composition strong --rounds 3",
		`vips20 +ε 0\.\d+\n¦3 +gaussian +[2-9]\.\d+ +fixed\(400/2000\) × 3 +yes\n`, -1}.check(t, folder)
}

// check runs the recipe on the images in folder.
func (c imageRecipe) check(t *testing.T, folder string) {
	t.Helper()
	out := strings.ReplaceAll(c.name, " ", "-")
	report := run(t, folder, fmt.Sprintf("%s --held held.pp train.idx %s", ofImages(c.command), out))
	for _, want := range strings.Split(c.rows, "¦") {
		if !regexp.MustCompile(want).MatchString(report) {
			t.Errorf("no %s in\n%s", want, report)
		}
	}
	gain := regexp.MustCompile(`(?m)^mean image +0\.6\d+ .*? ([-+]0\.\d+) .* 300$`).FindStringSubmatch(report)
	if gain == nil {
		t.Fatalf("no gain over the mean image:\n%s", report)
	}
	t.Logf("%s above the mean image", gain[1])
	if got, _ := strconv.ParseFloat(gain[1], 64); got < c.gain {
		t.Errorf("the model is %v above the mean image, want %v at least", got, c.gain)
	}
	charged := read(t, filepath.Join(folder, out, "private/run.ledger"))
	again := run(t, filepath.Join(folder, "elsewhere"),
		fmt.Sprintf("%s --held ../held.pp ../train.idx ../%s", ofImages(c.command), out))
	if again != report || read(t, filepath.Join(folder, out, "private/run.ledger")) != charged {
		t.Errorf("the second time it printed\n%s\nand the first\n%s", again, report)
	}
	run(t, folder, fmt.Sprintf("account verify %s/private/run.ledger; "+
		"grep -q -- '</html>' %[1]s/public/report.html", out))
	page := read(t, filepath.Join(folder, out, "public/report.html"))
	share := regexp.MustCompile(`(?m)^model +\S+ +(\S+ to \S+)`).FindStringSubmatch(report)[1]
	if !strings.Contains(page, share) {
		t.Errorf("the page lacks the interval of right pixels, %s", share)
	}
	if _, err := os.Stat(filepath.Join(folder, out, "public/picture.png")); err != nil {
		t.Error(err)
	}
	// The same images, private: not on the page, and no picture.
	private := run(t, folder, fmt.Sprintf("%s --held held.idx train.idx %s", ofImages(c.command), out))
	if private != report {
		t.Errorf("of private images it printed\n%s\nand of public ones\n%s", private, report)
	}
	if strings.Contains(read(t, filepath.Join(folder, out, "public/report.html")), share) {
		t.Error("the page has a number of private images")
	}
	if _, err := os.Stat(filepath.Join(folder, out, "public/picture.png")); err == nil {
		t.Error("there is a picture of private images")
	}
	for _, change := range []string{"--rounds 7", "--hidden 3", "--seed 2", "--bernoulli", "--delta 1e-5"} {
		other := bash(folder, fmt.Sprintf("%s %s train.idx %s", ofImages(c.command), change, out))
		if other.Run(); other.ProcessState.ExitCode() != 80 ||
			!strings.Contains(other.stderr.String(), "other settings") {
			t.Errorf("%s in the same folder: exit code %d, %s", change, other.ProcessState.ExitCode(),
				other.stderr.String())
		}
	}
}

// TestBernoulliImages: with --bernoulli a pixel of intensity 20 is on now and then, and one of 200 not always.
func TestBernoulliImages(t *testing.T) {
	folder := t.TempDir()
	stripes(t, folder, 1000)
	command := ofImages("sbn.sh") + " --sigma none --rounds 1 train.idx "
	run(t, folder, command+"threshold; "+command+"--bernoulli coins; "+
		"! cmp -s threshold/private/documents.pp coins/private/documents.pp")
	run(t, folder, "tokenize images -q --image 6x6 --bernoulli train.idx | show --private >a; "+
		"show --private coins/private/documents.pp >b; cmp a b")
}

// TestKilledImageRecipe kills all processes of a recipe once some rounds are charged, and runs the same command again.
func TestKilledImageRecipe(t *testing.T) {
	testkit.Deep(t, "papers")
	folder := t.TempDir()
	stripes(t, folder, 2000)
	for name, command := range map[string]string{"sbn": "sbn.sh", "none": "sbn.sh --sigma none",
		"vips": "papers/vips-sbn.sh"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			killed(t, folder, fmt.Sprintf("%s --rounds 60 train.idx %s", ofImages(command), name), name, 60)
		})
	}
}

// TestImageRecipesRefuse gives the recipes what they cannot have. They say so before they read an image, and charge
// nothing.
func TestImageRecipesRefuse(t *testing.T) {
	testkit.Deep(t, "papers")
	folder := t.TempDir()
	stripes(t, folder, 20)
	for command, message := range map[string]string{
		"sbn.sh --sigma 0":                                     "--sigma must be a positive number, is 0",
		"sbn.sh --sigma 1 --epsilon 1":                         "--epsilon and --sigma both set the noise",
		"sbn.sh --epsilon 0":                                   "--epsilon must be a positive number, is 0",
		"sbn.sh --rate 2":                                      "--rate must be at most 1, is 2",
		"sbn.sh --rounds 0":                                    "--rounds must be a positive number, is 0",
		"sbn.sh --hidden 0":                                    "--hidden must be a positive number, is 0",
		"sbn.sh --hidden 100000":                               "--hidden",
		"sbn.sh --image 6":                                     "--image",
		"sbn.sh --seed x":                                      "--seed must be a whole number, is x",
		"sbn.sh --unit word":                                   "--unit must be document or user",
		"sbn.sh --ledger x.ledger":                             "no such ledger: x.ledger",
		"sbn.sh --sigma none --ledger train.idx":               "--sigma none would spend the ledger for ever",
		"sbn.sh --held nowhere":                                "no such text: nowhere",
		"papers/vips-sbn.sh --sigma x":                         "--sigma must be a positive number, is x",
		"papers/vips-sbn.sh --sigma none --literal":            "--literal and --composition are for noise",
		"papers/vips-sbn.sh --sigma none --composition strong": "--literal and --composition are for noise",
		"papers/vips-sbn.sh --composition linear":              "--composition must be moments or strong, is linear",
		"papers/vips-sbn.sh --batch 0":                         "--batch must be a positive number, is 0",
		"papers/vips-sbn.sh --rounds x":                        "--rounds must be a positive number, is x",
		"papers/vips-sbn.sh --kappa x":                         "--kappa: expected a float",
		"papers/vips-sbn.sh --delta 2":                         "delta",
		"papers/vips-sbn.sh --ledger x.ledger":                 "unknown flag --ledger",
	} {
		// The input is no image: who reads it says so.
		s := bash(folder, "rm -rf out; echo nonsense >nonsense.idx; "+ofImages(command)+" nonsense.idx out")
		if s.Run(); s.ProcessState.ExitCode() != 80 || !strings.Contains(s.stderr.String(), message) {
			t.Errorf("%s: exit code %d, %q; want 80, %q", command, s.ProcessState.ExitCode(), s.stderr.String(),
				message)
		}
		if left, _ := filepath.Glob(filepath.Join(folder, "out/private/*[.]ledger")); left != nil {
			t.Errorf("%s: left %v", command, left)
		}
	}
	for command, want := range map[string]struct {
		code    int
		message string
	}{
		"sbn.sh train.idx":                                {83, "fewer than 1000 (account advise --min-documents)"},
		"sbn.sh --force --unit user train.idx":            {83, "no image names a user"},
		"sbn.sh --force nonsense.idx":                     {90, "nonsense.idx"},
		"sbn.sh --force --image 5x5 train.idx":            {90, "train.idx"},
		"papers/vips-sbn.sh train.idx":                    {83, "fewer than 1000 images"},
		"papers/vips-sbn.sh --force --batch 21 train.idx": {80, "--batch 21 is larger than the number of documents"},
	} {
		s := bash(folder, "rm -rf few; "+ofImages(command)+" few")
		if s.Run(); s.ProcessState.ExitCode() != want.code || !strings.Contains(s.stderr.String(), want.message) {
			t.Errorf("%s: exit code %d, %q; want %d, %q", command, s.ProcessState.ExitCode(), s.stderr.String(),
				want.code, want.message)
		}
	}
	refused := bash(folder, ofImages("papers/vips-sbn.sh")+" train.idx again")
	refused.Run()
	// the folder takes other settings after a refusal
	run(t, folder, ofImages("papers/vips-sbn.sh")+" --force --batch 5 --rounds 2 train.idx again")
}
