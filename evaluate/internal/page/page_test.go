package page

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"privpipe/evaluate/internal/released"
	"privpipe/pipelines/chart"
	"privpipe/pipelines/event"
)

func TestSplitTheorems(t *testing.T) {
	for list, want := range map[string][]string{
		"":                             nil,
		"a (X 2010, thm. 1)":           {"a (X 2010, thm. 1)"},
		"a (X 2010; Y (2011; z)); b; ": {"a (X 2010; Y (2011; z))", "b"},
	} {
		if got := splitTheorems(list); !slices.Equal(got, want) {
			t.Errorf("%q is split into %q, want %q", list, got, want)
		}
	}
}

// TestGuess: by the formula for ε 0, ln 3 and 1, and what no rounding may lower.
func TestGuess(t *testing.T) {
	for _, c := range []struct {
		epsilon, delta float64
		want           string
	}{
		{0, 0, "50.0\u00a0%"}, {math.Log(3), 0, "75.0\u00a0%"}, {math.Log(3), 0.2, "80.0\u00a0%"},
		{1, 1e-6, "73.2\u00a0%"}, {800, 0, "100.0\u00a0%"}, {0, 1, "100.0\u00a0%"},
	} {
		if got := guess(c.epsilon, c.delta); got != c.want {
			t.Errorf("at ε %v and δ %v a guess is right %s of the time, want %s", c.epsilon, c.delta, got, c.want)
		}
	}
}

func TestOneIn(t *testing.T) {
	for delta, want := range map[float64]string{1e-6: "1,000,000", 0.3: "3", 1e-5: "100,000", 3e-7: "3,330,000",
		0.001: "1,000", 1: "1"} {
		if got := oneIn(delta); got != want {
			t.Errorf("δ %v is one part in %s, want %s", delta, got, want)
		}
	}
}

// TestSentences: each unit and each relation has its words, and none is promised where there is no bound.
func TestSentences(t *testing.T) {
	epsilon, delta, infinite := released.Number(1), released.Number(1e-6), released.Number(math.Inf(1))
	for _, c := range []struct {
		unit, adjacency string
		epsilon         *released.Number
		want            []string
	}{
		{event.Document, event.AddRemove, &epsilon,
			[]string{"single document", "k documents have at most k·ε, with δ·(e^(k·ε) − 1)/(e^ε − 1)",
				"one document more", "2.719 times", "1,000,000", "whether a document"}},
		{event.User, event.ReplaceOne, &epsilon,
			[]string{"single user", "all of the user's documents", "equally many users", "which of two users",
				"together: which one was there"}},
		{event.User, event.AddRemove, &epsilon, []string{"whether the user was in the data at all"}},
		{event.Document, event.ReplaceOne, &epsilon, []string{"protected: which one was there, and all"}},
		{event.Word, event.ReplaceOne, &epsilon, []string{"single word", "differ in one word", "which of two words"}},
		{event.Document, event.ReplaceNull, &epsilon,
			[]string{"Of each single document, all that it says is protected. That the document was in the data " +
				"counts as known, and so does the number of all documents.",
				"equally many documents, of which one has an empty document", "or empty"}},
		{event.User, event.ReplaceNull, &epsilon,
			[]string{"Of each single user, all that the user's documents say", "number of all users", "or none"}},
		{event.Document, event.AddRemove, &infinite, []string{"nothing is protected"}},
	} {
		p := NewProtection(&released.Report{Epsilon: c.epsilon, Delta: &delta, Unit: c.unit, Adjacency: c.adjacency,
			Releases: 3})
		text := fmt.Sprint(p.Sentences, p.Plain)
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s, %s, ε %s: no %q in %s", c.unit, c.adjacency, c.epsilon, want, text)
			}
		}
		if at := strings.Contains(text, "in the data at all"); at && c.adjacency != event.AddRemove {
			t.Errorf("%s, %s: %s", c.unit, c.adjacency, text)
		}
		if of := strings.Contains(text, "k documents"); of != (c.unit == event.Document && !c.epsilon.Infinite()) {
			t.Errorf("%s: several documents: %v", c.unit, of)
		}
		if p.None != c.epsilon.Infinite() || p.None && (strings.Contains(text, "times as likely") || p.Plain != "") {
			t.Errorf("ε %s: %v, %s", c.epsilon, p.None, text)
		}
	}
	none := &released.Report{Epsilon: new(released.Number), Delta: new(released.Number)}
	if p := NewProtection(none); len(p.Sentences) != 1 ||
		p.Plain != "" {
		t.Errorf("of no release: %v", p)
	}
}

