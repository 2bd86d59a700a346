package score

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// sklearnCase is a case in testdata/sklearn.json, which testdata/sklearn_clusters.py wrote.
type sklearnCase struct {
	Name                                                      string
	Clusters                                                  []int
	Labels                                                    []string
	NMI, AMI, ARI, Purity, Largest, Homogeneity, Completeness float64
	Vectors                                                   [][]float32
	Silhouettes                                               []float64
	Silhouette                                                float64
}

func sklearnCases(t *testing.T) (all []sklearnCase) {
	content, err := os.ReadFile("testdata/sklearn.json")
	if err == nil {
		err = json.Unmarshal(content, &all)
	}
	if err != nil || len(all) < 11 {
		t.Fatalf("%d cases: %v", len(all), err)
	}
	return all
}

// clustered counts documents. Cluster numbers are below 100.
func clustered[L any](clusters []int, labels []L) *Clustering {
	c := NewClustering(100)
	for i, k := range clusters {
		c.Add(k, fmt.Sprint(labels[i]))
	}
	return c
}

// TestAgreementPeer compares with scikit-learn. A document without a label changes nothing but the sizes.
func TestAgreementPeer(t *testing.T) {
	for _, x := range sklearnCases(t) {
		c := clustered(x.Clusters, x.Labels)
		before := c.Documents()[0]
		c.Add(0, "")
		if c.Unlabelled() != 1 || c.Documents()[0] != before+1 {
			t.Errorf("%s: %d documents without a label", x.Name, c.Unlabelled())
		}
		same(t, x.Name, c.Agreement(),
			Agreement{x.NMI, x.AMI, x.ARI, x.Purity, x.Largest, x.Homogeneity, x.Completeness}, 1e-12)
	}
}

func same(t *testing.T, name string, got, want Agreement, within float64) {
	t.Helper()
	for _, x := range []struct {
		of        string
		got, want float64
	}{
		{"NMI", got.NMI, want.NMI}, {"AMI", got.AMI, want.AMI}, {"ARI", got.ARI, want.ARI},
		{"purity", got.Purity, want.Purity}, {"largest", got.Largest, want.Largest},
		{"homogeneity", got.Homogeneity, want.Homogeneity}, {"completeness", got.Completeness, want.Completeness},
	} {
		near(t, name+": "+x.of, x.got, x.want, within)
	}
}

// TestRenamed: no number depends on the names of clusters and labels, or on the order of documents.
func TestRenamed(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		n, k, l := 1+random.IntN(60), 1+random.IntN(6), 1+random.IntN(6)
		clusters, labels := make([]int, n), make([]int, n)
		for i := range n {
			clusters[i], labels[i] = random.IntN(k), random.IntN(l)
		}
		otherClusters, otherLabels := random.Perm(100), random.Perm(100)
		renamed, moved := make([]int, n), make([]int, n)
		for i, at := range random.Perm(n) {
			renamed[at], moved[at] = otherClusters[clusters[i]], otherLabels[labels[i]]
		}
		same(t, "renamed", clustered(renamed, moved).Agreement(), clustered(clusters, labels).Agreement(), 1e-12)

		perfect := clustered(clusters, renamedBy(clusters, otherLabels)).Agreement()
		same(t, "a permutation", perfect, Agreement{1, 1, 1, 1, perfect.Largest, 1, 1}, 0)
	}
}

func renamedBy(of, names []int) []int {
	all := make([]int, len(of))
	for i, x := range of {
		all[i] = names[x]
	}
	return all
}

// TestByChance shuffles labels. The mean ARI and AMI over all shuffles are 0 (Hubert and Arabie 1985; Vinh et al.
// 2010), so the mean of 2,000 is within 4 of its standard errors: it is not with probability 7e-5 for normal means. The
// mean NMI is far above 0, as Vinh et al. say.
func TestByChance(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const documents, shuffles = 60, 2000
	clusters, labels := make([]int, documents), make([]int, documents)
	for i := range documents {
		clusters[i], labels[i] = i%7, i/20
	}
	var ari, ami, nmi moments
	for range shuffles {
		random.Shuffle(documents, func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
		a := clustered(clusters, labels).Agreement()
		ari.add(a.ARI, 1)
		ami.add(a.AMI, 1)
		nmi.add(a.NMI, 1)
	}
	for name, of := range map[string]moments{"ARI": ari, "AMI": ami} {
		if off := math.Abs(of.mean) / math.Sqrt(of.variance()/shuffles); off > 4 {
			t.Errorf("the mean %s is %v, %.1f standard errors from 0", name, of.mean, off)
		}
	}
	if nmi.mean < 0.05 {
		t.Errorf("the mean NMI is %v", nmi.mean)
	}
}

// TestFrequent: labels of the clusters {a, a, b}, {b, a}, {without a label} and {}.
func TestFrequent(t *testing.T) {
	c := NewClustering(4)
	for _, x := range []cell{{0, "b"}, {0, "a"}, {0, "a"}, {1, "b"}, {1, "a"}, {1, ""}, {2, ""}} {
		c.Add(x.cluster, x.label)
	}
	got := fmt.Sprint(c.Frequent(), c.Documents(), c.Unlabelled(), c.Labels())
	if want := "[{a 0.6666666666666666} {a 0.5} { 0} { 0}] [3 3 1 0] 2 2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestSilhouettesPeer compares with scikit-learn, on any number of workers. Its blobs have a cluster of one document,
// unused clusters, and two equal vectors.
func TestSilhouettesPeer(t *testing.T) {
	x := sklearnCases(t)[0]
	for workers := 1; workers <= 3; workers++ {
		got, err := Silhouettes(t.Context(), workers, x.Vectors, x.Clusters)
		if err != nil || len(got) != len(x.Silhouettes) || len(got) < 40 {
			t.Fatal(len(got), err)
		}
		mean, alone := 0.0, 0
		for i, s := range got {
			near(t, fmt.Sprintf("document %d", i), s, x.Silhouettes[i], 1e-9)
			mean += s / float64(len(got))
			if s == 0 {
				alone++
			}
		}
		near(t, "the mean", mean, x.Silhouette, 1e-9)
		if alone != 1 {
			t.Errorf("%d documents have silhouette 0", alone)
		}
	}
}

// TestSilhouettes: by hand, documents at 0, 1 and 5 of one dimension, the first two in a cluster. And 0 where all
// distances are 0.
func TestSilhouettes(t *testing.T) {
	got, err := Silhouettes(t.Context(), 1, [][]float32{{0}, {1}, {5}}, []int{0, 0, 1})
	if want := []float64{0.8, 0.75, 0}; err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v (%v), want %v", got, err, want)
	}
	got, err = Silhouettes(t.Context(), 1, [][]float32{{1}, {1}, {1}, {1}}, []int{0, 0, 1, 1})
	if want := []float64{0, 0, 0, 0}; err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v (%v), want %v", got, err, want)
	}
}
