package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
)

// The rules of an entry of the registry of deployments, as of July 2026 (opendp/deployments-registry-data, MIT): each
// member that may be there, and the values that it may have. nil allows any text.
var registryRules = map[string][]string{
	"url_slug": nil, "status": {"Draft"}, "tier": {"1", "2", "3"}, "deployment": nil,
	"basic": nil, "name": nil, "description": nil, "intended_use": nil, "data_product_region": nil,
	"data_curators": nil,
	"data_product_type": {"Summary statistics", "Machine learning model", "Dataset", "Synthetic data",
		"Interactive API",
		"SQL queries"},
	"publication_date":    nil,
	"data_product_sector": {"Technology", "Healthcare", "Education", "Government", "Energy", "Finance"},
	"dp_variant":          nil, "variant_name": {"Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP",
		"Custom"},
	"data_domain": nil, "unprotected_quantities": nil, "privacy_loss": nil, "privacy_unit": nil,
	"privacy_unit_details": nil, "privacy_parameters": nil, "epsilon": nil, "delta": nil,
	"privacy_parameters_details": nil, "deployment_model": nil,
	"model_name":         {"Local", "Central", "Shuffle", "Federated", "Varies"},
	"model_name_details": nil, "actors": nil, "release_type": {"One release", "Many releases"},
	"release_type_details": nil, "data_source_type": {"Static", "Dynamic"},
	"access_type": {"Interactive", "Non-interactive"},
	"accounting":  nil, "composition": nil, "post_processing": nil, "implementation": nil,
	"preprocessing_and_hyperparameter_tuning": nil, "mechanisms": nil, "justification": nil, "administrative": nil,
	"registry_authors": nil, "sources": nil, "notes": nil,
}

// TestRegistryEntry reads entries with a YAML reader that is not ours, and holds them to the registry's rules.
func TestRegistryEntry(t *testing.T) {
	folder := t.TempDir()
	for name, c := range map[string]struct {
		change        func(*event.Grant)
		kind, variant string
		model, unit   string
	}{
		"topics": {func(g *event.Grant) { g.Model = "lda" }, "Machine learning model", "Approximate DP", "Central",
			"document"},
		"words by user": {func(g *event.Grant) { g.Model, g.Unit = "words", event.User }, "Summary statistics",
			"Approximate DP", "Central", "user"},
		"pure": {func(g *event.Grant) {
			g.Mechanism, g.Budget.Delta, g.Budget.Accountant = event.Laplace, 0, "pld"
			g.Scheme, g.NoiseMultiplier, g.Budget.Epsilon = event.Scheme{Method: event.All, Rate: 1, Rounds: 2}, 2, 1
		}, "Summary statistics", "Pure DP", "Central", "document"},
	} {
		t.Run(name, func(t *testing.T) {
			grant := &event.Grant{
				Version: event.GrantVersion, ID: "night", Created: testkit.Noon, Mechanism: event.Gaussian,
				Adjacency: event.AddRemove, Unit: event.Document, Clip: 1, NoiseMultiplier: 8, Releases: 2,
				Scheme: event.Scheme{Method: event.Poisson, Rate: 0.05, Rounds: 2, Secret: true},
				Budget: event.Budget{Epsilon: 1, Delta: 1e-6, Accountant: "pld"},
			}
			c.change(grant)
			model := grant.Model
			grant.Subject = testkit.SubjectFor(grant.Mechanism)
			var b testkit.Book
			b.Begin(t)
			grant.Model, grant.Ledger = model, b.Lines[0].Head.ID
			b.Planned(t, grant)
			b.Charge(t, testkit.ChargeOf(grant, 1, "night"))
			ledger := filepath.Join(folder, name)
			if err := os.WriteFile(ledger, b.Bytes, 0o600); err != nil {
				t.Fatal(err)
			}
			hostile := "two\nlines: \"- {[#&*!|>'%@`\\ \u2028 ε"
			command := exec.Command("account", "evidence", "--format", "registry", "--curator", hostile, "--author",
				"B",
				"--name", hostile, ledger)
			var said bytes.Buffer
			command.Stderr = &said
			out, err := command.Output()
			if err != nil {
				t.Fatalf("%v, %s", err, &said)
			}
			var entry struct {
				Tier       int
				Deployment map[string]map[string]any
			}
			var whole map[string]any
			for _, to := range []any{&entry, &whole} {
				if err := yaml.NewDecoder(bytes.NewReader(out)).Decode(to); err != nil {
					t.Fatalf("%v in\n%s", err, out)
				}
			}
			checkMembers(t, whole)
			d := entry.Deployment
			want := map[string]any{"name": hostile, "data_product_type": c.kind,
				"publication_date": testkit.Noon.Format(time.DateOnly)}
			for key, value := range want {
				if got := d["basic"][key]; got != value {
					t.Errorf("basic.%s is %q, want %q", key, got, value)
				}
			}
			if got := d["basic"]["data_curators"].([]any); len(got) != 1 || got[0] != hostile {
				t.Errorf("the curators are %q", got)
			}
			loss := d["privacy_loss"]["privacy_parameters"].(map[string]any)
			if loss["epsilon"] != 1 || d["dp_variant"]["variant_name"] != c.variant ||
				d["deployment_model"]["model_name"] != c.model || d["privacy_loss"]["privacy_unit"] != c.unit {
				t.Errorf("the entry is\n%s", out)
			}
		})
	}
}

// checkMembers holds each member at each level to the rules.
func checkMembers(t *testing.T, members map[string]any) {
	t.Helper()
	for name, value := range members {
		allowed, known := registryRules[name]
		switch value := value.(type) {
		case map[string]any:
			checkMembers(t, value)
		case string:
			if known = known && value != ""; len(allowed) > 0 {
				known = known && slices.Contains(allowed, value)
			}
		}
		if !known {
			t.Errorf("%s: %v is not allowed", name, value)
		}
	}
	if slug, is := members["url_slug"].(string); is && !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(slug) {
		t.Errorf("url_slug is %q", slug)
	}
}
