package calculate

import (
	"bytes"
	"fmt"
	"math"

	"privpipe/account/internal/calculator"
	"privpipe/pipelines/model"
)

// The recipe clusters.sh with a TEXT: δ, the number of rounds, the learning rate of mstep clusters, the joint
// sensitivity of sums and counts over 2 (estep/clusters/claim.md), and the share of the budget in μ². The release of
// the size, 2 % of the budget at most, is not counted.
const (
	clustersDelta       = 1e-6
	clustersRounds      = 20
	clustersSensitivity = 1.118034
	clustersShare       = 0.5
	clustersUsual       = 20 // its clusters by default
)

var clustersRate = model.Rate{Kappa: 0.6}

// The rule of pipelines/recipes/TOPICS.md, and its measurements: the norm of the noise on a mean is at most a quarter,
// about half of the distance of means from their own mean, and a cluster has 200 documents.
const (
	mostMeanNoise                   = 0.25
	fewestDocuments                 = 200 // in each cluster
	leastClusters                   = 2
	fewestClusters, mostClusters    = 20, 50
	fewestDimensions, mostDimension = 50, 100
	measuredFrom, measuredTo        = 10000, 18846 // documents
	leastDimension                  = 32           // 32 numbers lost .05 of NMI
)

// A clusterAdvice is the answer for vectors, and its JSON form.
type clusterAdvice struct {
	Clusters  int     `json:"clusters"` // 0: even two are too many
	Documents float64 `json:"documents_per_cluster"`
	Noise     float64 `json:"noise"`                     // norm of the noise on a cluster's mean; vectors have norm 1
	Dimension int     `json:"dimension,omitempty"`       // the noise allows the usual clusters for so few numbers
	Wants     float64 `json:"wants_documents,omitempty"` // how many two clusters want, if there is none
	Measured  bool    `json:"measured"`                  // vectors like these were measured

	Size *noisy `json:"documents,omitempty"` // as released; with --unit user as textSize has it

	users    bool // the privacy unit is a user
	usual    int  // clusters by default, or as many as the documents are enough for
	tooNoisy bool // 32 numbers are too many for the usual clusters
	more     bool // more than 50 clusters may pay
}

// meanNoise returns the norm of the noise on the mean of all vectors, of norm 1. With K equal clusters, that of each
// has K times as much. A round's sum has the noise σ·sensitivity·√rounds/√share in each dimension (Dong,
// Roth, Su 2022, cor. 3.3, where σ is the noise of one release of the whole budget). The average of the rounds has the
// variance of mstep clusters.
func meanNoise(documents float64, dimension int, epsilon float64) (float64, error) {
	q := calculator.NoiseQuery{Epsilon: epsilon, Delta: clustersDelta}
	q.All, q.Rounds, q.Accountant = true, 1, "analytic"
	single, err := q.Find(false)
	if err != nil {
		return 0, err
	}
	variance := 0.0
	for t := 1.0; t <= clustersRounds; t++ {
		variance = model.MixedVariance(clustersRate.At(t), variance, clustersRounds/clustersShare)
	}
	sum := float64(single.NoiseMultiplier) * clustersSensitivity * math.Sqrt(variance*float64(dimension))
	return sum / documents, nil
}

func adviseClusters(documents float64, dimension int, epsilon float64) (*clusterAdvice, error) {
	noise, err := meanNoise(documents, dimension, epsilon)
	if err != nil {
		return nil, err
	}
	byNoise := mostMeanNoise / noise
	most := math.Floor(min(byNoise, documents/fewestDocuments))
	clusters := min(most, mostClusters)
	a := &clusterAdvice{usual: int(min(clustersUsual, documents/fewestDocuments))}
	if clusters < leastClusters {
		// The noise falls as one over the documents.
		a.Wants = math.Ceil(leastClusters * max(fewestDocuments, documents*noise/mostMeanNoise))
	} else {
		a.Clusters, a.Documents, a.Noise = int(clusters), documents/clusters, noise*clusters
	}
	a.more = most > mostClusters
	a.Measured = !a.more && clusters >= fewestClusters && dimension >= fewestDimensions &&
		dimension <= mostDimension && documents >= measuredFrom && documents <= measuredTo
	// The noise grows with the root of the dimensions.
	if a.usual >= leastClusters && byNoise < float64(a.usual) {
		a.Dimension = int(float64(dimension) * math.Pow(byNoise/float64(a.usual), 2))
		if a.tooNoisy = a.Dimension < leastDimension; a.tooNoisy {
			a.Dimension = 0
		}
	}
	return a, nil
}

// Table prints the advice for people.
func (a *clusterAdvice) Table(b *bytes.Buffer) {
	if a.Size != nil {
		writeUnits(b, *a.Size, a.users)
	}
	if a.Clusters == 0 {
		fmt.Fprintf(b, "clusters    none: two would want %.0f documents\n", a.Wants)
	} else {
		fmt.Fprintf(b, "clusters    %d, of %.0f documents on average\n"+
			"noise       %.2g is its norm on the mean of such a cluster, of vectors with norm 1\n",
			a.Clusters, a.Documents, a.Noise)
	}
	fmt.Fprintf(b, "rule        noise of at most %v, and at least %d documents a cluster\n"+
		"means       0.3 to 0.5 from the mean of all vectors, in the embeddings that were measured\n",
		mostMeanNoise, fewestDocuments)
	if a.Dimension > 0 {
		fmt.Fprintf(b, "reduce      to %d numbers, for %d clusters: by a PCA of public vectors (tokenize vectors\n"+
			"            --projection), or at random (--project), which loses more\n", a.Dimension, a.usual)
	}
	if a.tooNoisy && a.Clusters > 0 {
		fmt.Fprintf(b, "wants       more documents or more ε: for %d clusters, %d numbers have too much noise\n",
			a.usual, leastDimension)
	}
	if a.more {
		fmt.Fprintf(b, "beware      no more than %d clusters were measured: more may pay\n", mostClusters)
	} else if !a.Measured {
		fmt.Fprintf(b, "beware      only %d to %d numbers, %d to %d clusters and %d to %d documents were measured\n",
			fewestDimensions, mostDimension, fewestClusters, mostClusters, measuredFrom, measuredTo)
	}
}
