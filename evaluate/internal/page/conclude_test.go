package page

import (
	"fmt"
	"strings"
	"testing"

	"privpipe/evaluate/internal/released"
	"privpipe/pipelines/event"
)

// TestOrder: what a manager asks for comes first, and what only a statistician reads is in closed folds behind it.
func TestOrder(t *testing.T) {
	epsilon, delta := released.Number(1), released.Number(1e-6)
	report := &released.Report{Epsilon: &epsilon, Delta: &delta, Unit: event.Document, Adjacency: event.AddRemove,
		Releases: 1, Theorem: "Gaussian (x)"}
	p := &Page{Title: "t", Topics: NewTopics([]string{"a", "b", "c", "d"}, []float64{9, 4, 3, 2, 1, 1, 8, 9}, nil, 4),
		Protection: NewProtection(report), Description: []string{"Posts."}, Sources: []Row{{"model", "m"}}}
	html, err := p.HTML()
	if err != nil {
		t.Fatal(err)
	}
	body, last := string(html), 0
	body = body[strings.Index(body, "<main"):]
	for _, id := range []string{"topics", "conclusions", "data", "protection", "budget", "details", "words", "numbers",
		"theorems", "history", "pipeline", "sources"} {
		at := strings.Index(body, `id="`+id+`"`)
		if at < last {
			t.Errorf("%s is missing, or stands too early", id)
		}
		last = at
		folded := strings.Count(body[:max(at, 0)], "<details") > strings.Count(body[:max(at, 0)], "</details>")
		if want := strings.Index(body, `id="details"`) < at; folded != want {
			t.Errorf("%s is in a fold: %v, must be %v", id, folded, want)
		}
	}
	if strings.Contains(body, "<details open") || strings.Contains(body, `class="fold" open`) {
		t.Error("a fold is open")
	}
	for _, first := range []string{"By which theorems", "λ", "Jensen"} {
		if at := strings.Index(body, first); at >= 0 && at < strings.Index(body, `id="details"`) {
			t.Errorf("%q stands before the details", first)
		}
	}
}

// TestConclusions: what must not be concluded follows from what the page has.
func TestConclusions(t *testing.T) {
	epsilon, delta := released.Number(1), released.Number(1e-6)
	topics := func() *Topics { return NewTopics([]string{"a", "b", "c"}, []float64{9, 3, 2, 1, 2, 8}, nil, 3) }
	borrowed, good := topics(), topics()
	borrowed.AddOrigins([]Origin{{Own: .6, Public: .4}, {Own: .4, Public: .6}})
	good.Doubt = &Doubt{Alpha: 0.01}
	protection := NewProtection(&released.Report{Epsilon: &epsilon, Delta: &delta, Unit: event.User,
		Adjacency: event.AddRemove, Releases: 1})
	poor := &Perplexity{Rounds: []RoundPerplexity{{Model: 100, Unigram: 99}}}
	const nobody, own, sure, worse = "Anything about one user",
		"Much from “c, b, a”: less than half of that is this text’s own.", "✓ is wrong is at most 1.0 %",
		"no better than word frequencies"
	for _, c := range []struct {
		page       Page
		want, lack []string
	}{
		{Page{Topics: topics()}, []string{"praise or blame"}, []string{nobody, own, sure, worse}},
		{Page{Topics: borrowed, Protection: protection}, []string{nobody, own}, []string{sure, worse}},
		{Page{Topics: good, Perplexity: poor}, []string{sure, worse}, []string{nobody, own}},
		{Page{Topics: NewTopics([]string{"a", "b"}, []float64{2, 1}, nil, 2), Protection: protection},
			[]string{"How often words", nobody}, []string{"praise", own}},
		{Page{Coefficients: new(Coefficients)}, []string{"the cause of anything"}, []string{"praise", nobody}},
		{Page{Protection: protection}, nil, []string{nobody}},
		{Page{Topics: topics(), Protection: &Protection{None: true, Unit: event.User}}, nil, []string{nobody}},
		{Page{Topics: topics(), Protection: &Protection{Little: "ε is large", Unit: event.User}}, nil,
			[]string{nobody}},
	} {
		said := fmt.Sprint(c.page.Conclusions())
		html, err := c.page.HTML()
		if hidden := strings.Contains(string(html), "noise that is there to hide"); err != nil || hidden &&
			!strings.Contains(said, nobody) {
			t.Errorf("the head says that units are hidden: %v (%v), and the conclusions %s", hidden, err, said)
		}
		for _, want := range c.want {
			if !strings.Contains(said, want) {
				t.Errorf("no %q in %s", want, said)
			}
		}
		for _, never := range c.lack {
			if strings.Contains(said, never) {
				t.Errorf("%q in %s", never, said)
			}
		}
	}
}

// TestFound by hand: of word a, topic 1 has 30 of 40 and topic 0 has 10, of word b topic 0 has 1 of 50. The larger
// topic 1 is at place 0.
func TestFound(t *testing.T) {
	topics := NewTopics([]string{"a", "b"}, []float64{10, 1, 30, 49}, nil, 2)
	if got := fmt.Sprint(topics.Found); got != "[[a 0 75 1 25] [b 0 98]]" {
		t.Errorf("found %s", got)
	}
	if got := NewTopics([]string{"a", "b"}, []float64{10, 1}, nil, 2).Found; got != nil {
		t.Errorf("of one distribution: %v", got)
	}
}

// TestAbout: a topic that is there does not take 0 %.
func TestAbout(t *testing.T) {
	for share, want := range map[float64]string{0.181: "18 %", 0.004: "below 1 %", 0.009: "below 1 %", 0.01: "1 %",
		1: "100 %"} {
		if got := (Topic{Share: share}).About(); got != want {
			t.Errorf("a share of %v is %s, want %s", share, got, want)
		}
	}
}

// TestSeveral: where one person may have several units, the page states the ε for several units. It also says where ε
// is large.
func TestSeveral(t *testing.T) {
	delta := released.Number(1e-6)
	for _, c := range []struct {
		unit    string
		epsilon released.Number
		several string
		little  bool
	}{
		{event.Document, 0.5, "Whoever has several of the documents is protected less: for k of them ε is at most " +
			"k·0.5 (", false},
		{event.Word, 2, "Whoever has several of the words is protected less: for k of them ε is at most k·2 (", false},
		{event.User, 11, "", true},
		{event.Document, 10, "for k of them ε is at most k·10 (", false},
	} {
		p := NewProtection(&released.Report{Epsilon: &c.epsilon, Delta: &delta, Unit: c.unit,
			Adjacency: event.AddRemove, Releases: 1})
		html, err := (&Page{Protection: p}).HTML()
		if err != nil {
			t.Fatal(err)
		}
		text := string(html)
		if c.several == "" && strings.Contains(text, "protected less") || !strings.Contains(text, c.several) {
			t.Errorf("%s: does not say %q", c.unit, c.several)
		}
		if strings.Contains(text, "Vadhan") != (c.several != "") {
			t.Errorf("%s: the source of the formula is there: %v", c.unit, c.several == "")
		}
		if strings.Contains(text, "ε is above 10: this protects little.") != c.little {
			t.Errorf("ε %v: it protects little: %v", c.epsilon, !c.little)
		}
	}
}
