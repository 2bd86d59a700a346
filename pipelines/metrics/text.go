package metrics

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"privpipe/pipelines/exit"
)

// escape puts the values of labels into Prometheus' text format. This package's help texts have nothing to escape.
var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// CheckLabels refuses labels that a file cannot have: names that Prometheus does not take or keeps for itself, and
// names that this package's numbers have.
func CheckLabels(labels map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		taken := slices.ContainsFunc(families, func(f *family) bool { return slices.Contains(f.Labels, name) })
		if !labelName.MatchString(name) || strings.HasPrefix(name, "__") || taken {
			return exit.Errorf(exit.Usage,
				"--metrics-labels: %q is no name of a label: it must be letters, digits and underscores, "+
					"begin with no digit and no __, and not be topic or partition", name)
		}
		if !utf8.ValidString(labels[name]) {
			return exit.Errorf(exit.Usage, "--metrics-labels: the value of %s is not UTF-8", name)
		}
	}
	return nil
}

var labelName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

// written tells a file's reader how old the file is: an exporter goes on serving a dead stage's file.
var written = Description{Name: namespace + "_textfile_timestamp_seconds",
	Help: "Unix time in whole seconds when this file was written."}

// WriteText writes the public numbers of this process and, with o.Private, the others too, in Prometheus' text format
// (version 0.0.4), as the node exporter's textfile collector reads it. It adds the time.
func WriteText(w io.Writer, o Options) error {
	samples := append(PublicSamples(o.StallTimeout), Sample{Description: written, Value: float64(time.Now().Unix())})
	if o.Private {
		samples = append(samples, PrivateSamples()...)
	}
	slices.SortFunc(samples, func(a, b Sample) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.text(o.Labels), b.text(o.Labels)))
	})
	var b strings.Builder
	for i, s := range samples {
		if i == 0 || samples[i-1].Name != s.Name {
			kind := "gauge"
			if s.Grows {
				kind = "counter"
			}
			fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", s.Name, s.Help, s.Name, kind)
		}
		b.WriteString(s.text(o.Labels))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// text returns a sample's line with more labels.
func (s Sample) text(more map[string]string) string {
	var labels []string
	for i, name := range s.Labels {
		labels = append(labels, label(name, s.Values[i]))
	}
	for name, value := range more {
		labels = append(labels, label(name, value))
	}
	name := s.Name
	if slices.Sort(labels); len(labels) > 0 {
		name += "{" + strings.Join(labels, ",") + "}"
	}
	return name + " " + strconv.FormatFloat(s.Value, 'g', -1, 64) + "\n"
}

func label(name, value string) string { return fmt.Sprintf(`%s="%s"`, name, escape.Replace(value)) }
