// Package page writes a report on a model as one HTML file that needs no network. html/template escapes all text from
// vocabularies and ledgers. A policy in the page forbids every script and style except its own.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"sync"
	"unicode"
)

// A Page is the contents of the report. All of it is public, unless Internal is set.
type Page struct {
	Title    string
	Internal bool // the page has numbers that no budget covers

	Protection   *Protection   // nil: no ledger was given
	Topics       *Topics       // nil: the model has no distributions over words
	Coefficients *Coefficients // nil: the model has no weights of features
	Units        *Units        // nil: the model has no hidden units over pixels
	Perplexity   *Perplexity   // nil: no scores were given
	Predictions  *Predictions  // nil: no predictions were given
	Settings     []Row         // of the model
	Runs         []Run         // of the ledger
	Description  []string      // of the data, by paragraphs
	Sources      []Row         // the files that the page was made from
}

// A Row is a name and its value.
type Row struct{ Name, Value string }

// A Run is one training run in the ledger: its settings, and the commands that repeat it.
type Run struct {
	Name, Dataset string
	Settings      []Row
	Commands      string
}

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

// pageTemplate parses the template when a page is made, not at each start of evaluate.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{"percent": percent, "ends": ends}).Parse(pageHTML))
})

// percent prints a share with one decimal.
func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// ends prints an interval.
func ends(low, high *float64) string { return fmt.Sprintf("%.4f to %.4f", *low, *high) }

// MaxBytes bounds a page.
const MaxBytes = 2_000_000

// HTML returns the page.
func (p *Page) HTML() ([]byte, error) {
	return render(pageTemplate(), struct {
		*Page
		shell
	}{p, newShell()})
}

// A shell is what all pages have.
type shell struct {
	Style  template.CSS
	Script template.JS
	// Policy is a Content-Security-Policy (W3C, CSP Level 3): nothing is fetched, and only scripts and styles with
	// these hashes run.
	Policy string
}

func newShell() shell {
	return shell{template.CSS(pageCSS), template.JS(pageJS), fmt.Sprintf(
		"default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", hash(pageCSS),
		hash(pageJS))}
}

// render fills a page's template.
func render(t *template.Template, data any) ([]byte, error) {
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return nil, err
	}
	html := visible(b.Bytes())
	if len(html) > MaxBytes {
		return nil, fmt.Errorf("the page would have %d bytes, may have %d: fewer words of each topic (--top) would "+
			"help", len(html), MaxBytes)
	}
	return html, nil
}

// visible shows dangerous characters by their numbers, so that no name or description makes a reader read something
// else. They are control characters, except line ends and tabs, and characters that reorder text from right to left or
// back (Unicode Standard Annex 9, §2.1 to §2.4).
func visible(html []byte) []byte {
	var b bytes.Buffer
	for _, c := range string(html) {
		reorders := c >= '\u202a' && c <= '\u202e' || c >= '\u2066' && c <= '\u2069'
		if reorders || unicode.IsControl(c) && c != '\n' && c != '\t' {
			fmt.Fprintf(&b, "⟨%U⟩", c)
		} else {
			b.WriteRune(c)
		}
	}
	return b.Bytes()
}

func hash(content string) string {
	sum := sha256.Sum256([]byte(content))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
