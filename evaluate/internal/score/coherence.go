package score

import "math"

// epsilon keeps the logarithm finite if a pair never occurs together. gensim's measures with the same names have the
// same epsilon.
const epsilon = 1e-12

// probabilities returns the shares of documents that hold word i, word j, and both. A word that no document holds
// counts as held by one.
func (c *Coherence) probabilities(i, j int) (pi, pj, both float64) {
	n := float64(c.documents)
	together := c.single[i]
	if i != j {
		together = c.pairs[min(i, j)*len(c.single)+max(i, j)]
	}
	return float64(max(c.single[i], 1)) / n, float64(max(c.single[j], 1)) / n, float64(together) / n
}

// smoothed returns NPMI with ε: log((p(v,w) + ε) / (p(v)p(w))) / −log(p(v,w) + ε) (Röder, Both and Hinneburg, Exploring
// the Space of Topic Coherence Measures, WSDM 2015, equation 5).
func (c *Coherence) smoothed(i, j int) float64 {
	pi, pj, both := c.probabilities(i, j)
	return math.Log((both+epsilon)/(pi*pj)) / -math.Log(both+epsilon)
}

// CNPMI returns the mean of NPMI with ε over the pairs of a topic's top words. It is gensim's c_npmi with documents as
// windows. A pair that never occurs together counts about −1 + log(p(v)p(w))/log ε. In NPMI it counts −1.
func (c *Coherence) CNPMI(ids []uint32) float64 {
	return c.pairMean(ids, c.smoothed)
}

// UMass returns gensim's u_mass: the mean of log((p(v,w) + ε) / p(w)) over pairs of top words in a topic. The word w
// comes first in ids. Equation 1 of Mimno, Wallach, Talley, Leenders and McCallum (Optimizing Semantic Coherence in
// Topic Models, EMNLP 2011) has a sum, and adds 1 to the counts. The mean and ε are from equation 3 of Röder, Both and
// Hinneburg 2015. As in gensim, a pair counts 0 if no document holds w.
func (c *Coherence) UMass(ids []uint32) float64 {
	return c.pairMean(ids, func(v, w int) float64 {
		if c.single[w] == 0 {
			return 0
		}
		_, pw, both := c.probabilities(v, w)
		return math.Log((both + epsilon) / pw)
	})
}

// pairMean returns a measure's mean over pairs of ids. The pair's second word, w, comes first in ids.
func (c *Coherence) pairMean(ids []uint32, measure func(v, w int) float64) float64 {
	total, pairs := 0.0, 0
	for a, v := range ids {
		for _, w := range ids[:a] {
			total += measure(c.place[v], c.place[w])
			pairs++
		}
	}
	return total / float64(pairs)
}

// CV returns C_V (Röder, Both and Hinneburg 2015, §3 and Table 2) with documents as windows. The vector of each word is
// its NPMI, with ε, to each top word of the topic, itself among them. C_V is the mean cosine of these vectors with
// their sum. It is gensim's c_v with a window_size that no document exceeds. Published values slide a window of 110
// words over each document instead, which only text with its order allows. A word that no document holds is in no
// vector, and its cosine counts 0. gensim's c_v is then not a number.
func (c *Coherence) CV(ids []uint32) float64 {
	held := c.Held(ids)
	vectors, whole := make([][]float64, len(held)), make([]float64, len(held))
	for a, v := range held {
		vectors[a] = make([]float64, len(held))
		for b, w := range held {
			vectors[a][b] = c.smoothed(c.place[v], c.place[w])
			whole[b] += vectors[a][b]
		}
	}
	mean := 0.0
	for _, vector := range vectors {
		mean += cosine(vector, whole) / float64(len(ids))
	}
	return mean
}

// Held returns those ids that some document holds.
func (c *Coherence) Held(ids []uint32) (held []uint32) {
	for _, id := range ids {
		if c.single[c.place[id]] > 0 {
			held = append(held, id)
		}
	}
	return held
}

func cosine(a, b []float64) float64 {
	dot, aa, bb := 0.0, 0.0, 0.0
	for i := range a {
		dot += a[i] * b[i]
		aa += a[i] * a[i]
		bb += b[i] * b[i]
	}
	return dot / math.Sqrt(aa*bb)
}
