package measure

import (
	"fmt"
	"io"
	"strconv"

	"privpipe/evaluate/internal/result"
	"privpipe/evaluate/internal/score"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// Clusters measures clusters of documents.
type Clusters struct {
	Vectors string `placeholder:"FILE" help:"Measure how far apart the clusters are, too: the mean silhouette of the documents in FILE. They are DOCUMENTS with values, of public held-out vectors, and have the ids of the predictions."`
	Most    int    `default:"5000" placeholder:"N" help:"Measure the silhouettes of the first N documents of --vectors that have a prediction (default ${default}). The time is quadratic in N."`
	//lint:ignore SA5008 kong reads every set
	ofStream `set:"form=tables" set:"stream=predictions of clusters, of estep clusters --score"`
	filter.Cells
}

// mostSilhouettes bounds the time of silhouettes, 2.5 billion distances.
const mostSilhouettes = 50_000

// Help is kong's hook.
func (Clusters) Help() string {
	return "A document is in the cluster of the highest probability, the first of equal ones. Clusters are compared " +
		"with the labels of the documents. A document without a label is counted, and left out of the " +
		"comparison.\n\n" +
		"NMI is the mutual information of clusters and labels over the mean of their entropies (1: the same sets). " +
		"It grows with the number of clusters, also without any relation to the labels. AMI and ARI are corrected " +
		"for that, and are 0 on average by chance (Vinh, Epps and Bailey 2010; Hubert and Arabie 1985). Purity is " +
		"the share of documents with the most frequent label in their cluster. It grows, too. Beside it stands the " +
		"purity of one cluster. Homogeneity is 1 if each cluster has one label, completeness if each label has one " +
		"cluster (Rosenberg and Hirschberg 2007).\n\n" +
		"A silhouette needs no labels. It is in [-1, 1]: near 1 where a document is much closer to its own cluster " +
		"than to the next, by mean Euclidean distance, and below 0 where another cluster is closer (Rousseeuw " +
		"1987). It is 0 for the only document of a cluster. Documents with a prediction and no vector, or the other " +
		"way round, are counted and left out."
}

// Validate is kong's hook.
func (c *Clusters) Validate() error {
	if c.Most < 2 || c.Most > mostSilhouettes {
		return fmt.Errorf("--most must be in [2, %d], is %d", mostSilhouettes, c.Most)
	}
	return nil
}

// Run is kong's hook.
func (c *Clusters) Run(r *filter.Run) error {
	if err := endpoint.Once(r, []string{c.Input, c.Vectors}); err != nil {
		return err
	}
	in, err := OpenPredictions(r, c.Input, endpoint.Wanted{})
	if err != nil {
		return err
	}
	defer in.Close()
	side := in.Header.Side
	var vectors *Input
	if c.Vectors != "" {
		wanted := endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}, Values: true}
		if vectors, err = Open(r, c.Vectors, wanted); err != nil {
			return err
		}
		defer vectors.Close()
		if !vectors.Header.Values {
			return exit.Errorf(exit.Malformed, "%s: documents of counts, --vectors must be documents of values",
				c.Vectors)
		}
		if vectors.Header.Side == wire.Side_PRIVATE {
			side = wire.Side_PRIVATE
		}
	}
	warn(r, side, "held-out documents", "a measure")
	r.Show(c.Output, in.meter.Line)
	clustering, of, err := in.clusters(vectors != nil)
	if err != nil {
		return err
	}
	m := clusterings(clustering, in.Columns)
	if vectors != nil {
		near, err := c.nearest(vectors, of)
		if err != nil {
			return err
		}
		if err := m.addSilhouettes(r, near, in.Columns); err != nil {
			return err
		}
	}
	if r.DryRun() {
		return nil
	}
	return c.Print(r, side, &result.Result{JSON: m, Text: m.table})
}

