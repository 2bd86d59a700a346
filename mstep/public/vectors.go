package public

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"privpipe/pipelines/endpoint/plain"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/vocabulary"
)

// vectors are vectors of words that somebody learned from other public text. They are stored by dimension, with a cell
// for each word in the vocabulary.
type vectors struct {
	columns [][]float32
	known   []bool // the words that have a vector
}

// maxDimensions bounds the number of dimensions.
const maxDimensions = 2000

// openVectors reads vectors from a text, compressed or not, in the format of GloVe and word2vec: each line has a word
// and its numbers.
func openVectors(ctx context.Context, name string, vocab vocabulary.Words) (*vectors, error) {
	in, err := plain.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return readVectors(in, in.Name, vocab)
}

// readVectors refuses lines with different lengths, numbers that are not finite, and vocabulary words that come twice.
// It also refuses files with vectors for less than half of the vocabulary. Its errors name the line. The first line may
// state the numbers of words and dimensions, as word2vec's does. Then the file must have exactly these numbers.
func readVectors(in io.Reader, name string, vocab vocabulary.Words) (*vectors, error) {
	places := make(map[string]int, len(vocab))
	for v, word := range vocab {
		places[word] = v
	}
	r := &vectors{known: make([]bool, len(vocab))}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	line, words := 0, 0
	var promised head
	fail := func(format string, args ...any) (*vectors, error) {
		return nil, exit.Errorf(exit.Malformed, "%s: line %d: %s", name, line, fmt.Sprintf(format, args...))
	}
	for lines.Scan() {
		line++
		text := strings.TrimRight(lines.Text(), " \t\r")
		if line == 1 {
			var ok bool
			if promised, ok = readHead(text); ok {
				continue
			}
		}
		if r.columns == nil {
			dimensions := len(strings.Fields(text)) - 1
			if dimensions < 1 || dimensions > maxDimensions {
				return fail("%d numbers after the word, must be 1 to %d", dimensions, maxDimensions)
			}
			if promised.given && uint64(dimensions) != promised.dimensions {
				return fail("%d numbers after the word, where line 1 says %d", dimensions, promised.dimensions)
			}
			r.columns = make([][]float32, dimensions)
			for i := range r.columns {
				r.columns[i] = make([]float32, len(vocab))
			}
		}
		word, numbers, ok := cutLast(text, len(r.columns))
		if !ok {
			return fail("fewer than the %d numbers of the first vector", len(r.columns))
		}
		v, wanted := places[word]
		if wanted && r.known[v] {
			return fail("this word comes a second time")
		}
		for i, field := range strings.Fields(numbers) {
			x, err := strconv.ParseFloat(field, 32)
			if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
				return fail("number %d is not a finite number", i+1)
			}
			if wanted {
				r.columns[i][v] = float32(x)
			}
		}
		if wanted {
			r.known[v] = true
			words++
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		line++
		return fail("longer than 1 MiB")
	} else if err != nil {
		return nil, err // it names the file
	}
	if promised.given && uint64(line-1) != promised.words {
		return nil, exit.Errorf(exit.Malformed,
			"%s: %d vectors, where line 1 says %d: the file is cut off or was edited", name, line-1, promised.words).
			WithHint("without its first line the file is read as it is")
	}
	if 2*words < len(vocab) {
		return nil, exit.Errorf(exit.Malformed,
			"%s: has vectors for %d of the %d words of the vocabulary, fewer than half", name, words, len(vocab))
	}
	return r, nil
}

// A head is word2vec's first line.
type head struct {
	given             bool
	words, dimensions uint64
}

// readHead reads a line "N D": the number of words and the number of dimensions.
func readHead(line string) (h head, ok bool) {
	fields := strings.Fields(line)
	if len(fields) != 2 {
		return head{}, false
	}
	var errWords, errDimensions error
	h.words, errWords = strconv.ParseUint(fields[0], 10, 63)
	h.dimensions, errDimensions = strconv.ParseUint(fields[1], 10, 63)
	if errWords != nil || errDimensions != nil {
		return head{}, false
	}
	h.given = true
	return h, true
}

// cutLast cuts a line before its last n fields. The part before them is the word. It may have spaces, as some words of
// GloVe do.
func cutLast(line string, n int) (word, fields string, ok bool) {
	at := len(line)
	for range n {
		at = strings.LastIndexAny(strings.TrimRight(line[:at], " \t"), " \t")
		if at < 0 {
			return "", "", false
		}
	}
	return strings.TrimSpace(line[:at]), line[at:], true
}

// features returns the columns around their means. A word without a vector is at the means. All columns are multiplied
// by one factor that gives them the given total variance under the frequencies p. The factor is free because vectors
// have no unit of their own.
func (r *vectors) features(p []float64, variance float64) [][]float32 {
	mass, total := 0.0, 0.0
	for v, known := range r.known {
		if known {
			mass += p[v]
		}
	}
	centered := make([][]float32, len(r.columns))
	for i, column := range r.columns {
		mean, square := 0.0, 0.0
		for v, known := range r.known {
			if known {
				mean += p[v] / mass * float64(column[v])
				square += p[v] / mass * float64(column[v]) * float64(column[v])
			}
		}
		total += mass * max(square-mean*mean, 0)
		centered[i] = make([]float32, len(column))
		for v, known := range r.known {
			if known {
				centered[i][v] = float32(float64(column[v]) - mean)
			}
		}
	}
	if total == 0 {
		return centered
	}
	factor := float32(math.Sqrt(variance / total))
	for _, column := range centered {
		for v := range column {
			column[v] *= factor
		}
	}
	return centered
}

// totalVariance returns the sum of the variances of columns under the frequencies p.
func totalVariance(columns [][]float32, p []float64) float64 {
	total := 0.0
	for _, column := range columns {
		mean, square := 0.0, 0.0
		for v, x := range column {
			mean += p[v] * float64(x)
			square += p[v] * float64(x) * float64(x)
		}
		total += max(square-mean*mean, 0)
	}
	return total
}
