package ledger

import (
	"bytes"
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"text/template"
	"time"

	"privpipe/pipelines/event"
)

//go:embed evidence.tmpl
var pageText string

// oneLine and cell keep what an operator or a forged ledger wrote from being other lines or cells.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func cell(text string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;").Replace(oneLine(text))
}

var pageTemplate = template.Must(template.New("").Funcs(template.FuncMap{
	"line": oneLine, "cell": cell, "stated": func(text string) string { return cell(cmp.Or(text, "not stated")) },
}).Parse(pageText))

// page answers the points of NIST SP 800-226 (2025), from the top of its pyramid to the bottom: a layer holds only if
// those below it do.
func (f *facts) page() ([]byte, error) {
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, f)
	return b.Bytes(), err
}

func (f *facts) Begun() string { return f.first.UTC().Format(time.DateOnly) }
func (f *facts) Ended() string { return f.last.UTC().Format(time.DateOnly) }

// Size says how much an ε lets an attacker learn, by common standards.
func (f *facts) Size() string {
	epsilon, _ := f.stated()
	switch {
	case !f.bounded():
		return "The releases may show everything about a person."
	case f.open():
		return "More releases raise it."
	case epsilon <= 1:
		return "That is a strong protection by common standards (ε ≤ 1)."
	case epsilon <= 10:
		return "That is a moderate protection by common standards (1 < ε ≤ 10); its worst case is far from none."
	}
	return "Above ε = 10 the bound protects little."
}

// Bounds says how the grants bound what a unit contributes.
func (f *facts) Bounds() string {
	texts := map[string]string{
		event.ClipUnbounded: "no bound", event.ClipProved: "a bound by proof, which is checked",
		event.ClipBatch: "a bound on each batch",
	}
	var said []string
	for _, g := range f.grants {
		bound := cmp.Or(texts[g.Bounding()], "a unit is clipped to the grant's bound")
		if g.Mechanism == event.RandomizedResponse {
			bound = "a limited number of words of a document is reported"
		}
		line := cmp.Or(g.Model, "no model named") + ", " + bound
		if !slices.Contains(said, line) {
			said = append(said, line)
		}
	}
	return cmp.Or(strings.Join(said, "; "), "no grant states any")
}