// clusters reads predictions of clusters. If ids are wanted, it also returns the cluster of each document by its id.
func (in *Predictions) clusters(ids bool) (*score.Clustering, map[string]int, error) {
	n := int(in.Header.VocabularySize)
	if n < 2 {
		return nil, nil, exit.Errorf(exit.Malformed, "%s: predictions of %d columns: clusters must be at least 2",
			in.Name(), n)
	}
	all, of := score.NewClustering(n), make(map[string]int)
	err := in.all(func(p *wire.Prediction) error {
		k := PredictedClass(probabilitiesOf(p))
		all.Add(k, p.Label)
		if !ids {
			return nil
		}
		if _, known := of[p.Id]; known || p.Id == "" {
			return in.refused("a document without an id, or with the id of another: --vectors joins documents by id")
		}
		of[p.Id] = k
		return nil
	})
	if err == nil && in.read == 0 {
		err = exit.Errorf(exit.Malformed, "%s: no predictions", in.Name())
	}
	return all, of, err
}

// A clusterMeasures is the output. Agreement is missing without labels, silhouettes without --vectors.
type clusterMeasures struct {
	Documents  int `json:"documents"`
	Unlabelled int `json:"documents_without_label"`
	Labels     int `json:"labels"`
	Clusters   int `json:"clusters"`
	Used       int `json:"clusters_with_documents"`
	*agreement
	Silhouette *silhouettes `json:"silhouette,omitempty"`
	Rows       []clusterRow `json:"table"` // the clusters with documents
}

type agreement struct {
	NMI          float64 `json:"nmi"`
	AMI          float64 `json:"ami"`
	ARI          float64 `json:"ari"`
	Purity       float64 `json:"purity"`
	Largest      float64 `json:"purity_of_one_cluster"`
	Homogeneity  float64 `json:"homogeneity"`
	Completeness float64 `json:"completeness"`
}

type clusterRow struct {
	Cluster    string   `json:"cluster"`
	Documents  int      `json:"documents"`
	Label      string   `json:"label,omitempty"` // the most frequent one
	Share      *float64 `json:"label_share,omitempty"`
	Silhouette *float64 `json:"silhouette,omitempty"`

	number int
}

func clusterings(c *score.Clustering, names []string) *clusterMeasures {
	m := &clusterMeasures{Unlabelled: c.Unlabelled(), Labels: c.Labels(), Clusters: len(names)}
	frequent := c.Frequent()
	for k, documents := range c.Documents() {
		m.Documents += documents
		if documents == 0 {
			continue
		}
		row := clusterRow{Cluster: names[k], Documents: documents, number: k}
		if of := frequent[k]; of.Label != "" {
			row.Label, row.Share = of.Label, &of.Share
		}
		m.Rows = append(m.Rows, row)
	}
	m.Used = len(m.Rows)
	if m.Labels > 0 {
		of := agreement(c.Agreement())
		m.agreement = &of
	}
	return m
}

func (m *clusterMeasures) table(w io.Writer) {
	fmt.Fprintf(w, "documents\twithout a label\tlabels\tclusters\twith documents\n%d\t%d\t%d\t%d\t%d\n\n",
		m.Documents, m.Unlabelled, m.Labels, m.Clusters, m.Used)
	if a := m.agreement; a != nil {
		fmt.Fprintf(w, "NMI\tAMI\tARI\tpurity\tof one cluster\thomogeneity\tcompleteness\n"+
			"%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\n\n",
			a.NMI, a.AMI, a.ARI, a.Purity, a.Largest, a.Homogeneity, a.Completeness)
	}
	if s := m.Silhouette; s != nil {
		fmt.Fprintf(w, "mean silhouette\tdocuments\tbeyond --most\twithout a prediction\twithout a vector\n"+
			"%s\t%d\t%d\t%d\t%d\n\n", known(s.Mean), s.Documents, s.Beyond, s.Unpredicted, s.WithoutVector)
	}
	fmt.Fprintf(w, "cluster\tdocuments\tmost frequent label\tshare")
	if m.Silhouette != nil {
		fmt.Fprintf(w, "\tmean silhouette")
	}
	fmt.Fprintln(w)
	for _, c := range m.Rows {
		label := "-"
		if c.Share != nil {
			label = printable(c.Label)
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s", c.Cluster, c.Documents, label, known(c.Share))
		if m.Silhouette != nil {
			fmt.Fprintf(w, "\t%s", known(c.Silhouette))
		}
		fmt.Fprintln(w)
	}
}

// known formats a number, or the sign that there is none.
func known(x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.4f", *x)
}

// printable quotes a label that would not stay in its cell, such as one with a tab.
func printable(label string) string {
	if quoted := strconv.Quote(label); quoted != `"`+label+`"` || label == "-" {
		return quoted
	}
	return label
}
