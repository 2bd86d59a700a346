package ledger

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/ledgers"
	"privpipe/account/internal/print"
	"privpipe/account/internal/report"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// EvidenceCommand is account evidence.
type EvidenceCommand struct {
	Format string   `enum:"sp800-226,registry,openlineage" default:"sp800-226" help:"Write this form: ${enum}. sp800-226: a page in Markdown that answers the points of NIST SP 800-226, each with where it can be checked; registry: an entry for the Differential Privacy Deployments Registry, in YAML; openlineage: a run event, in JSON, without counts of rows."`
	Delta  *float64 `zero:"" placeholder:"X" help:"State ε at this δ, where no budget of the ledger states one."`
	accountant.LedgerChoice
	statements
	Plan   []string `placeholder:"GRANT" help:"Count this grant, which was planned for the ledger, and of which nothing was charged. A ledger does not know it, and a run that ends early has the ε of its whole plan. May be repeated."`
	Output string   `short:"o" placeholder:"FILE" help:"Write the form here; standard output by default."`
	Ledger string   `arg:"" help:"Ledger of privatize."`
}

// statements are what no ledger knows. Whoever files a form states it.
type statements struct {
	Name          string   `placeholder:"TEXT" help:"Name of the deployment. By default the id of the ledger."`
	Description   string   `placeholder:"TEXT" help:"What is released, of what data."`
	Use           string   `placeholder:"TEXT" help:"What the releases are for."`
	Region        string   `placeholder:"TEXT" help:"Region that the data are of."`
	Curators      []string `name:"curator" sep:"none" placeholder:"TEXT" help:"Who holds the data; may be repeated. The registry wants one."`
	Authors       []string `name:"author" sep:"none" placeholder:"TEXT" help:"Who writes the entry; may be repeated. The registry wants one."`
	Sector        string   `enum:",Technology,Healthcare,Education,Government,Energy,Finance" default:"" placeholder:"NAME" help:"Sector: Technology, Healthcare, Education, Government, Energy or Finance."`
	Justification string   `placeholder:"TEXT" help:"Why this ε and this unit were chosen."`
	Preprocessing string   `placeholder:"TEXT" help:"How settings such as the number of topics were chosen, and that it was not by looking at the data."`
	Collection    string   `placeholder:"TEXT" help:"What is collected and kept of the people, and for how long."`
	Security      string   `placeholder:"TEXT" help:"Who can read the data, the ledger and their backups."`
	Namespace     string   `placeholder:"NAME" default:"privpipe" help:"openlineage: namespace of the job and its data sets."`
}

// Help is the text that --help adds for this command.
func (c *EvidenceCommand) Help() string {
	return "Writes what is filed about a ledger, from the ledger and from what you state: no data, and no number " +
		"that depends on data beside the releases' own. ε and δ are those of the whole plan, and what was charged is " +
		"beside them; where no budget bounds the plan, they are those of the charges. What neither says is \"not " +
		"stated\". The ledger is checked as account report does; whether its charges keep to their grants, account " +
		"verify says."
}

// Validate is kong's hook.
func (c *EvidenceCommand) Validate() error {
	if c.Delta != nil && *c.Delta != 0 {
		return event.CheckDelta(*c.Delta)
	}
	return nil
}

// Run is kong's hook.
func (c *EvidenceCommand) Run(r *filter.Run) error {
	ledger, err := ledgers.Read(r, c.Ledger)
	if err != nil {
		return err
	}
	f, err := c.facts(ledger)
	if err != nil {
		return err
	}
	for _, name := range c.Plan {
		grant, err := ledgers.ReadGrant(r, name)
		if err != nil {
			return err
		}
		if err := f.plan(name, grant); err != nil {
			return err
		}
	}
	overspent, err := ledgers.Overspent(ledger)
	if err != nil {
		return err
	}
	overfull, err := ledgers.Overfull(c.Ledger, ledger)
	if err != nil {
		return err
	}
	f.Overspent = overspent != nil || overfull != nil
	var content []byte
	switch c.Format {
	case "registry":
		content, err = f.registry()
	case "openlineage":
		content, err = f.lineage()
	default:
		content, err = f.page()
	}
	if err != nil || r.DryRun() {
		return err
	}
	if err := endpoint.WriteFile(r, c.Output, wire.Side_PUBLIC, content); err != nil {
		return err
	}
	return cmp.Or(overspent.Refusal(c.Ledger), overfull)
}

// facts are what a ledger and its operator say.
type facts struct {
	*report.Report
	statements
	uncharged   []*event.Grant // of --plan
	id          string         // of the ledger; "" if it has none
	grants      []*event.Grant // of the charges, in the order of the ledger
	first, last time.Time      // of the charges
}

