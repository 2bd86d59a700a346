package metrics

var (
	documents = counters(private, "documents_total", "Documents that the stage has read.")
	units     = counters(private, "units_total", "Privacy units of finished rounds, each once per round.")
)

// Documents counts the documents that the stage has read.
func Documents(n int) { documents.of().Add(float64(n)) }

// Units counts the privacy units of each finished round.
func Units(n int) { units.of().Add(float64(n)) }