// TestNoProtection: a page of releases without noise says nothing that a reader could take for a guarantee: no δ, no
// protected unit, no theorem, and no curve that ends before ε is infinite.
func TestNoProtection(t *testing.T) {
	infinite, delta := released.Number(math.Inf(1)), released.Number(1e-6)
	ledger := &event.Ledger{Lines: []*event.Line{{Charge: &event.Charge{Run: "a", Mechanism: event.None}}}}
	for _, unit := range []string{"", event.Document} { // of no release with noise, and of some
		r := &released.Report{Epsilon: &infinite, Delta: &delta, Unit: unit, Adjacency: event.AddRemove, Releases: 1,
			Theorem: "nothing: no bound"}
		p := NewProtection(r)
		p.AddHistory(ledger, r,
			&released.Curve{Delta: &delta, Points: []released.Point{{}, {Releases: 1, Epsilon: infinite}}})
		html, err := (&Page{Protection: p}).HTML()
		if err != nil {
			t.Fatal(err)
		}
		text := string(html)
		if alarm, section := strings.Index(text, "<strong>No protection.</strong>"),
			strings.Index(text, "<section"); alarm < 0 || alarm > section {
			t.Errorf("unit %q: the page does not begin with it:\n%s", unit, text)
		}
		for _, never := range []string{"δ, at most", "Protected", "By which theorems", "What this rests on",
			"Neighbouring", "<polyline"} {
			if strings.Contains(text, never) {
				t.Errorf("unit %q: the page says %q", unit, never)
			}
		}
	}
}

// TestOverspent: the page repeats what account says of all budgets, whatever δ the report is at, and with a filter,
// too.
func TestOverspent(t *testing.T) {
	epsilon, delta := released.Number(0.5), released.Number(1e-3)
	yes, no := true, false
	for _, said := range []*bool{nil, &yes, &no} {
		for _, filter := range []*released.Filter{nil, {Epsilon: 1, Delta: 1e-6, Theorem: "x"}} {
			for _, budget := range []*released.Budget{nil, {Epsilon: 1, Delta: 1e-6}, {Epsilon: 0.6, Delta: 1e-3}} {
				p := NewProtection(&released.Report{Epsilon: &epsilon, Delta: &delta, Releases: 3, Overspent: said,
					Filter: filter, Budget: budget})
				if want := said == &yes; p.Overspent != want {
					t.Errorf("overspent %v, filter %v, budget %v: the page says %v", said, filter, budget, p.Overspent)
				}
				if want := said == &no && budget != nil; p.Kept != want {
					t.Errorf("overspent %v, filter %v, budget %v: the page says that the budget was kept: %v", said,
						filter, budget, p.Kept)
				}
				html, err := (&Page{Protection: p}).HTML()
				if err != nil {
					t.Fatal(err)
				}
				comparable := filter == nil && budget != nil && budget.Delta == float64(delta)
				if strings.Contains(string(html), "is spent of the budget") != comparable {
					t.Errorf("filter %v, budget %v: ε 0.5 at δ 0.001 is spent of it: %v", filter, budget, !comparable)
				}
				if kept := strings.Contains(string(html), "budget was kept"); kept != p.Kept {
					t.Errorf("overspent %v: the budget was kept: %v", said, kept)
				}
			}
		}
	}
}

