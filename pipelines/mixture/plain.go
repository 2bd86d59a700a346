package mixture

// The kernel in plain Go. It serves machines without another kernel, and tests compare other kernels with it.

// plainExplain takes four components at a time: one load and store of p serves four products.
func plainExplain(m *Mixture) {
	p, theta := m.p, m.theta
	row := func(j int) []float32 { return m.row(int(m.live[j]))[:len(p)] }
	clear(p)
	j := 0
	for ; j+4 <= m.n; j += 4 {
		b0, b1, b2, b3 := row(j), row(j+1), row(j+2), row(j+3)
		t0, t1, t2, t3 := theta[j], theta[j+1], theta[j+2], theta[j+3]
		for i := range p {
			p[i] += t0*b0[i] + t1*b1[i] + (t2*b2[i] + t3*b3[i])
		}
	}
	for ; j < m.n; j++ {
		b, t := row(j), theta[j]
		for i := range p {
			p[i] += t * b[i]
		}
	}
	for i, c := range m.counts[:len(p)] {
		p[i] = c / p[i]
	}
}

// plainShare takes four components at a time: independent sums hide the latency of the additions.
func plainShare(m *Mixture) {
	p, sums := m.p, m.sums
	row := func(j int) []float32 { return m.row(int(m.live[j]))[:len(p)] }
	j := 0
	for ; j+4 <= m.n; j += 4 {
		b0, b1, b2, b3 := row(j), row(j+1), row(j+2), row(j+3)
		var s0, s1, s2, s3 float32
		for i, r := range p {
			s0 += r * b0[i]
			s1 += r * b1[i]
			s2 += r * b2[i]
			s3 += r * b3[i]
		}
		sums[j], sums[j+1], sums[j+2], sums[j+3] = s0, s1, s2, s3
	}
	for ; j < m.n; j++ {
		b, s := row(j), float32(0)
		for i, r := range p {
			s += r * b[i]
		}
		sums[j] = s
	}
}

// plainGather takes four words at a time, since a table row is seldom in the cache.
func plainGather(m *Mixture, t *Table) {
	row := func(i int) []float32 { return t.cells[int(m.words[i])*t.stride:][:t.stride] }
	for i := 0; i < m.width; i += 4 {
		w0, w1, w2, w3 := row(i), row(i+1), row(i+2), row(i+3)
		at := i
		for k := range t.stride {
			to := m.cells[at : at+4]
			to[0], to[1], to[2], to[3] = w0[k], w1[k], w2[k], w3[k]
			at += m.width
		}
	}
}

func plainUpdate(m *Mixture, alpha, least float32) (change float32, dropped bool) {
	gamma, theta, sums := m.gamma, m.theta, m.sums
	for j := range m.n {
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
