package ledger

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/rounded"
)

// The members of an entry of the Differential Privacy Deployments Registry, as of July 2026 (repository
// opendp/deployments-registry-data; arXiv 2509.13509). No other member is allowed. Texts are Markdown.
type (
	registryEntry struct {
		Slug       string             `json:"url_slug"`
		Status     string             `json:"status"`
		Tier       int                `json:"tier"` // how complete the entry is: 3 has all
		Deployment registryDeployment `json:"deployment"`
	}
	registryDeployment struct {
		Basic struct {
			Name        string   `json:"name"`
			Description string   `json:"description,omitempty"`
			Use         string   `json:"intended_use,omitempty"`
			Region      string   `json:"data_product_region,omitempty"`
			Curators    []string `json:"data_curators"`
			Type        string   `json:"data_product_type"`
			Published   string   `json:"publication_date"`
			Sector      string   `json:"data_product_sector,omitempty"`
		} `json:"basic"`
		Variant struct {
			Name        string `json:"variant_name"`
			Domain      string `json:"data_domain"`
			Unprotected string `json:"unprotected_quantities"`
		} `json:"dp_variant"`
		Loss struct {
			Unit       string `json:"privacy_unit"`
			Details    string `json:"privacy_unit_details"`
			Parameters struct {
				Epsilon float64 `json:"epsilon"`
				Delta   float64 `json:"delta"`
			} `json:"privacy_parameters"`
			ParametersDetails string `json:"privacy_parameters_details"`
		} `json:"privacy_loss"`
		Model struct {
			Name           string `json:"model_name"`
			Details        string `json:"model_name_details"`
			Actors         string `json:"actors"`
			Release        string `json:"release_type"`
			ReleaseDetails string `json:"release_type_details"`
			Source         string `json:"data_source_type"`
			Access         string `json:"access_type"`
		} `json:"deployment_model"`
		Accounting struct {
			Composition string `json:"composition"`
			Processing  string `json:"post_processing"`
		} `json:"accounting"`
		Implementation struct {
			Preprocessing string `json:"preprocessing_and_hyperparameter_tuning,omitempty"`
			Mechanisms    string `json:"mechanisms"`
			Justification string `json:"justification,omitempty"`
		} `json:"implementation"`
		Administrative struct {
			Authors []string `json:"registry_authors"`
			Sources string   `json:"sources"`
			Notes   string   `json:"notes"`
		} `json:"administrative"`
	}
)

// statistics are the models whose releases are tables, and no model of text or rows.
var statistics = []string{"words", "size", "shares", "sums"}

// registry returns an entry in YAML. Where no ε holds, or who holds the data is not stated, there is none.
func (f *facts) registry() ([]byte, error) {
	switch {
	case !f.bounded():
		return nil, exit.Errorf(exit.Refused, "no ε holds for the releases of this ledger: there is no deployment "+
			"to register")
	case len(f.Curators) == 0 || len(f.Authors) == 0:
		return nil, exit.Errorf(exit.Usage, "--format registry wants --curator and --author: an entry names "+
			"who holds the data, and who wrote it")
	}
	e := registryEntry{Slug: cmp.Or(slug(f.Name), "deployment"), Status: "Draft", Tier: 3}
	if slices.Contains([]string{f.Description, f.Use, f.Region, f.Sector, f.Preprocessing, f.Justification}, "") {
		e.Tier = 2
	}
	d := &e.Deployment
	d.Basic.Name, d.Basic.Description, d.Basic.Use, d.Basic.Region = f.Name, f.Description, f.Use, f.Region
	d.Basic.Curators, d.Basic.Sector, d.Basic.Published = f.Curators, f.Sector, f.first.UTC().Format(time.DateOnly)
	d.Basic.Type = "Machine learning model"
	if !slices.ContainsFunc(f.models(), func(name string) bool { return !slices.Contains(statistics, name) }) {
		d.Basic.Type = "Summary statistics"
	}
	if f.Trust() == "Local" {
		d.Basic.Type = "Dataset" // of reports
	}
	d.Variant.Name = "Approximate DP"
	epsilon, delta := f.stated()
	if f.every(event.Pure) && delta == 0 {
		d.Variant.Name = "Pure DP"
	}
	d.Variant.Domain = "Neighbours are " + f.Neighbours() + "."
	d.Variant.Unprotected = f.Unprotected()
	d.Loss.Unit, d.Loss.Details = f.Unit, f.Several()
	d.Loss.Parameters.Epsilon, d.Loss.Parameters.Delta = rounded.FourDigitsUp(epsilon), delta
	d.Loss.ParametersDetails = f.Losses() + "."
	d.Model.Name, d.Model.Details, d.Model.Actors = f.Trust(), f.TrustDetails(), f.Actors()
	d.Model.Release = "One release"
	if f.Releases > 1 || f.Left() > 0 {
		d.Model.Release = "Many releases"
	}
	d.Model.ReleaseDetails = f.Releasing() + "."
	d.Model.Source, d.Model.Access = "Static", "Non-interactive"
	if f.dynamic() {
		d.Model.Source = "Dynamic"
	}
	d.Accounting.Composition = fmt.Sprintf("Accountant %s: %s.", f.Accountant, f.Theorem)
	d.Accounting.Processing = processing
	d.Implementation.Preprocessing, d.Implementation.Justification = f.Preprocessing, f.Justification
	d.Implementation.Mechanisms = f.Mechanisms() + ". " + f.Exactness() + " " + implementation
	d.Administrative.Authors, d.Administrative.Sources, d.Administrative.Notes = f.Authors, sources, f.Check()
	return yaml(e)
}

var jsonMember = regexp.MustCompile(`^"([a-z_]+)": (.*)$`)

// yaml writes a value of objects, lists of texts, texts and numbers as block YAML. A text or a number of JSON is one of
// YAML 1.2, too (yaml.org/spec/1.2.2, §1.3), so that only the brackets differ. A library would make account 0.4 MB
// larger.
func yaml(value any) ([]byte, error) {
	var content, b bytes.Buffer
	encoder := json.NewEncoder(&content)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	for line := range strings.Lines(content.String()) {
		text := strings.TrimLeft(strings.TrimRight(line, ",\n"), " ")
		if strings.Trim(text, "{}[]") == "" {
			continue
		}
		indent := len(line) - len(strings.TrimLeft(line, " ")) - 2
		if member := jsonMember.FindStringSubmatch(text); member != nil {
			text = member[1] + ":" + strings.TrimRight(" "+strings.TrimRight(member[2], "{["), " ")
		} else {
			text = "- " + text // of a list
		}
		fmt.Fprintf(&b, "%*s%s\n", indent, "", text)
	}
	return b.Bytes(), nil
}

// slug is a name for an address: small letters, digits and hyphens.
func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else if s := b.String(); s != "" && !strings.HasSuffix(s, "-") {
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}
