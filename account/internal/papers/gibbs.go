package papers

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"text/tabwriter"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/loss"
	"privpipe/account/internal/print"
	"privpipe/account/internal/renyi"
	"privpipe/pipelines/event"
)

// A Gibbs has the command's flags.
type Gibbs struct {
	Clip  *float64 `group:"Topic draws" placeholder:"C" help:"Draws read noisy counts, clipped to [0, C]."`
	Prior *float64 `group:"Topic draws" placeholder:"β" help:"Prior of a word in a topic."`

	LaplaceScale   *float64 `group:"Noise on counts" xor:"noise" placeholder:"X" help:"Scale of Laplace noise on each count of a word in a topic."`
	EpsilonLaplace *float64 `group:"Noise on counts" xor:"noise" placeholder:"X" help:"The paper's ε_L, of the scale 2/ε_L."`

	Flip       *float64 `group:"Randomized response" placeholder:"F" help:"Each bit of a document (does a word occur in it?) is replaced by a fair coin with probability F."`
	Vocabulary uint64   `group:"Randomized response" placeholder:"V" help:"Number of bits of a document."`
	Words      uint64   `group:"Randomized response" placeholder:"W" help:"Most words, all different, that a document has; V by default."`

	LargestCount uint64 `group:"No noise" placeholder:"N" help:"Largest count of a word in a topic."`
	WordCount    uint64 `group:"No noise" placeholder:"N" help:"How often the replaced word occurs."`
	OtherCount   uint64 `group:"No noise" placeholder:"N" help:"Most occurrences of any other word."`

	Rounds int      `short:"T" default:"1" help:"Number of iterations, or of reports of a document, each with coins and noise of its own."`
	Delta  *float64 `placeholder:"X" help:"Convert the bounds to (ε, δ) at this δ, too."`
}

func (Gibbs) Help() string {
	return `
The pure ε of what collapsed Gibbs samplers for topic models release. HDP-LDA, whose neighbours differ by one word
replaced, with all topics known to the adversary, loses ε_L by noise on counts and ε_I = 2·log(C/β+1) by draws in an
iteration; LP-LDA's documents are bits that are flipped at home.

  account gibbs --clip 100 --prior 0.01 --epsilon-laplace 1 -T 100
  account gibbs --flip 0.5 --vocabulary 1000 --words 100

Bounds are for fresh noise on exact counts in each iteration, and draws from those noisy counts only. The noisy counts
stay as they are until the next iteration, and are clipped to [0, C] in the whole formula. A replaced word then moves two
counts by 1. HDP-LDA's algorithm 1 keeps the noise in the counts, where it moves four, and updates them between
draws, and loses more than its theorem 3 says. For it the paper's number is a claim.

LP-LDA's ε "for each word" is that of a bit. A replaced word changes two bits, a replaced document up to 2·W.

Without noise (theorem 1) the loss follows from counts of the data: a claim, and not to be published.`
}

func (c *Gibbs) Validate() error {
	var wrong complaints
	plain := c.LargestCount > 0
	wrong.when((c.Clip != nil || plain) != (c.Prior != nil),
		"--prior goes with --clip or --largest-count, which need it")
	wrong.when(c.Clip == nil && c.LaplaceScale == nil && c.EpsilonLaplace == nil && c.Flip == nil && !plain,
		"--clip, --laplace-scale, --epsilon-laplace, --flip or --largest-count is needed")
	if c.Prior != nil {
		clip := 1.0
		if c.Clip != nil {
			clip = *c.Clip
		}
		wrong = append(wrong, checkDraws(clip, *c.Prior))
	}
	wrong.when(c.LaplaceScale != nil && !(*c.LaplaceScale >= leastScale && *c.LaplaceScale <= mostScale),
		"--laplace-scale must be in [%v, %v]", leastScale, mostScale)
	wrong.when(c.EpsilonLaplace != nil && !(2 / *c.EpsilonLaplace >= leastScale && 2 / *c.EpsilonLaplace <= mostScale),
		"--epsilon-laplace must be in [%v, %v]", 2/mostScale, 2/leastScale)
	wrong.when(plain != (c.WordCount > 0) || plain != (c.OtherCount > 0),
		"--largest-count, --word-count and --other-count go together, and are positive")
	wrong.when(c.Flip != nil && !(*c.Flip >= leastFlip && *c.Flip <= 1), "--flip must be in [%v, 1]", leastFlip)
	wrong.when(c.Vocabulary > 0 && c.Flip == nil || c.Words > 0 && c.Vocabulary == 0,
		"--vocabulary goes with --flip, and --words with --vocabulary")
	wrong.when(max(c.Vocabulary, c.Words) > mostBits, "--vocabulary and --words must be at most %d", mostBits)
	wrong = append(wrong, event.CheckRounds(c.Rounds))
	if c.Delta != nil {
		wrong = append(wrong, accountant.CheckDelta(*c.Delta))
	}
	return errors.Join(wrong...)
}