// TestExcess: which budget is overspent, by how much, of which data set, and which grants no plan had counted.
func TestExcess(t *testing.T) {
	epsilon, delta, infinite, yes := released.Number(0.5), released.Number(1e-3), released.Number(math.Inf(1)), true
	ledger := new(event.Ledger)
	for _, g := range []*event.Grant{{ID: "planned", Budget: event.Budget{Epsilon: 0.3, Delta: 1e-6}}, {ID: "given"},
		{ID: "unused"}, {ID: "also"}} {
		ledger.Lines = append(ledger.Lines, &event.Line{Grant: g})
	}
	for _, grant := range []string{"planned", "given", "given", "also"} {
		ledger.Lines = append(ledger.Lines, &event.Line{Charge: &event.Charge{Run: "r", Grant: grant}})
	}
	for _, c := range []struct {
		of   released.Overspending
		want string
	}{
		{released.Overspending{Budget: 1, Delta: 1e-6, Epsilon: 1.25},
			"What was released costs ε 1.25 at δ 1e-06, and the ledger's own budget is ε 1. That is ε 0.25 too much."},
		{released.Overspending{Budget: 0.3, Delta: 1e-6, Epsilon: 1, Grant: "planned", Dataset: "north"},
			"What was released of data set north costs ε 1 at δ 1e-06, and the budget that grant planned was planned " +
				"for is ε 0.3. That is ε 0.7 too much."},
		{released.Overspending{Budget: 1, Delta: 1e-6, Epsilon: infinite},
			"and the ledger's own budget is ε 1. ε has no bound."},
	} {
		r := &released.Report{Epsilon: &epsilon, Delta: &delta, Releases: 4, Overspent: &yes, OverspentBudget: &c.of}
		p := NewProtection(r)
		p.AddHistory(ledger, r, nil)
		if !strings.Contains(p.Excess, c.want) {
			t.Errorf("%+v: %s", c.of, p.Excess)
		}
		const want = "which no plan had counted: given (releases: 2), also (releases: 1)."
		if !strings.HasSuffix(p.Unplanned, want) {
			t.Errorf("grants that were not planned: %s", p.Unplanned)
		}
	}
}

// TestLongBudget: a budget that was planned from its noise has all digits of a computed ε. A chart has no room for all
// digits.
func TestLongBudget(t *testing.T) {
	epsilon, delta := released.Number(2.3293966231798944), released.Number(1e-6)
	r := &released.Report{Epsilon: &epsilon, Delta: &delta, Releases: 1,
		Budget: &released.Budget{Epsilon: float64(epsilon), Delta: 1e-6, EpsilonLeft: new(released.Number)}}
	p := NewProtection(r)
	p.AddHistory(&event.Ledger{Lines: []*event.Line{{Charge: &event.Charge{Run: "a"}}}}, r,
		&released.Curve{Delta: &delta, Points: []released.Point{{Releases: 1, Epsilon: epsilon}}})
	html, err := (&Page{Protection: p}).HTML()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(html), "2.329396"); n != 1 {
		t.Errorf("all digits stand %d times on the page, want once, where account is quoted", n)
	}
	if n := strings.Count(string(html), "budget ε 2.33<"); n == 0 {
		t.Errorf("the limit has no name of its own:\n%s", html)
	}
}

// TestLead: the page leads with the guarantee of the filter, which holds even where settings followed from releases.
func TestLead(t *testing.T) {
	epsilon, delta := released.Number(math.Log(3)), released.Number(0)
	for _, c := range []struct {
		filter *released.Filter
		want   []string
	}{
		{nil, []string{"<strong>(1.099, 0)-differential privacy</strong> for each document. <a",
			"at most 75.0\u00a0%"}},
		{&released.Filter{Epsilon: 2, Delta: 1e-6}, []string{
			"<strong>(2, 1e-06)-differential privacy</strong> for each document. <a", "at most 88.1\u00a0%",
			"exactly as account states it: " + fmt.Sprint(math.Log(3)) +
				"; if all settings were fixed before the first release<",
			"ε 1.099 at δ 0 holds if all settings were fixed before the first release. Whatever the order, the " +
				"ledger&#39;s filter guarantees ε 2 at δ 1e-06"}},
		{&released.Filter{Epsilon: released.Number(math.Inf(1))},
			[]string{"<strong>(1.099, 0)-differential privacy</strong> for each document, if all settings were fixed " +
				"before the first release."}},
	} {
		p := NewProtection(&released.Report{
			Epsilon: &epsilon, Delta: &delta, Releases: 1, Filter: c.filter, Unit: event.Document,
			Adjacency: event.AddRemove,
		})
		html, err := (&Page{Protection: p}).HTML()
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(string(html), want) {
				t.Errorf("filter %v: no %q", c.filter, want)
			}
		}
	}
}