func (c *EvidenceCommand) facts(ledger *event.Ledger) (*facts, error) {
	query := report.Query{Ledger: c.Ledger, LedgerChoice: c.LedgerChoice, Delta: c.Delta}
	rep, err := query.Report(ledger)
	if err != nil {
		return nil, err
	}
	if c.Delta != nil && rep.Budget != nil && rep.Budget.Delta > 0 {
		return nil, exit.Errorf(exit.Usage, "--delta is for a ledger without a budget: that of %s states δ %v",
			c.Ledger, rep.Budget.Delta)
	}
	f := &facts{Report: rep, statements: c.statements}
	if head := ledger.Head(); head != nil {
		f.id = head.ID
	}
	charged := make(map[string]bool)
	for _, charge := range ledger.Charges() {
		charged[charge.Grant] = true
	}
	for _, line := range ledger.Lines {
		switch {
		case line.Grant != nil && charged[line.Grant.ID]:
			f.grants = append(f.grants, line.Grant)
		case line.Charge != nil && f.first.IsZero():
			f.first, f.last = line.Time, line.Time
		case line.Charge != nil:
			f.last = line.Time
		}
	}
	if f.first.IsZero() {
		return nil, exit.Errorf(exit.Refused, "%s has no charge: nothing was released, and there is nothing to file",
			c.Ledger)
	}
	f.Name = cmp.Or(f.Name, f.id, "a ledger without an id")
	return f, nil
}

// planned says that a budget at no less than the charges' δ bounds the plan.
func (f *facts) planned() bool { return f.budgeted() || len(f.uncharged) > 0 }

func (f *facts) budgeted() bool { return f.Budget != nil && f.Budget.Delta >= float64(f.Delta) }

// stated returns the ε and δ to state. Whoever ends a run because of its releases has those of the plan
// (privatize/PRIVACY.md), so the larger of plan and charges is stated.
func (f *facts) stated() (epsilon, delta float64) {
	epsilon, delta = float64(f.Epsilon), float64(f.Delta)
	switch {
	case f.Filter != nil:
		epsilon, delta = max(epsilon, float64(f.Filter.Epsilon)), max(delta, float64(f.Filter.Delta))
	case f.budgeted():
		epsilon, delta = max(epsilon, f.Budget.Epsilon), f.Budget.Delta
	}
	for _, g := range f.uncharged {
		epsilon, delta = max(epsilon, g.Budget.Epsilon), max(delta, g.Budget.Delta)
	}
	return epsilon, delta
}

// plan adds a grant that was not charged.
func (f *facts) plan(name string, grant *event.Grant) error {
	switch {
	case slices.ContainsFunc(f.grants, func(g *event.Grant) bool { return g.ID == grant.ID }):
		return nil // the ledger has it
	case grant.Ledger != f.id:
		return exit.Errorf(exit.Refused, "%s: the grant is for another ledger", name)
	case grant.Unit != f.Unit || grant.Adjacency != f.Adjacency:
		return exit.Errorf(exit.Refused, "%s: the grant is for another unit or other neighbours than the ledger's",
			name)
	case grant.Budget.Epsilon == 0:
		return exit.Errorf(exit.Refused, "%s: the grant states no budget", name)
	}
	f.uncharged = append(f.uncharged, grant)
	return nil
}

// bounded says whether any ε holds.
func (f *facts) bounded() bool { return !math.IsInf(float64(f.Epsilon), 1) }

// open says that grants still allow releases that no budget bounds: then nobody knows the ε of the plan.
func (f *facts) open() bool {
	if f.Filter != nil {
		return false
	}
	for _, g := range f.Report.Grants {
		if g.ReleasesLeft > 0 && (g.Epsilon == 0 || !f.planned()) {
			return true
		}
	}
	return false
}

// Protected names the unit. A ledger without a bound may name none.
func (f *facts) Protected() string {
	if !f.bounded() {
		return "Nothing is shown to be protected"
	}
	return "Protected is one " + f.Unit
}

// Neighbours states the relation in words.
func (f *facts) Neighbours() string {
	switch {
	case f.Unit == "":
		return "not stated: no release has a bound"
	case f.Adjacency == event.ReplaceOne:
		return fmt.Sprintf("data sets in which one %s is exchanged for any other (replace-one); the number of %ss "+
			"is public", f.Unit, f.Unit)
	case f.Adjacency == event.ReplaceNull:
		return fmt.Sprintf("data sets in which one %s is exchanged for an empty one (replace-null): what it "+
			"says is protected, not that it was there", f.Unit)
	}
	return fmt.Sprintf("data sets that differ by one %s more or less (add-remove)", f.Unit)
}

// Several says how the loss grows with the number of units of one person.
func (f *facts) Several() string {
	const grows = "at most k·ε, and δ grows to δ·(e^(k·ε) − 1)/(e^ε − 1). account report --group k has the less of " +
		"this and the bound of a sum."
	switch {
	case !f.bounded():
		return "No bound holds for several units either."
	case f.Unit == event.Word: // as account report says
		return "A document of n words loses n times as much where the mechanisms are pure."
	case f.Unit == event.User:
		return "All that a user contributes counts together. A person with k names of users has " + grows
	}
	return fmt.Sprintf("A person with k %ss has %s", f.Unit, grows)
}

