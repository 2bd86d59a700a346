package mechanism

// Sampling is how a unit comes to take part in a batch.
type Sampling int

// All units take part; each by a secret coin (Poisson); a fixed number of them, drawn in secret without replacement (Fixed).
const (
	All Sampling = iota
	Poisson
	Fixed
)
