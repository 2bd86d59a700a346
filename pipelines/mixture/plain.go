package mixture

// The kernel in plain Go, for machines without another, and the twin with which others are compared.

// plainExplain takes four components at a time: one load and store of p serves four products.
func plainExplain(p, counts, cells []float32, live []int32, theta []float32) {
	n := len(p)
	row := func(j int) []float32 { return cells[int(live[j])*n:][:n] }
	clear(p)
	j := 0
	for ; j+4 <= len(live); j += 4 {
		b0, b1, b2, b3 := row(j), row(j+1), row(j+2), row(j+3)
		t0, t1, t2, t3 := theta[j], theta[j+1], theta[j+2], theta[j+3]
		for i := range p {
			p[i] += t0*b0[i] + t1*b1[i] + (t2*b2[i] + t3*b3[i])
		}
	}
	for ; j < len(live); j++ {
		b, t := row(j), theta[j]
		for i := range p {
			p[i] += t * b[i]
		}
	}
	for i, c := range counts[:n] {
		p[i] = c / p[i]
	}
}

// plainShare takes four components at a time: independent sums hide the latency of the additions.
func plainShare(sums, cells []float32, live []int32, n int, p []float32) {
	row := func(j int) []float32 { return cells[int(live[j])*len(p):][:len(p)] }
	j := 0
	for ; j+4 <= n; j += 4 {
		b0, b1, b2, b3 := row(j), row(j+1), row(j+2), row(j+3)
		var s0, s1, s2, s3 float32
		for i, r := range p {
			s0 += r * b0[i]
			s1 += r * b1[i]
			s2 += r * b2[i]
			s3 += r * b3[i]
		}
		sums[j], sums[j+1], sums[j+2], sums[j+3] = sums[j]+s0, sums[j+1]+s1, sums[j+2]+s2, sums[j+3]+s3
	}
	for ; j < n; j++ {
		b := row(j)
		for i, r := range p {
			sums[j] += r * b[i]
		}
	}
}

// plainGather takes four words at a time, since a row of the table is seldom in the cache.
func plainGather(cells []float32, width int, table []float32, stride int, words []uint32) {
	row := func(i int) []float32 { return table[int(words[i])*stride:][:stride] }
	for i := 0; i < width; i += 4 {
		w0, w1, w2, w3 := row(i), row(i+1), row(i+2), row(i+3)
		at := i
		for k := range stride {
			to := cells[at : at+4]
			to[0], to[1], to[2], to[3] = w0[k], w1[k], w2[k], w3[k]
			at += width
		}
	}
}

func plainUpdate(gamma, theta, sums []float32, n int, alpha, least float32) (change float32, dropped bool) {
	for j := range n {
		share := theta[j] * sums[j]
		g := alpha + share
		change += max(g-gamma[j], gamma[j]-g)
		if share < least {
			g, dropped = 0, true
		}
		gamma[j] = g
	}
	return change, dropped
}