// every says whether the mechanism of each run is one that holds.
func (f *facts) every(holds func(mechanism string) bool) bool {
	for _, run := range f.Runs {
		if !holds(run.Mechanism) {
			return false
		}
	}
	return true
}

// Trust names the model: local if authors randomize before anybody collects, central if privatize sees contributions.
func (f *facts) Trust() string {
	local := func(mechanism string) bool { return mechanism == event.RandomizedResponse }
	switch {
	case f.every(local):
		return "Local"
	case f.every(func(mechanism string) bool { return !local(mechanism) }):
		return "Central"
	}
	return "Varies"
}

// Mechanisms describes each kind of release of the ledger, with how many there were in all runs.
func (f *facts) Mechanisms() string {
	var kinds []string
	rounds := make(map[string]int)
	for _, run := range f.Runs {
		kind := fmt.Sprintf("%s, noise over sensitivity %s", run.Mechanism, run.Noise())
		switch run.Mechanism {
		case event.RandomizedResponse:
			kind = fmt.Sprintf("%s, %s", run.Mechanism, run.Noise())
		case event.None:
			kind = run.Mechanism + ": no noise"
		}
		if run.Scheme.Method == event.All {
			kind += ", of all units"
		} else {
			kind += fmt.Sprintf(", of units sampled by %s at rate %.6g", run.Scheme.Method, run.Scheme.Rate)
		}
		if run.Amplified {
			kind += " with secret coins, which lower the loss"
		}
		if rounds[kind] == 0 {
			kinds = append(kinds, kind)
		}
		rounds[kind] += run.Rounds
	}
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%d × %s", rounds[kind], kind)
	}
	return strings.Join(kinds, ". ")
}

// models are the names of the models that the grants allow.
func (f *facts) models() (models []string) {
	for _, g := range f.grants {
		if name := cmp.Or(g.Model, "sums"); !slices.Contains(models, name) {
			models = append(models, name)
		}
	}
	return models
}

// DataSets are the names of the charged data sets, which are public.
func (f *facts) DataSets() (names []string) {
	for _, run := range f.Runs {
		if !slices.Contains(names, run.Dataset) {
			names = append(names, run.Dataset)
		}
	}
	return names
}

// Left is the number of releases that charged grants still allow.
func (f *facts) Left() (releases int) {
	for _, g := range f.Report.Grants {
		releases += g.ReleasesLeft
	}
	for _, g := range f.uncharged {
		releases += g.Releases
	}
	return releases
}

// Releasing says how many releases there were, and how many the grants of the ledger allow. No ledger knows later
// grants.
func (f *facts) Releasing() string {
	return fmt.Sprintf("Releases so far: %d. Releases that charged grants still allow: %d", f.Releases, f.Left())
}

// Losses states the ε of the plan and of the charges.
func (f *facts) Losses() string {
	if !f.bounded() {
		return "ε = ∞: no bound holds for the releases of this ledger"
	}
	charged := fmt.Sprintf("ε = %s at δ = %.6g", f.Epsilon, float64(f.Delta))
	if f.open() {
		return charged + " for what was charged. Grants allow more releases, which no budget bounds: the ε of the " +
			"whole plan is not stated, and a run that ends by what its releases show has that one"
	}
	epsilon, delta := f.stated()
	said := fmt.Sprintf("ε = %s and δ = %.6g as planned; charged so far: %s", print.Number(epsilon), delta, charged)
	if f.Filter == nil && !f.planned() {
		said = charged + " for all that charged grants allow"
	}
	if f.unknown() {
		said += "; a grant that was planned and never charged is in no ledger, and --plan counts it"
	}
	if f.Overspent {
		said += "; a budget of the ledger is overspent"
	}
	return said
}

// Check says who would compute the numbers again, and how.
func (f *facts) Check() string {
	id := ""
	if f.id != "" {
		id = " " + f.id
	}
	return fmt.Sprintf("Ledger%s, last hash %s. `account verify --last-hash %s LEDGER` checks it, "+
		"`account report LEDGER` works ε out again, and privatize/CHECKING.md recomputes both without this software.",
		id, f.LastHash, f.LastHash)
}

// unknown says that grants of the plan that were never charged may raise its ε: a budget of the ledger itself, or a
// filter, bounds them, too, and --plan names them.
func (f *facts) unknown() bool {
	return f.Filter == nil && len(f.uncharged) == 0 && (f.Budget == nil || f.Budget.Grant != "")
}

// dynamic says whether the data change while they are released: by windows, or by several data sets.
func (f *facts) dynamic() bool {
	for _, run := range f.Runs {
		if run.Scheme.Method == event.Epoch || run.Dataset != f.Runs[0].Dataset {
			return true
		}
	}
	return false
}