// The numbers are known to be right in these ranges.
const (
	leastScale, mostScale = 0.01, 1e8
	leastFlip             = 1e-12
	mostBits              = 1 << 30
)

// A gibbsRow is the loss of one part of a sampler, and its JSON form. Round is for one iteration and Pure for all
// iterations, both at δ = 0. Epsilon is for all iterations at Delta.
type gibbsRow struct {
	Part      string        `json:"part"`
	Adjacency string        `json:"adjacency"`
	Unit      string        `json:"unit"`
	Round     print.Number  `json:"round_epsilon"`
	Rounds    int           `json:"rounds"`
	Pure      print.Number  `json:"pure_epsilon"`
	Epsilon   *print.Number `json:"epsilon,omitempty"`
	Delta     *float64      `json:"delta,omitempty"`
	Claim     bool          `json:"claim"` // a paper claims it; it is no bound
	Theorem   string        `json:"theorem"`
}

// GibbsRows are the losses of a sampler, by part.
type GibbsRows []*gibbsRow

// of returns count releases of one mechanism.
func of(count int, m loss.Mechanism) loss.Release {
	return loss.Release{Released: []loss.Mechanism{m}, Count: count}
}

// tightEpsilon returns ε at δ by pld if all events happen in each round.
func tightEpsilon(adjacency string, rounds int, delta float64, events ...loss.Release) (*print.Number, error) {
	l := &loss.List{Adjacency: adjacency}
	for _, e := range events {
		if err := e.Check(); err != nil {
			return nil, err
		}
		l.Add(e)
	}
	p, err := l.Times(rounds).Distribution(accountant.Precise)
	if err != nil {
		return nil, err
	}
	bound, err := p.Epsilon(delta)
	epsilon := print.Number(bound.Upper)
	return &epsilon, err
}

// Rows returns the losses of the parts.
func (c *Gibbs) Rows() (rows GibbsRows, err error) {
	add := func(part, unit string, epsilon float64, what []loss.Release, theorem string) {
		row := &gibbsRow{
			Part: part, Adjacency: event.ReplaceOne, Unit: unit, Round: print.Number(epsilon), Rounds: c.Rounds,
			Pure:  print.Number(renyi.Guarantee{Epsilon: epsilon}.Linear(uint64(c.Rounds)).Epsilon),
			Claim: what == nil, Theorem: theorem,
		}
		rows = append(rows, row)
		if c.Delta != nil && what != nil && err == nil {
			row.Delta = c.Delta
			row.Epsilon, err = tightEpsilon(event.ReplaceOne, c.Rounds, *c.Delta, what...)
		}
	}
	c.sampler(add)
	c.local(add)
	return rows, err
}

// adding is the function that adds a row. A row without a release is a claim.
type adding func(part, unit string, epsilon float64, what []loss.Release, theorem string)

