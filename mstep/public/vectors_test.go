package public

import (
	"bytes"
	"compress/gzip"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/vocabulary"
)

var animals = vocabulary.Words{"cat", "dog", "fish", "bird"}

// TestReadVectors reads the dialects of the format: with word2vec's first line or without, words with spaces, ends of
// lines.
func TestReadVectors(t *testing.T) {
	for name, text := range map[string]string{
		"glove":      "cat 1 -2\nhorse 9 9\ndog 0.5 3e1\nbird 0 0\n",
		"word2vec":   "4 2\ncat 1 -2 \nhorse 9 9 \ndog 0.5 3e1 \nbird 0 0",
		"with space": "cat 1 -2\r\n. . . 7 7\r\ndog\t0.5\t3e1\r\nat name@domain.com 1 1\r\nbird 0 0\r\n",
	} {
		r, err := readVectors(strings.NewReader(text), "v.txt", animals)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for v, want := range []struct {
			known bool
			x, y  float32
		}{{true, 1, -2}, {true, 0.5, 30}, {false, 0, 0}, {true, 0, 0}} {
			if r.known[v] != want.known || r.columns[0][v] != want.x || r.columns[1][v] != want.y {
				t.Errorf("%s: %s is %v, %v, %v; want %v", name, animals[v], r.known[v], r.columns[0][v],
					r.columns[1][v], want)
			}
		}
	}
}

// TestReadVectorsRefuses is about what is no text of vectors. A message names the line, never its content.
func TestReadVectorsRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"": "v.txt: has vectors for 0 of the 4 words of the vocabulary, " +
			"fewer than half",
		"4 2\n":                            "v.txt: 0 vectors, where line 1 says 4: the file is cut off or was edited",
		"0 2\n":                            "v.txt: has vectors for 0 of the 4 words",
		"3 2\ncat 1 2\ndog 1 2\n":          "v.txt: 2 vectors, where line 1 says 3",
		"1 2\ncat 1 2\ndog 1 2\n":          "v.txt: 2 vectors, where line 1 says 1",
		"2 3\ncat 1 2\ndog 1 2\n":          "v.txt: line 2: 2 numbers after the word, where line 1 says 3",
		"cat 1 2\n":                        "v.txt: has vectors for 1 of the 4 words",
		"cat\n":                            "v.txt: line 1: 0 numbers after the word, must be 1 to 2000",
		"\n":                               "v.txt: line 1: -1 numbers",
		"cat" + strings.Repeat(" 1", 2001): "v.txt: line 1: 2001 numbers after the word",
		"cat 1 2\ndog 1\n":                 "v.txt: line 2: fewer than the 2 numbers of the first vector",
		"cat 1 2\ndog 1 x\n":               "v.txt: line 2: number 2 is not a finite number",
		"cat 1 2\nhorse NaN 1\n":           "v.txt: line 2: number 1 is not a finite number",
		"cat 1 2\ndog 1e39 1\n":            "v.txt: line 2: number 1 is not a finite number",
		"cat 1 2\ndog 1 2\ncat 1 2\n":      "v.txt: line 3: this word comes a second time",
		strings.Repeat("x", 2<<20):         "v.txt: line 1: longer than 1 MiB",
	} {
		_, err := readVectors(strings.NewReader(text), "v.txt", animals)
		if err == nil || !strings.Contains(err.Error(), want) || exit.Code(err) != exit.Malformed {
			t.Errorf("%.20q: %v, want %q and exit code %d", text, err, want, exit.Malformed)
		}
	}
}

// TestFeaturesOfVectors checks the mean, the total variance and the place for words without a vector, under unequal
// frequencies.
func TestFeaturesOfVectors(t *testing.T) {
	p := []float64{.1, .2, .3, .4}
	r := &vectors{columns: [][]float32{{1, 5, 99, -2}, {0, 1, 99, 4}}, known: []bool{true, true, false, true}}
	columns := r.features(p, 7)
	if got := totalVariance(columns, p); math.Abs(got-7) > 1e-5 {
		t.Errorf("the total variance is %v, want 7", got)
	}
	for i, column := range columns {
		mean := 0.0
		for v, x := range column {
			mean += p[v] * float64(x)
		}
		if math.Abs(mean) > 1e-6 || column[2] != 0 {
			t.Errorf("column %d has the mean %v, and %v for the word without a vector; want 0", i, mean, column[2])
		}
	}
	// Distances between words with vectors keep their proportions.
	square := func(c [][]float32, a, b int) float64 {
		return math.Pow(float64(c[0][a]-c[0][b]), 2) + math.Pow(float64(c[1][a]-c[1][b]), 2)
	}
	if got, want := square(columns, 0, 1)/square(columns, 1, 3),
		square(r.columns, 0, 1)/square(r.columns, 1, 3); math.Abs(got/want-1) > 1e-5 {
		t.Errorf("a proportion of squared distances is %v, want %v", got, want)
	}
	equal := &vectors{columns: [][]float32{{3, 3, 3, 3}}, known: []bool{true, true, true, true}}
	for v, x := range equal.features(p, 7)[0] {
		if x != 0 {
			t.Errorf("word %d of equal vectors has the feature %v, want 0", v, x)
		}
	}
}

// FuzzReadVectors checks that whatever is read is finite and of the vocabulary, or refused as malformed.
func FuzzReadVectors(f *testing.F) {
	for _, seed := range []string{"", "cat 1 2\ndog 3 4\n", "2 2\ncat 1 2\nfish 3 4", "cat 1e40\n", ". . 1\ncat 2",
		"\xff 1\n", "cat\t1 \r\ndog 2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := readVectors(strings.NewReader(text), "v.txt", animals)
		if err != nil {
			if exit.Code(err) != exit.Malformed {
				t.Errorf("%v has the exit code %d, want %d", err, exit.Code(err), exit.Malformed)
			}
			return
		}
		for _, column := range r.features([]float64{.1, .2, .3, .4}, 1) {
			for v, x := range column {
				if x != x || math.IsInf(float64(x), 0) {
					t.Errorf("word %d has the feature %v", v, x)
				}
			}
		}
	})
}

// TestBrokenVectors: the error of a file that cannot be read to its end names the file once.
func TestBrokenVectors(t *testing.T) {
	name := filepath.Join(t.TempDir(), "v.txt.gz")
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte("cat 1 2\ndog 3 4\n")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes()[:b.Len()-4], 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := openVectors(t.Context(), name, animals)
	if exit.Code(err) != exit.Malformed || strings.Count(err.Error(), "v.txt.gz") != 1 {
		t.Errorf("%v, want a damaged file that is named once", err)
	}
}