// TestVisible: a character that hides or reorders what is read is shown by its number, wherever it comes from.
func TestVisible(t *testing.T) {
	const bad = "a\u202eb\x07c\u2066d\u0085\r"
	p := &Page{Title: bad, Description: []string{bad}, Runs: []Run{{Name: bad, Dataset: bad, Commands: bad}},
		Sources: []Row{{bad, bad}},
		Topics:  NewTopics([]string{bad, "\u0627\u200c\u0644"}, []float64{2, 1, 3, 4}, nil, 2)}
	html, err := p.HTML()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range string(html) {
		if strings.ContainsRune(bad, c) && c > 0x7f || c < ' ' && c != '\n' {
			t.Errorf("%U is in the page", c)
		}
	}
	if want := "a⟨U+202E⟩b⟨U+0007⟩c⟨U+2066⟩d⟨U+0085⟩⟨U+000D⟩"; strings.Count(string(html), want) < 8 {
		t.Errorf("%q is there %d times", want, strings.Count(string(html), want))
	}
	if !strings.Contains(string(html), "\u0627\u200c\u0644") {
		t.Error("a word with a joiner was changed")
	}
}

// TestSize: the most topics of a page, over long words, fit; what cannot fit is refused.
func TestSize(t *testing.T) {
	const topics, vocabulary = 150, 3000
	random := rand.New(rand.NewPCG(1, 2))
	words := make([]string, vocabulary)
	for i := range words {
		words[i] = fmt.Sprintf("word%020d", i)
	}
	cells := make([]float64, topics*vocabulary)
	for i := range cells {
		cells[i] = math.Pow(random.Float64(), 20) + 1e-6
	}
	p := &Page{Title: "t", Topics: NewTopics(words, cells, nil, 15)}
	html, err := p.HTML()
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Topics.All) != mostTopics || p.Topics.Hidden != topics-mostTopics ||
		!strings.Contains(string(html), "50 smaller ones are left out") {
		t.Errorf("%d topics are shown, %d left out", len(p.Topics.All), p.Topics.Hidden)
	}
	t.Logf("%d bytes", len(html))
	p.Topics = NewTopics(words, cells, nil, 100)
	if html, err := p.HTML(); err == nil {
		t.Errorf("a page of %d bytes", len(html))
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		axis   chart.Axis
		counts bool
		want   []float64
	}{
		{chart.Axis{Max: 1.05}, false, []float64{0, 0.2, 0.4, 0.6, 0.8, 1}},
		{chart.Axis{Max: 4}, true, []float64{0, 1, 2, 3, 4}},
		{chart.Axis{Max: 81}, true, []float64{0, 20, 40, 60, 80}},
		{chart.Axis{Max: 1}, true, []float64{0, 1}},
		{chart.Axis{Min: 1, Max: 40}, true, []float64{1, 10, 20, 30, 40}},
		{chart.Axis{Min: 900, Max: 9000, Log: true}, false, []float64{1000, 2000, 5000}},
		{chart.Axis{Min: 1577, Max: 8800, Log: true}, false, []float64{2000, 3000, 4000, 5000, 6000, 7000, 8000}},
		{chart.Axis{Min: 7100, Max: 10775, Log: true}, false, []float64{7500, 8000, 8500, 9000, 9500, 10000, 10500}},
		{chart.Axis{Min: 1577, Max: 2e7, Log: true}, false, []float64{1e4, 1e5, 1e6, 1e7}},
	} {
		c.axis.Counts = c.counts
		got := ticks(c.axis)
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Errorf("ticks of %v are %v, want %v", c.axis, got, c.want)
		}
	}
}