// sampler adds the rows for the server's draws and its noise on counts.
func (c *Gibbs) sampler(add adding) {
	const word = "word"
	const laplace = "Laplace (Dwork, Roth 2014, thm. 3.6): "
	var inherent float64
	var draws loss.Release
	if c.Clip != nil {
		inherent = inherentLoss(*c.Clip, *c.Prior)
		draws = of(1, loss.Pure{Epsilon: inherent})
		add("draws", word, inherent, []loss.Release{draws},
			"inherent loss (HDP-LDA, thm. 3, eq. 7), of counts that stay as they are")
	}
	if scale := c.scale(); scale > 0 {
		cell := loss.Laplace{Scale: scale, Sensitivity: 1}
		fresh := of(2, cell)
		epsilon := laplaceEpsilon(2, scale)
		add("noise", word, epsilon, []loss.Release{fresh}, laplace+"two counts move by 1, noise is fresh")
		add("noise that is kept", word, laplaceEpsilon(4, scale), []loss.Release{of(4, cell)},
			laplace+"four counts move by 1, none is seen between draws and noise")
		if c.Clip != nil {
			sum := renyi.Guarantee{Epsilon: epsilon + inherent}.Linear(1).Epsilon
			add("draws and noise", word, sum, []loss.Release{draws, fresh}, "composition of draws with fresh noise")
			add("hdp20", word, sum, nil,
				"HDP-LDA, thm. 3, of algorithm 1: no proof where draws read updated counts, or noise is kept")
		}
	}
	if c.LargestCount > 0 {
		epsilon := unclippedInherentLoss(float64(c.LargestCount), float64(c.WordCount), float64(c.OtherCount),
			*c.Prior)
		add("hdp20 without noise", word, epsilon, nil,
			"HDP-LDA, thm. 1, eq. 5: follows from the data, is not to be published")
	}
}

// scale returns the scale of the Laplace noise, or 0 if there is none.
func (c *Gibbs) scale() float64 {
	switch {
	case c.LaplaceScale != nil:
		return *c.LaplaceScale
	case c.EpsilonLaplace != nil:
		return 2 / *c.EpsilonLaplace
	}
	return 0
}

// local adds the rows for document bits that are flipped at home.
func (c *Gibbs) local(add adding) {
	if c.Flip == nil {
		return
	}
	const response = "randomized response (LP-LDA, thm. 4)"
	f := *c.Flip
	bits := func(count int) []loss.Release {
		return []loss.Release{of(count, loss.Pure{Epsilon: bitEpsilon(f)})}
	}
	add("response", "bit", bitEpsilon(f), bits(1), response)
	add("response", "word", wordEpsilon(f), bits(2), response+": two bits change")
	add("lp20", "word", bitEpsilon(f), nil, "LP-LDA, thm. 4, for each word: that is a bit's")
	if c.Vocabulary > 0 {
		words := cmp.Or(c.Words, c.Vocabulary)
		changed := changedBits(c.Vocabulary, words)
		add("response", "document", documentEpsilon(f, c.Vocabulary, words), bits(int(changed)),
			fmt.Sprintf("%s: up to %d bits change", response, changed))
	}
}

// Table prints the losses for people.
func (rows GibbsRows) Table(b *bytes.Buffer) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	head := fmt.Sprintf("part\tunit\tneighbours\tε of one\tε of %d", rows[0].Rounds)
	if rows[0].Delta != nil {
		head += fmt.Sprintf("\tε at δ %v", *rows[0].Delta)
	}
	fmt.Fprintln(w, head+"\tis a\trests on")
	for _, row := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s", row.Part, row.Unit, row.Adjacency, row.Round, row.Pure)
		switch {
		case row.Epsilon != nil:
			fmt.Fprintf(w, "\t%s", row.Epsilon)
		case rows[0].Delta != nil:
			fmt.Fprint(w, "\t-")
		}
		fmt.Fprintf(w, "\t%s\t%s\n", map[bool]string{true: "claim", false: "bound"}[row.Claim], row.Theorem)
	}
	w.Flush()
}
