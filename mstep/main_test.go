package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"testing"

	"privpipe/mstep/blr"
	"privpipe/mstep/clusters"
	"privpipe/mstep/dpvi"
	"privpipe/mstep/lda"
	"privpipe/mstep/linear"
	"privpipe/mstep/mean"
	"privpipe/mstep/sbn"
	"privpipe/pipelines/event"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

func TestMain(m *testing.M) { script.Main(m, map[string]func(){"mstep": main, "unend": unend}) }

// unend copies a stream without its end record.
func unend() {
	b, err := io.ReadAll(os.Stdin)
	if err == nil {
		_, err = os.Stdout.Write(unended(b))
	}
	if err != nil {
		panic(err)
	}
}

var vocab = vocabulary.Words{"cat", "dog", "fish"}

// files are what the scripts read: releases over vocab.txt for lda with 2 topics and for words, and broken ones.
func files() map[string][]byte {
	topics := lda.New(lda.Options{Topics: 2, Words: len(vocab)})
	released := func(change func(*wire.Header), releases ...modeltest.Release) []byte {
		h := modeltest.Header(topics, vocab.Hash(), len(vocab))
		if change != nil {
			change(h)
		}
		return modeltest.Stream(h, releases...)
	}
	rounds := []modeltest.Release{
		{Round: 1, Head: modeltest.Gaussian(0.5, 0.25, 4, 3), Steps: []int64{80, -3, 9, 2, 0, 51}},
		{Round: 2, Head: modeltest.Gaussian(0.5, 0.25, 4, 3), Steps: []int64{77, 8, -2, -5, 12, 61}},
		{Round: 3, Head: modeltest.Gaussian(0.5, 0.25, 4, 3), Steps: []int64{91, 4, 1, 3, -6, 55}},
	}
	noiseless := &wire.Release{
		Mechanism: event.None, Grid: 0.5,
		Scheme: &wire.Scheme{Method: wire.Scheme_ALL, Rate: 1, Rounds: 1, Secret: true},
	}
	increments := []modeltest.Release{
		{Round: 1, Head: modeltest.OfAll(0.5, 1, 2), Steps: []int64{2, 4, 6, 0, 0, 10}},
		{Round: 2, Head: modeltest.OfAll(0.5, 1, 2), Steps: []int64{-1, 0, 2, -4, 0, 1}},
	}
	laplace := modeltest.Gaussian(0.5, 0.25, 4, 3)
	laplace.Mechanism = event.Laplace
	other := vocabulary.Words{"cat", "dog", "bird"}

	logistic := blr.Options{Words: len(vocab), A0: 1, B0: 1}
	twoRows := rowReleases(blr.New(logistic), rounds[0].Head, []int64{5, -4, 2, 7, 0, -3, 9, 1, 8},
		[]int64{6, 1, 0, 5, 1, 2, 9, 0, 7})

	linearSteps := [][]int64{{5, -4, 2, 7, 0, -3, 9, 1, 8, 30, 40}, {6, 1, 0, 5, 1, 2, 9, 0, 7, 20, 41}}
	twoLinear := rowReleases(linear.New(linear.Options{Words: len(vocab)}), rounds[0].Head, linearSteps...)

	network := sbn.New(sbn.Options{Size: model.Size{Words: len(vocab), Components: 2}})
	imageSums := []int64{
		8, 6, // z
		16, 0, 8, // y
		2, 2, 3, // g
		1, 1, 1, 1, 2, 1, // gz
		8, 6, 0, 0, 4, 2, // yz
		1, 0, 1, 1, 0, 1, 2, 1, 1, // gzz
		16, // count
	}
	fourth, fifth := rounds[0], rounds[1]
	fourth.Round, fifth.Round = 4, 5
	manyTopics := lda.New(lda.Options{Topics: 20_000, Words: len(vocab)}) // a release of them takes two frames
	large := modeltest.Stream(modeltest.Header(manyTopics, vocab.Hash(), len(vocab)),
		modeltest.Release{Round: 1, Head: rounds[0].Head, Steps: slices.Repeat(rounds[0].Steps, 10_000)},
		modeltest.Release{Round: 2, Head: rounds[0].Head, Steps: slices.Repeat(rounds[1].Steps, 10_000)})

	small := model.Size{Words: len(vocab), Components: 2}
	means := make([]float64, 2*len(vocab))
	mixture := clusters.New(clusters.Options{Size: small}, means)
	clusterSums := [][]int64{{60, 20, 30, 30, 0, 0, 10, 0}, {50, 24, 26, 28, 2, -1, 12, 1},
		{52, 25, 26, 29, 0, -1, 14, 1}}
	uncounted := sbn.New(sbn.Options{Size: small, Images: 8})

	all := map[string][]byte{
		"vocab.txt":   []byte("cat\ndog\nfish\n"),
		"other.txt":   []byte("cat\ndog\nbird\n"),
		"releases.pp": released(nil, rounds...),
		"one-of-noise.pp": released(nil,
			modeltest.Release{Round: 1, Head: rounds[0].Head, Steps: []int64{90, 80, -3, 9, 2, 0}}),
		"first-one.pp":  unended(released(nil, rounds[0])),
		"first-two.pp":  unended(released(nil, rounds[:2]...)),
		"truncated.pp":  unended(released(nil, rounds...)),
		"third.pp":      released(nil, rounds[2]),
		"first-five.pp": unended(released(nil, append(slices.Clone(rounds), fourth, fifth)...)),
		"large.pp":      large,
		"broken-off.pp": unended(unended(large)),
		"noiseless.pp": released(nil,
			modeltest.Release{Round: 1, Head: noiseless, Steps: []int64{2, 4, 6, 0, 0, 10}}),
		"none.pp":       released(nil),
		"other-run.pp":  released(func(h *wire.Header) { h.Run = "another-run" }, rounds...),
		"private.pp":    released(func(h *wire.Header) { h.Side = wire.Side_PRIVATE }, rounds...),
		"other-word.pp": released(func(h *wire.Header) { h.Vocabulary = other.Hash() }, rounds...),
		"increments.pp": released(nil, increments...),
		"second.pp":     released(nil, increments[1]),
		"first.pp":      unended(released(nil, increments[0])),
		"laplace.pp": released(nil,
			modeltest.Release{Round: 1, Head: laplace, Steps: []int64{80, -3, 9, 2, 0, 51}}),
		"rows.pp":     rowReleases(blr.New(logistic), noiseless, []int64{16, 0, 0, 8, 0, 0, 0, 0, 0}),
		"two-rows.pp": twoRows,
		"first-row.pp": unended(rowReleases(blr.New(logistic), rounds[0].Head,
			[]int64{5, -4, 2, 7, 0, -3, 9, 1, 8})),
		"linear.pp": rowReleases(linear.New(linear.Options{Words: len(vocab)}), noiseless,
			[]int64{4, 0, 0, 6, 0, 0, 0, 0, 0, 3, 4}),
		"two-linear.pp": twoLinear,
		"first-linear.pp": unended(rowReleases(linear.New(linear.Options{Words: len(vocab)}), rounds[0].Head,
			linearSteps[0])),
		"cluster-sums.pp":       rowReleases(mixture, noiseless, []int64{6, 2, 3, 3, 0, 0, 1, 0}),
		"three-cluster-sums.pp": rowReleases(mixture, rounds[0].Head, clusterSums...),
		"first-cluster-sums.pp": unended(rowReleases(mixture, rounds[0].Head, clusterSums[0])),
		"noisy-cluster-sums.pp": rowReleases(mixture, rounds[0].Head, []int64{6, 2, 3, 3, 0, 0, 1, 0}),
		"cluster-squares.pp": rowReleases(clusters.New(clusters.Options{Size: small, Diagonal: true}, means), noiseless,
			[]int64{6, 2, 3, 3, 0, 0, 1, 0, 3, 3, 0, 0, 1, 0}),
		"public-vectors.pp":  vectorStream(wire.Side_PUBLIC, vocab, 8),
		"private-vectors.pp": vectorStream(wire.Side_PRIVATE, vocab, 8),
		"other-vectors.pp":   vectorStream(wire.Side_PUBLIC, other, 8),
		"one-vector.pp":      vectorStream(wire.Side_PUBLIC, vocab, 1),
		"public-counts.pp": documentStream(&wire.Header{Side: wire.Side_PUBLIC, Vocabulary: vocab.Hash(),
			VocabularySize: uint32(len(vocab))}, &wire.Document{Id: "a", WordGaps: []uint32{0}, Counts: []uint32{2}}),
		"gradients.pp":   rowReleases(dpvi.New(dpvi.Options{Words: len(vocab)}), noiseless, []int64{3, -9, 0, 1, 1, 1}),
		"images.pp":      rowReleases(network, noiseless, imageSums),
		"two-images.pp":  rowReleases(network, rounds[0].Head, imageSums, imageSums),
		"first-image.pp": unended(rowReleases(network, rounds[0].Head, imageSums)),
		"uncounted.pp":   rowReleases(uncounted, noiseless, imageSums[:len(imageSums)-1]),
		"words.pp":       wordReleases(vocab, 40, 10, 30),
		"exact-counts.pp": modeltest.Stream(modeltest.Header(mean.NewWords(len(vocab)), vocab.Hash(), len(vocab)),
			modeltest.Release{Round: 1, Head: noiseless, Steps: []int64{40, 10, 30}}),
		"words-other.pp": wordReleases(other, 40, 10, 30),
	}
	maps.Copy(all, reports())
	maps.Copy(all, windows())
	return all
}

