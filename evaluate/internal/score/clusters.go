package score

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// A Clustering counts documents by their cluster and by their label. Labels are any strings; an empty label means that
// it is not known, and the comparison with labels leaves the document out.
type Clustering struct {
	documents  []int // of each cluster, those without a label too
	unlabelled int
	cells      map[cell]int
}

type cell struct {
	cluster int
	label   string
}

// NewClustering returns a clustering into the given number of clusters, without documents.
func NewClustering(clusters int) *Clustering {
	return &Clustering{documents: make([]int, clusters), cells: make(map[cell]int)}
}

// Add counts a document in a cluster, from 0.
func (c *Clustering) Add(cluster int, label string) {
	c.documents[cluster]++
	if label == "" {
		c.unlabelled++
		return
	}
	c.cells[cell{cluster, label}]++
}

// Documents returns the number of documents in each cluster.
func (c *Clustering) Documents() []int { return c.documents }

// Unlabelled returns the number of documents without a label.
func (c *Clustering) Unlabelled() int { return c.unlabelled }

// Labels returns the number of different labels.
func (c *Clustering) Labels() int {
	labels := make(map[string]bool)
	for x := range c.cells {
		labels[x.label] = true
	}
	return len(labels)
}

// A Frequent is the most frequent label in a cluster, the first by name of equally frequent labels. Share is the
// label's share of the cluster's documents with a label. Both are zero if there are none.
type Frequent struct {
	Label string
	Share float64
}

// Frequent returns the most frequent label of each cluster.
func (c *Clustering) Frequent() []Frequent {
	all, most, labelled := make([]Frequent, len(c.documents)), c.most(), make([]int, len(c.documents))
	for x, n := range c.cells {
		labelled[x.cluster] += n
		if of := &all[x.cluster]; n == most[x.cluster] && (of.Label == "" || x.label < of.Label) {
			of.Label = x.label
		}
	}
	for k, n := range most {
		all[k].Share = float64(n) / float64(max(labelled[k], 1))
	}
	return all
}

// most returns the number of documents with the most frequent label, for each cluster.
func (c *Clustering) most() []int {
	most := make([]int, len(c.documents))
	for x, n := range c.cells {
		most[x.cluster] = max(most[x.cluster], n)
	}
	return most
}

// An Agreement says how well clusters agree with labels. All numbers are 1 if clusters and labels divide the documents
// into the same sets. AMI and ARI are corrected for chance: on average 0 for labels that are drawn without regard to
// the clusters, and below 0 for worse ones. The others are in [0, 1], and grow with the number of clusters.
//
//   - NMI is 2·I/(H + H'), with the mutual information I of clusters and labels, and their entropies H and H'. AMI is
//     (I − E)/((H + H')/2 − E), with the mean E of I over all tables with the same sums (Vinh, Epps and Bailey,
//     Information Theoretic Measures for Clusterings Comparison, JMLR 11, 2010, NMI_sum and AMI_sum in table 2).
//   - ARI counts pairs of documents (Hubert and Arabie, Comparing Partitions, Journal of Classification 2, 1985,
//     equation 5).
//   - Purity is the share of documents whose label is the most frequent one in their cluster, and Largest that share if
//     all documents were in one cluster (Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008,
//     equation 16.1).
//   - Homogeneity is I over the labels' entropy: 1 if each cluster has one label. Completeness is I over the clusters':
//     1 if each label is in one cluster (Rosenberg and Hirschberg, V-Measure, EMNLP 2007).
type Agreement struct {
	NMI, AMI, ARI, Purity, Largest, Homogeneity, Completeness float64
}

// Agreement compares clusters with labels, over the documents with a label. There must be such a document.
func (c *Clustering) Agreement() (a Agreement) {
	cells := slices.SortedFunc(maps.Keys(c.cells), func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.cluster, b.cluster), cmp.Compare(a.label, b.label))
	})
	ofCluster, ofLabel, documents, right := make(map[int]int), make(map[string]int), 0, 0
	for _, x := range cells {
		n := c.cells[x]
		ofCluster[x.cluster] += n
		ofLabel[x.label] += n
		documents += n
	}
	for _, most := range c.most() {
		right += most
	}
	n := float64(documents)
	a.Purity = float64(right) / n
	clusters, labels := sizes(ofCluster), sizes(ofLabel)
	a.Largest = float64(labels[len(labels)-1]) / n
	if len(cells) == len(clusters) && len(cells) == len(labels) { // the same sets: some ratios below would be 0/0
		a.NMI, a.AMI, a.ARI, a.Homogeneity, a.Completeness = 1, 1, 1, 1, 1
		return a
	}
	information, together := 0.0, 0.0 // mutual information, and pairs of documents in one cell
	for _, x := range cells {
		of := float64(c.cells[x])
		information += of / n * math.Log(n*of/(float64(ofCluster[x.cluster])*float64(ofLabel[x.label])))
		together += pairs(c.cells[x])
	}
	information = max(information, 0) // 0 up to rounding
	h, g := entropy(clusters, n), entropy(labels, n)
	mean, chance := (h+g)/2, expectedInformation(clusters, labels, documents)
	a.NMI, a.AMI = information/mean, (information-chance)/(mean-chance)
	a.Homogeneity, a.Completeness = share(information, g), share(information, h)

	inClusters, inLabels := 0.0, 0.0
	for _, of := range clusters {
		inClusters += pairs(of)
	}
	for _, of := range labels {
		inLabels += pairs(of)
	}
	expected := inClusters * inLabels / pairs(documents)
	a.ARI = (together - expected) / ((inClusters+inLabels)/2 - expected)
	return a
}

// sizes returns the numbers in ascending order, so that sums over them do not depend on the order of a map.
func sizes[K comparable](of map[K]int) []int { return slices.Sorted(maps.Values(of)) }

// pairs returns the number of pairs of n things.
func pairs(n int) float64 { return float64(n) * float64(n-1) / 2 }

// share returns part/whole, and 1 of nothing, as Rosenberg and Hirschberg define it.
func share(part, whole float64) float64 {
	if whole == 0 {
		return 1
	}
	return min(part/whole, 1)
}

// entropy returns the entropy in nats of a division of n documents into sets of these sizes.
func entropy(sizes []int, n float64) (h float64) {
	for _, of := range sizes {
		h -= float64(of) / n * math.Log(float64(of)/n)
	}
	return h
}

// expectedInformation returns the mean mutual information over all divisions of n documents with these sizes of
// clusters and labels (Vinh, Epps and Bailey 2010, equation 24a). Their number of a cell is hypergeometric.
func expectedInformation(clusters, labels []int, n int) (mean float64) {
	factorial := make([]float64, n+1) // logarithms
	for i := range factorial {
		factorial[i], _ = math.Lgamma(float64(i) + 1)
	}
	of := float64(n)
	for _, a := range clusters {
		for _, b := range labels {
			same := factorial[a] + factorial[b] + factorial[n-a] + factorial[n-b] - factorial[n]
			for m := max(1, a+b-n); m <= min(a, b); m++ {
				chance := math.Exp(same - factorial[m] - factorial[a-m] - factorial[b-m] - factorial[n-a-b+m])
				x := float64(m)
				mean += chance * x / of * math.Log(of*x/(float64(a)*float64(b)))
			}
		}
	}
	return mean
}
