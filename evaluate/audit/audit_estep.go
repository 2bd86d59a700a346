package audit

import (
	"fmt"
	"slices"
	"strings"

	"privpipe/evaluate/internal/audit"
	"privpipe/evaluate/internal/result"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/progress"
)

// AuditEStep audits an estep binary.
type AuditEStep struct {
	Binary       string   `required:"" placeholder:"PATH" help:"Audit the program at PATH. It must take the arguments of estep gibbs and estep collapsed."`
	Case         []string `placeholder:"NAME" help:"Run only the case NAME, one of those below; by default all."`
	Draws        float64  `default:"1" placeholder:"E" help:"Ask for draws of a loss of at most E a round, in [0.5, 5] (default ${default})."`
	Documents    int      `default:"20000" placeholder:"N" help:"Sample the topics of N documents in each case (default ${default}), 2,000 a run."`
	Confidence   float64  `default:"0.95" help:"Make all bounds of all cases hold together with this confidence."`
	Folder       string   `placeholder:"FOLDER" help:"Write temporary files to FOLDER. The default is in memory (/dev/shm) if possible."`
	result.Flags `set:"form=a table"`
	filter.Workers
}

// Help is kong's hook.
func (c *AuditEStep) Help() string {
	return "Runs PATH gibbs --keep --statistic counts --draws E … on rounds of documents and on parameters that an " +
		"adversary could send. " +
		"In one token the documents are neighbours: a coin chooses its word. The audit guesses the word from the " +
		"topics of " +
		"all tokens. The error rates of the guesses give a lower bound on the loss of the draws. The claimed loss is " +
		"what the rounds state (draws), summed over the rounds that the guess uses.\n\n" +
		"The cases are: " + strings.Join(audit.EStepCases(), ", ") +
		". Each has two rounds, with other weights. In ratios, the weights " +
		"of two words differ by a factor of a billion; in zeros, words have no weight; in certain, the probabilities " +
		"of words are close to 0 and 1. " +
		"In many-topics the loss comes close to its bound. In rare-topic and certain the token stands among others. " +
		"ratios-unasked asks for no bound, so that estep states its own.\n\n" +
		"Each case also checks rules outright. Counts must be whole and those of the document's words; increments " +
		"must add up to such counts. The " +
		"state must have what was sent and nothing else. Rounds must state the loss of their draws. The same rounds " +
		"under the same key " +
		"must get the same topics, other keys and documents must not. In rounds that are not marked as coupled, " +
		"other documents must not change the topics of a document.\n\n" +
		"An audit can show that a sampler is broken: if a bound is above the claim, or a rule is broken, the exit " +
		"code is 83. It cannot show " +
		"that a sampler is sound. A sound sampler fails with probability at most 1 - CONFIDENCE, over all cases " +
		"together."
}

// Validate is kong's hook.
func (c *AuditEStep) Validate() error {
	switch {
	case !(c.Draws >= audit.LeastDraws && c.Draws <= audit.MostDraws):
		return fmt.Errorf("--draws must be in [%v, %v], is %v", audit.LeastDraws, audit.MostDraws, c.Draws)
	case c.Documents < audit.LeastDocuments:
		return fmt.Errorf("--documents must be at least %d, is %d", audit.LeastDocuments, c.Documents)
	}
	if err := checkConfidence(c.Confidence); err != nil {
		return err
	}
	return checkCases(c.Case, audit.EStepCases())
}

// checkConfidence refuses a confidence so close to 1 that floating-point numbers cannot represent the levels of its
// bounds.
func checkConfidence(confidence float64) error {
	if !(confidence > 0 && confidence <= audit.MostConfidence) {
		return fmt.Errorf("--confidence must be in (0, %v], is %v", audit.MostConfidence, confidence)
	}
	return nil
}

// checkCases refuses names that belong to no case.
func checkCases(names, all []string) error {
	for _, name := range names {
		if !slices.Contains(all, name) {
			return fmt.Errorf("--case must be one of %q, is %q", all, name)
		}
	}
	return nil
}

// Run is kong's hook.
func (c *AuditEStep) Run(r *filter.Run) error {
	binary, err := executable("--binary", c.Binary)
	if err != nil || r.DryRun() {
		return err
	}
	meter := &progress.Meter{Name: "evaluate"}
	r.Show(c.Output, meter.Line)
	auditor := &audit.EStepAuditor{
		Binary: binary, Folder: temporary(c.Folder), Cases: c.Case, Documents: c.Documents, Draws: c.Draws,
		Workers:    c.N(),
		Confidence: c.Confidence, Status: func(format string, args ...any) {
			r.Status(format, args...)
			meter.Say(fmt.Sprintf(format, args...), "")
		},
	}
	results, err := auditor.Audit(r)
	if err != nil {
		return err
	}
	return conclude(r, &c.Flags, c.Binary, results, map[string]any{"draws": c.Draws, "confidence": c.Confidence})
}
