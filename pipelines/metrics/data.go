package metrics

var (
	documents = counters(private, "documents_total", "Documents that the stage has taken in.")
	units     = counters(private, "units_total", "Privacy units of the rounds that the stage has ended, each once a round.")
)

// Documents counts documents that the stage has taken in.
func Documents(n int) { documents.of().Add(float64(n)) }

// Units counts the privacy units of a round that the stage has ended.
func Units(n int) { units.of().Add(float64(n)) }
