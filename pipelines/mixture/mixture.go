// Package mixture has the sums of expectation maximization for mixtures, by vector instructions where the machine has them.
//
// A mixture of components k with weights θ gives observation i, seen c_i times, the likelihood Σ_k θ_k β_ki. Expectation maximization needs
//
//	Explain: p_i = c_i / Σ_k θ_k β_ki        (so θ_k β_ki p_i is c_i times the responsibility of k)
//	Share:   s_k = Σ_i p_i β_ki              (so θ_k s_k is their sum)
//
// β has a row for each component. For a document of topics, observations are its words, and components are topics.
package mixture

// Lanes divides the number of observations: kernels take eight at a time (kernel_amd64.s). Whoever has fewer pads them with a count of 0 and β = 1.
const Lanes = 8

// A float32 holds 7 digits; the sums have at most a few thousand terms of one sign, so they lose one or two of them. kernel_amd64.go and
// kernel_other.go choose between the kernels of this file, which take any number of observations, and those with vector instructions.
//
// Both take four components at a time: independent sums hide the latency of the additions, and one load and store of p
// serves four products. mixture_test.go has a reference implementation of each sum in one line.

// plainExplain sets p; all slices except beta and theta have n elements.
func plainExplain(p, counts []float32, beta [][]float32, theta []float32) {
	n := len(counts)
	p = p[:n]
	clear(p)
	k := 0
	for ; k+4 <= len(beta); k += 4 {
		b0, b1, b2, b3 := beta[k][:n], beta[k+1][:n], beta[k+2][:n], beta[k+3][:n]
		t0, t1, t2, t3 := theta[k], theta[k+1], theta[k+2], theta[k+3]
		for i := range p {
			p[i] += t0*b0[i] + t1*b1[i] + (t2*b2[i] + t3*b3[i])
		}
	}
	for ; k < len(beta); k++ {
		b0, t0 := beta[k][:n], theta[k]
		for i := range p {
			p[i] += t0 * b0[i]
		}
	}
	for i, c := range counts {
		p[i] = c / p[i]
	}
}

// plainShare sets s, one element for each row of beta.
func plainShare(s []float32, beta [][]float32, p []float32) {
	n := len(p)
	k := 0
	for ; k+4 <= len(beta); k += 4 {
		b0, b1, b2, b3 := beta[k][:n], beta[k+1][:n], beta[k+2][:n], beta[k+3][:n]
		var s0, s1, s2, s3 float32
		for i, r := range p {
			s0 += r * b0[i]
			s1 += r * b1[i]
			s2 += r * b2[i]
			s3 += r * b3[i]
		}
		s[k], s[k+1], s[k+2], s[k+3] = s0, s1, s2, s3
	}
	for ; k < len(beta); k++ {
		b0 := beta[k][:n]
		var s0 float32
		for i, r := range p {
			s0 += r * b0[i]
		}
		s[k] = s0
	}
}
