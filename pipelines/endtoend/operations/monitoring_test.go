package operations

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/stages"
)

var monitoring = filepath.Join(kafka, "monitoring")

// elsewhere are the metrics that no stage serves, with their labels: Prometheus' own, node_exporter's,
// kube-state-metrics'.
var elsewhere = map[string][]string{
	"up":                      {"job"},
	"node_systemd_unit_state": {"name", "state"},
	"kube_pod_container_status_last_terminated_exitcode": {"container", "namespace", "pod"},
	"kube_job_failed": {"condition", "job_name", "namespace"},
}

// targets are the labels that prometheus.yml gives to what a stage serves.
var targets = []string{"instance", "job", "run", "stage"}

// shown matches a number that a stage serves: its name and labels.
var shown = regexp.MustCompile(`(?m)^([a-z_]+)(\{[^}]*\})? `)

// TestMetrics holds rules and dashboard against what the stages serve while they train, with a broker that refuses some
// requests: every metric and every label that a query goes by is there.
func TestMetrics(t *testing.T) {
	testkit.Deep(t, "operations")
	labels := map[string][]string{"privpipe:run_over": {"run"}}
	for name, own := range elsewhere {
		labels[name] = append(own, targets...)
	}
	of := make(map[string][]string) // the stages that serve a metric
	for stage, page := range trainUnits(t, "contributions").scrapes {
		for _, match := range shown.FindAllStringSubmatch(page, -1) {
			name := match[1]
			labels[name] = append(labels[name], targets...)
			for label := range strings.SplitSeq(strings.Trim(match[2], "{}"), ",") {
				labels[name] = append(labels[name], strings.SplitN(label, "=", 2)[0])
			}
			if !slices.Contains(of[name], stage) {
				of[name] = append(of[name], stage)
			}
		}
	}
	var queries []string
	var rules []struct{ Expr string }
	checker(t, "", &rules, "rules", filepath.Join(monitoring, "rules.yml"))
	for _, r := range rules {
		queries = append(queries, strings.ReplaceAll(r.Expr, "\n", " "))
	}
	for _, p := range dashboard(t).Panels {
		for _, q := range p.Targets {
			queries = append(queries, strings.ReplaceAll(q.Expr, "$__rate_interval", "5m"))
		}
	}
	var asked []struct {
		Query, Metric string
		Labels        []string
	}
	checker(t, strings.Join(queries, "\n"), &asked, "selectors")
	if len(asked) < 20 {
		t.Fatalf("only %d metrics are asked for", len(asked))
	}
	for _, s := range asked {
		if labels[s.Metric] == nil {
			t.Errorf("%s: no stage serves %s", s.Query, s.Metric)
			continue
		}
		for _, label := range s.Labels {
			if !slices.Contains(labels[s.Metric], label) {
				t.Errorf("%s: %s has no label %s", s.Query, s.Metric, label)
			}
		}
		for _, match := range regexp.MustCompile(`stage=~?"([a-z|]+)"`).FindAllStringSubmatch(s.Query, -1) {
			for stage := range strings.SplitSeq(match[1], "|") {
				if of[s.Metric] != nil && !slices.Contains(of[s.Metric], stage) {
					t.Errorf("%s: %s does not serve %s", s.Query, stage, s.Metric)
				}
			}
		}
	}
}

// A board is what these tests look at of dashboard.json.
type board struct {
	Templating struct{ List []struct{ Name string } }
	Panels     []struct {
		ID      int
		Title   string
		GridPos struct{ X, Y, W, H int }
		Targets []struct{ RefID, Expr string }
	}
}

func dashboard(t *testing.T) board {
	t.Helper()
	var b board
	if err := json.Unmarshal([]byte(read(t, filepath.Join(monitoring, "dashboard.json"))), &b); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestDashboard: no two panels share a number or a place, all are of one run, and each asks for something.
func TestDashboard(t *testing.T) {
	b := dashboard(t)
	numbers, cells := make(map[int]bool), make(map[[2]int]string)
	for _, p := range b.Panels {
		if numbers[p.ID] {
			t.Errorf("two panels are number %d", p.ID)
		}
		numbers[p.ID] = true
		if p.GridPos.W == 0 || p.GridPos.H == 0 || p.GridPos.X+p.GridPos.W > 24 || len(p.Targets) == 0 {
			t.Errorf("%s has no place, or shows nothing", p.Title)
		}
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				cell := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				if cells[cell] != "" {
					t.Fatalf("%s stands on %s", p.Title, cells[cell])
				}
				cells[cell] = p.Title
			}
		}
		for _, q := range p.Targets {
			if !strings.Contains(q.Expr, `run="$run"`) {
				t.Errorf("%s shows all runs: %s", p.Title, q.Expr)
			}
		}
	}
	for _, v := range b.Templating.List {
		if v.Name != "run" && v.Name != "datasource" {
			t.Errorf("what is %s", v.Name)
		}
	}
	if len(b.Templating.List) != 2 {
		t.Errorf("%d variables, want run and datasource", len(b.Templating.List))
	}
}

// TestRules has Prometheus' own tool check rules and settings, and run the tests of rules_test.yml: when each alert
// rings.
func TestRules(t *testing.T) {
	if _, err := exec.LookPath("promtool"); err != nil {
		t.Skip("promtool is missing: Debian's prometheus has it, and so has Prometheus' own archive")
	}
	folder := t.TempDir()
	bash(t, folder, fmt.Sprintf(`
cp %q/*.yml .
promtool check rules rules.yml
promtool check config prometheus.yml
# Debian's promtool does not know Kubernetes: what is to be done with its labels is checked.
sed 's/kubernetes_sd_configs: .*/static_configs: [{targets: ["pod:9470"]}]/' prometheus-kubernetes.yml >kubernetes.yml
promtool check config kubernetes.yml
cp %q . && promtool test rules rules_test.yml`, monitoring, filepath.Join(stages.Root, "pipelines/endtoend/operations/testdata/rules_test.yml")))
	tested := read(t, filepath.Join(folder, "rules_test.yml"))
	for _, match := range regexp.MustCompile(`alert: (\w+)`).
		FindAllStringSubmatch(read(t, filepath.Join(folder, "rules.yml")), -1) {
		if !regexp.MustCompile(`alertname: ` + match[1] + `\n +exp_alerts:\n +- `).MatchString(tested) {
			t.Errorf("no test has %s ring", match[1])
		}
	}
}
