package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"privpipe/evaluate/report"
	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// clustersModel is a model of clusters with these weights, over two dimensions.
func clustersModel(run string, weights ...float64) []byte {
	names, k := vocabulary.Words{"d1", "d2"}, uint32(len(weights))
	h := &wire.Header{
		Version: wire.Version, Kind: wire.Kind_PARAMETERS, Side: wire.Side_PUBLIC, Run: run, Model: "clusters",
		Vocabulary: names.Hash(), VocabularySize: 2,
	}
	add := func(name string, rows, columns uint32) {
		h.Matrices = append(h.Matrices,
			&wire.Matrix{Name: name, Rows: rows, Columns: columns, Element: wire.Element_FLOAT64})
	}
	add("weights", 1, k)
	add("means", k, 2)
	add("variances", k, 2)
	records := []*wire.Record{{Body: &wire.Record_Words{Words: &wire.Words{Words: names}}},
		{Round: 1, Body: &wire.Record_Parameters{Parameters: &wire.Parameters{
			Scalars: []*wire.Scalar{{Name: "rounds", Value: 1}}}}}}
	for i, cells := range [][]float64{
		weights, slices.Repeat([]float64{0.5}, int(2*k)), slices.Repeat([]float64{0.25}, int(2*k)),
	} {
		records = append(records, &wire.Record{Round: 1, Body: &wire.Record_Block{
			Block: &wire.Block{Matrix: uint32(i), Values: stream.AppendCells(nil, cells)}}})
	}
	b, _ := script.Stream(h, records...)
	return b
}

// clusterModels are models of clusters. Those of three have words in report.pp, those of two in model.pp.
func clusterModels() map[string][]byte {
	return map[string][]byte{
		"parts.pp":        clustersModel("monday", .25, .125, .625),
		"sunday-parts.pp": clustersModel("sunday", .25, .125, .625),
		"two-parts.pp":    clustersModel("", .875, .125),
		"empty-part.pp":   clustersModel("", 1, 0),
	}
}

// TestClusters: a page of clusters has the clusters' shares, names them as predictions do, and calls none a topic.
func TestClusters(t *testing.T) {
	p, err := pageOf(t, report.Report{Model: "report.pp", Clusters: "parts.pp", Ledger: "report.ledger",
		Account: "report.json", Releases: "report-rel.pp", Reference: "fair-docs.pp", Top: 5})
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, c := range p.Topics.All {
		got += fmt.Sprintf("%d %v; ", c.ID, c.Share)
	}
	if want := "2 0.625; 0 0.25; 1 0.125; "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	html, err := p.HTML()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<h1>Report on a model of clusters, run monday</h1>", "in 3 clusters.", `data-noun="cluster"`,
		`<a href="#topic-2">2</a></th>`, "Cluster 2, 62.5 % of the documents: ", ">62.5 % of the documents</span>",
		"<span>Cluster 2: ", "<dt>clusters</dt><dd>3</dd>", "2 dimensions", "estep cluster-words --model clusters.pp",
		"Shares count documents, not words", "The words of each cluster</h3>",
	} {
		if !strings.Contains(string(html), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	body, _, _ := strings.Cut(string(html), "<script>")
	_, body, _ = strings.Cut(body, "</style>")
	for _, free := range []string{ // classes and ids, the statistic of lda, and what lda itself does
		`class="topics"`, `id="topics"`, `"#topics"`, `"topics-title"`, "topic-", "data-topic", "--topics",
		"--top-topics", "topics=3x8", "topics 3×8", "the topics of documents",
	} {
		body = strings.ReplaceAll(body, free, "")
	}
	for line := range strings.SplitSeq(body, "\n") {
		if at := strings.Index(strings.ToLower(line), "topic"); at >= 0 {
			t.Errorf("the page says %q", line[max(0, at-60):min(len(line), at+60)])
		}
	}
}

// TestClustersRefused: the page takes the shares of clusters from a model with as many of them, which the ledger
// charges.
func TestClustersRefused(t *testing.T) {
	for _, c := range []struct {
		command report.Report
		want    string
	}{
		{report.Report{Model: "report.pp", Clusters: "two-parts.pp"}, "two-parts.pp has 2 clusters, "},
		{report.Report{Model: "report.pp", Clusters: "model.pp"}, "a model of lda, must be of clusters"},
		{report.Report{Model: "frequencies.pp", Clusters: "parts.pp"}, "--clusters needs a model with a topic"},
		{report.Report{Model: "report.pp", Clusters: "sunday-parts.pp"}, ""},
		{report.Report{Model: "report.pp", Clusters: "sunday-parts.pp", Ledger: "report.ledger",
			Account: "report.json", Releases: "report-rel.pp"}, `is of run "sunday", which `},
		{report.Report{Model: "parts.pp"}, ""},
	} {
		c.command.Top = 5
		p, err := pageOf(t, c.command)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.command, err, c.want)
		}
		if err == nil {
			if _, err := p.HTML(); err != nil {
				t.Error(err)
			}
		}
	}
}
