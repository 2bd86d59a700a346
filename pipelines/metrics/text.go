package metrics

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// escape puts the values of labels into Prometheus' text format. Help texts of this package have nothing to escape.
var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// WriteText writes the public numbers of this process and, with private, the others too, in Prometheus' text format
// (version 0.0.4), as the node exporter's textfile collector reads it.
func WriteText(w io.Writer, private bool) error {
	samples := Samples(false)
	if private {
		samples = append(samples, Samples(true)...)
	}
	slices.SortFunc(samples, func(a, b Sample) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.text(), b.text())) })
	var b strings.Builder
	for i, s := range samples {
		if i == 0 || samples[i-1].Name != s.Name {
			kind := "gauge"
			if s.Grows {
				kind = "counter"
			}
			fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", s.Name, s.Help, s.Name, kind)
		}
		b.WriteString(s.text())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// text returns the line of a sample.
func (s Sample) text() string {
	var labels []string
	for i, name := range s.Labels {
		labels = append(labels, fmt.Sprintf(`%s="%s"`, name, escape.Replace(s.Values[i])))
	}
	name := s.Name
	if slices.Sort(labels); len(labels) > 0 {
		name += "{" + strings.Join(labels, ",") + "}"
	}
	return name + " " + strconv.FormatFloat(s.Value, 'g', -1, 64) + "\n"
}
