package ledger

// What holds for each ledger of privatize, whatever is in it. The pages that are named have the arguments.
const (
	processing = "Models, topics and pages are worked out from releases and public inputs alone, which costs nothing " +
		"more (post-processing)."
	implementation = "A release is stored, then charged, then sent. " +
		"privatize/LEAKS.md has what messages, sizes and times tell. The stages inside can run under users of " +
		"their own (pipelines/recipes/wall)."
	sources = "privpipe: privatize/PRIVACY.md (claim and proofs), privatize/CHECKING.md (how to check), " +
		"`privatize --version` (commit), pipelines/install/verify.sh (the same bytes again)."
)

// Exactness says how sums and random numbers are computed.
func (f *facts) Exactness() string {
	switch {
	case !f.bounded():
		return "Releases without a bound are not made safe by exact sums or good random numbers."
	case f.Trust() == "Local":
		return "Bits are flipped with exactly the probability of the charge, by the operating system's generator."
	}
	return "Sums are exact integers on a public grid. Noise is drawn exactly (Canonne, Kamath, Steinke 2020), by the " +
		"operating system's generator."
}

// Unprotected names the quantities that are public.
func (f *facts) Unprotected() string {
	return "That a data set is not empty, whether documents name users, the vocabulary, and settings such as the " +
		"number of rounds. Under replace-one and replace-null also the number of units."
}

// Actors says who sees what.
func (f *facts) Actors() string {
	if f.Trust() == "Local" {
		return "Each author sees her own document, if she runs privatize herself. Everybody else sees reports. An " +
			"operator who runs it for the authors sees their documents."
	}
	return "Behind the wall: whoever holds the data, and the stages tokenize, sample, estep and privatize. They see " +
		"documents and contributions. Outside: everybody else, who sees releases and what follows from them."
}

// TrustDetails explains the model of trust.
func (f *facts) TrustDetails() string {
	switch f.Trust() {
	case "Local":
		return "This holds if each author runs privatize randomized-response on her own document, which no ledger " +
			"shows. Where an operator runs it for all, the operator is trusted with the documents."
	case "Varies":
		return "Some releases are of reports that authors randomized, others of sums that the operator made."
	}
	return "The operator of the stages inside the wall is trusted with the data; readers of releases are not."
}