// wordReleases is a stream of one release of counts.
func wordReleases(vocab vocabulary.Words, counts ...int64) []byte {
	var l model.Learner = mean.NewWords(len(vocab))
	return modeltest.Stream(modeltest.Header(l, vocab.Hash(), len(vocab)),
		modeltest.Release{Round: 1, Head: modeltest.Gaussian(1, 1, 1, 1), Steps: counts})
}

// vectorStream is a stream of vectors, by turns (0.8, 0, 0) and (0, 0, 2), and an empty one.
func vectorStream(side wire.Side, dimensions vocabulary.Words, number int) []byte {
	all := []*wire.Document{{Id: "empty"}}
	for i := range number {
		all = append(all, &wire.Document{Id: fmt.Sprint(i), WordGaps: []uint32{uint32(i % 2 * 2)},
			Values: stream.AppendCells(nil, []float32{[]float32{0.8, 2}[i%2]})})
	}
	h := &wire.Header{Vocabulary: dimensions.Hash(), VocabularySize: uint32(len(dimensions)), Values: true, Side: side}
	return documentStream(h, all...)
}

// documentStream is a stream of documents. The header lacks the version and the kind.
func documentStream(h *wire.Header, documents ...*wire.Document) []byte {
	h.Version, h.Kind = wire.Version, wire.Kind_DOCUMENTS
	var records []*wire.Record
	for _, d := range documents {
		records = append(records, &wire.Record{Body: &wire.Record_Document{Document: d}})
	}
	b, _ := script.Stream(h, records...)
	return b
}

// rowReleases is a stream of releases of these cells, with one head.
func rowReleases(l model.Learner, head *wire.Release, cells ...[]int64) []byte {
	var releases []modeltest.Release
	for i, steps := range cells {
		releases = append(releases, modeltest.Release{Round: uint32(i + 1), Head: head, Steps: steps})
	}
	return modeltest.Stream(modeltest.Header(l, vocab.Hash(), len(vocab)), releases...)
}

// unended cuts the last frame off a stream: that of a whole stream has only the end record.
func unended(b []byte) []byte { return b[:bytes.LastIndex(b, []byte("\x28\xb5\x2f\xfd"))] }

func TestScripts(t *testing.T) { script.Run(t, files()) }