// TestPoorModel: the page says so where word frequencies predict as well.
func TestPoorModel(t *testing.T) {
	for model, poor := range map[float64]bool{99: false, 100: true, 101: true, math.Inf(1): true} {
		p := &Perplexity{Rounds: []RoundPerplexity{{Model: 50, Unigram: 100}, {Round: 1, Model: model, Unigram: 100}},
			Uniform: 1000}
		html, err := (&Page{Perplexity: p}).HTML()
		if err != nil || strings.Contains(string(html), "no better than word frequencies") != poor {
			t.Errorf("perplexity %v beside 100: %v, the page says that it is poor: %v", model, err, !poor)
		}
	}
}

// TestFewTicks: a logarithmic axis of any length has at least three labels, and no more than it has room for.
func TestFewTicks(t *testing.T) {
	for ratio := 1.21; ratio < 1e300; ratio = math.Pow(ratio, 1.01) { // an axis of a chart is longer than 1.1/0.9
		for _, low := range []float64{1, 3.7, 900, 1577, 7999, 54321} {
			a := chart.Axis{Min: low, Max: low * ratio, Log: true}
			got := ticks(a)
			if len(got) < 3 || len(got) > 8 || got[0] < a.Min || got[len(got)-1] > a.Max*(1+1e-9) {
				t.Fatalf("ticks of %v are %v", a, got)
			}
		}
	}
}

func TestLabel(t *testing.T) {
	for number, want := range map[float64]string{0.25: "0.25", 1: "1", 9000: "9000", 1e4: "10000", 250000: "250000",
		1e6: "1e+06", 1e12: "1e+12"} {
		if got := label(number); got != want {
			t.Errorf("%v is written %s, want %s", number, got, want)
		}
	}
}

func TestQuoted(t *testing.T) {
	for name, want := range map[string]string{"north-1": "north-1", "": "''", "a b": "'a b'",
		"it's; rm -rf /": `'it'\''s; rm -rf /'`, "$(x)": "'$(x)'"} {
		if got := quoted(name); got != want {
			t.Errorf("%q is quoted as %s, want %s", name, got, want)
		}
	}
}

// TestNamesApart: names of lines that end at one place stand below each other, within the chart.
func TestNamesApart(t *testing.T) {
	for _, y := range []float64{0, 0.5, 1} {
		c := new(Chart)
		end := func(name string) series { return series{name: name, x: []float64{0, 1}, y: []float64{y, y}} }
		c.draw(chart.Axis{Max: 1}, chart.Axis{Max: 1}, []series{end("a"), end("b"), end("c")})
		var places []float64
		for _, line := range c.Lines {
			places = append(places, line.LabelY)
		}
		slices.Sort(places)
		if places[0] < Top || places[2] > Bottom || places[1]-places[0] < 15.9 || places[2]-places[1] < 15.9 {
			t.Errorf("names of lines that end at %v stand at %v", y, places)
		}
		if len(c.XTicks) != 6 {
			t.Errorf("an axis of shares has %d ticks, want 0, 0.2 to 1", len(c.XTicks))
		}
	}
}

// TestMatrixFlag: a matrix without its symmetry has another grant.
func TestMatrixFlag(t *testing.T) {
	for want, m := range map[string]event.Matrix{
		"s1=1x3":           {Name: "s1", Rows: 1, Columns: 3},
		"s2=3x3,symmetric": {Name: "s2", Rows: 3, Columns: 3, Symmetric: true},
	} {
		if got := matrixFlag(m); got != want {
			t.Errorf("the flag is %s, want %s", got, want)
		}
	}
}

// TestSchemeFlags: the flags are those of account plan and sample, which take the rounds of an epoch.
func TestSchemeFlags(t *testing.T) {
	for want, scheme := range map[string]event.Scheme{
		"--poisson 0.25 --rounds 8":        {Method: event.Poisson, Rate: 0.25, Rounds: 8},
		"--allocate --rounds 8":            {Method: event.Allocate, Rate: 0.125, Rounds: 8},
		"--allocate --epochs 4 --rounds 2": {Method: event.Allocate, Rate: 0.5, Rounds: 8, Epochs: 4},
	} {
		if got := schemeFlags(scheme); got != want {
			t.Errorf("%+v: %s, want %s", scheme, got, want)
		}
	}
}
