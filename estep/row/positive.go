package row

// Positive is the flag of E-steps that read classes.
type Positive struct {
	Positive string `default:"1" placeholder:"CLASS" group:"Row" help:"Take CLASS as the positive class, y = 1 (default 1), and all other labels as y = 0."`
}

// Labels returns what labels mean.
func (p Positive) Labels() Labels { return Labels{Positive: p.Positive} }

// Columns returns the names of the columns of predictions: the positive class.
func (p Positive) Columns() []string { return []string{p.Positive} }
