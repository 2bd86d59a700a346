package operations

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/stages"
)

// checker runs pipelines/testkit/operations, the first time builds it, and decodes what it prints.
func checker(t *testing.T, input string, result any, args ...string) {
	t.Helper()
	command := exec.Command("go", append([]string{"run", "."}, args...)...)
	command.Dir = filepath.Join(stages.Root, "pipelines/testkit/operations")
	command.Stdin = strings.NewReader(input)
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	if err := json.Unmarshal(out, result); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// An object is what these tests look at of any Kubernetes object. Whether it is one of its kind has been checked by the
// types of k8s.io/api.
type object struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Spec     struct {
		Replicas         *int
		BackoffLimit     *int
		PodFailurePolicy *struct {
			Rules []struct {
				Action      string
				OnExitCodes *struct {
					ContainerName, Operator string
					Values                  []int
				}
			}
		}
		AccessModes []string
		Template    struct{ Spec pod }
	}
}

type pod struct {
	RestartPolicy                string
	AutomountServiceAccountToken *bool
	EnableServiceLinks           *bool
	SecurityContext              struct {
		RunAsNonRoot       bool
		RunAsUser, FsGroup int
		SeccompProfile     struct{ Type string }
	}
	InitContainers, Containers []container
	Volumes                    []volume
}

type volume struct {
	Name     string
	Secret   *struct{ DefaultMode int }
	EmptyDir *struct{}
}

type container struct {
	Name, Image   string
	RestartPolicy string
	Command, Args []string
	Env           []struct{ Name, Value string }
	Ports         []struct {
		Name          string
		ContainerPort int
	}
	LivenessProbe, ReadinessProbe *struct{ HTTPGet struct{ Path, Port string } }
	SecurityContext               struct {
		AllowPrivilegeEscalation *bool
		ReadOnlyRootFilesystem   bool
		Capabilities             struct{ Drop []string }
	}
	Resources    struct{ Requests, Limits map[string]string }
	VolumeMounts []mount
}

type mount struct {
	Name, MountPath string
	ReadOnly        bool
}

// manifests are the objects in the files of a folder, by kind and name.
func manifests(t *testing.T) map[string]object {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(kafka, "kubernetes/*.yaml"))
	if err != nil || len(files) < 8 {
		t.Fatalf("%d manifests, %v", len(files), err)
	}
	files = append(files, filepath.Join(kafka, "../schedule/cronjob.yaml"))
	var list []object
	checker(t, "", &list, append([]string{"manifests"}, files...)...)
	all := make(map[string]object)
	for _, o := range list {
		name := o.Kind + "/" + o.Metadata.Name
		if _, twice := all[name]; twice {
			t.Errorf("%s is there twice", name)
		}
		all[name] = o
	}
	return all
}

// variable is how Kubernetes names one in a command line.
var variable = regexp.MustCompile(`\$\((\w+)\)`)

// service is the command line of the container, as a machine would run it with the test's folders as volumes.
func (c container) service(t *testing.T, folder string, variables map[string]string) service {
	t.Helper()
	var places []string // of volumes
	for _, m := range c.VolumeMounts {
		places = append(places, m.MountPath, filepath.Join(folder, m.Name))
	}
	expand := func(text string) string {
		return strings.NewReplacer(places...).Replace(variable.ReplaceAllStringFunc(text, func(name string) string {
			value, ok := variables[name[2:len(name)-1]]
			if !ok {
				t.Errorf("%s: the variable %s is not in run.yaml", c.Name, name)
			}
			return value
		}))
	}
	s := service{name: c.Name, args: []string{strings.TrimPrefix(c.Command[0], "/bin/")}}
	for _, arg := range c.Args {
		s.args = append(s.args, expand(arg))
	}
	for _, e := range c.Env {
		s.environment = append(s.environment, e.Name+"="+expand(e.Value))
	}
	for name, value := range variables {
		s.environment = append(s.environment, name+"="+value)
	}
	return s
}

// TestManifests trains by the command lines of the containers. The containers of begin.yaml make the ledger and the
// grant.
func TestManifests(t *testing.T) {
	testkit.Deep(t, "operations")
	objects := manifests(t)
	for _, reads := range []string{"contributions", "sums"} {
		t.Run(reads, func(t *testing.T) {
			folder := t.TempDir()
			variables := func(brokers string) map[string]string {
				all := make(map[string]string)
				for name, value := range objects["ConfigMap/run"].Data {
					all[name] = value
				}
				for name, value := range settings(brokers, folder) {
					if _, ok := all[name]; ok {
						all[name] = value
					}
				}
				all["PRIVATIZE_READS"] = reads
				return all
			}
			bash(t, folder, "umask 077; mkdir kafka coins spill model ledger grant texts metrics; echo '{}' "+
				">kafka/client.json")
			begin := objects["Job/begin"].Spec.Template.Spec
			for _, c := range append(begin.InitContainers, begin.Containers...) {
				s := c.service(t, folder, variables(""))
				out, err := exec.Command(s.args[0], s.args[1:]...).CombinedOutput() // a log of Kubernetes has both
				if err != nil {
					t.Fatalf("%s: %v\n%s", strings.Join(s.args, " "), err, out)
				}
				if err := os.WriteFile(filepath.Join(folder, "grant/grant.json"), out, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			train(t, folder, filepath.Join(folder, "ledger/people.ledger"), filepath.Join(folder, "model/model.pp"),
				func(brokers string) []service {
					bash(t, folder, "ln docs.jsonl texts/docs.jsonl")
					topics := objects["Job/topics"].Spec.Template.Spec.Containers[0].service(t, folder,
						variables(brokers))
					made := exec.Command(topics.args[0], topics.args[1:]...)
					made.Env = append(os.Environ(), topics.environment...)
					if out, err := made.CombinedOutput(); err != nil {
						t.Fatalf("%s: %v\n%s", strings.Join(topics.args, " "), err, out)
					}
					names := []string{"Job/tokenize", "Job/sample", "Job/estep", "StatefulSet/privatize", "Job/mstep"}
					if reads == "sums" {
						names = append(names, "Job/combine")
					}
					var all []service
					for _, name := range names {
						all = append(all,
							objects[name].Spec.Template.Spec.Containers[0].service(t, folder, variables(brokers)))
					}
					return all
				})
		})
	}
}

// exported checks that a container, which opens no port, writes its metrics to a folder that it shares with a sidecar
// alone, and that the sidecar, a node exporter of nothing else, serves that folder at the port that Prometheus and the
// probes ask.
func (p pod) exported(c container, file string) error {
	if len(c.Ports) > 0 || c.LivenessProbe != nil || c.ReadinessProbe != nil {
		return errors.New("it opens no port, and has one")
	}
	i := slices.IndexFunc(p.InitContainers, func(s container) bool { return s.Name == "metrics" })
	if i < 0 || p.InitContainers[i].RestartPolicy != "Always" {
		return errors.New("no sidecar serves its metrics")
	}
	sidecar := p.InitContainers[i]
	if len(sidecar.VolumeMounts) != 1 || !sidecar.VolumeMounts[0].ReadOnly {
		return errors.New("the sidecar sees more than it needs")
	}
	shared := sidecar.VolumeMounts[0]
	written := slices.ContainsFunc(c.VolumeMounts, func(m mount) bool {
		return m.Name == shared.Name && m.MountPath == path.Dir(file) && !m.ReadOnly
	})
	empty := slices.ContainsFunc(p.Volumes, func(v volume) bool { return v.Name == shared.Name && v.EmptyDir != nil })
	if !written || !empty || path.Ext(file) != ".prom" {
		return fmt.Errorf("the sidecar does not see %s", file)
	}
	for _, arg := range []string{"--collector.disable-defaults", "--collector.textfile",
		"--collector.textfile.directory=" + shared.MountPath,
		fmt.Sprintf("--web.listen-address=:%d", sidecar.Ports[0].ContainerPort)} {
		if !slices.Contains(sidecar.Args, arg) {
			return fmt.Errorf("the sidecar has no %s", arg)
		}
	}
	if name := sidecar.Ports[0].Name; name != "metrics" || sidecar.LivenessProbe.HTTPGet.Port != name ||
		sidecar.ReadinessProbe.HTTPGet.Port != name ||
		sidecar.ReadinessProbe.HTTPGet.Path != "/metrics" {
		return errors.New("the probes ask elsewhere than the sidecar serves")
	}
	return nil
}

// TestManifestsPods: what every pod has, so that no stage runs as root, writes where it should not, or is restarted in
// vain.
func TestManifestsPods(t *testing.T) {
	testkit.Deep(t, "operations")
	pods := 0
	for name, o := range manifests(t) {
		p := o.Spec.Template.Spec
		if len(p.Containers) == 0 {
			continue
		}
		pods++
		wrong := func(format string, args ...any) { t.Errorf(name+": "+format, args...) }
		if o.Kind == "Job" {
			policy := o.Spec.PodFailurePolicy
			// without which there can be no policy
			if policy == nil || o.Spec.BackoffLimit == nil || p.RestartPolicy != "Never" {
				wrong("no podFailurePolicy, backoffLimit or restartPolicy: Never")
				continue
			}
			stops := 0
			for _, r := range policy.Rules {
				if r.Action == "FailJob" && r.OnExitCodes != nil && r.OnExitCodes.Operator == "In" &&
					r.OnExitCodes.ContainerName == p.Containers[0].Name &&
					slices.Equal(r.OnExitCodes.Values, exit.Lasting) {
					stops++
				}
			}
			if stops != 1 {
				wrong("it does not stop at the exit codes %d", exit.Lasting)
			}
		} else if o.Kind != "StatefulSet" || *o.Spec.Replicas != 1 {
			wrong("only privatize is no Job, and it is one")
		}
		s := p.SecurityContext
		if !s.RunAsNonRoot || s.RunAsUser == 0 || s.FsGroup == 0 || s.SeccompProfile.Type != "RuntimeDefault" ||
			p.AutomountServiceAccountToken == nil || *p.AutomountServiceAccountToken || p.EnableServiceLinks == nil ||
			*p.EnableServiceLinks {
			wrong("it may do more than it needs: %+v", p)
		}
		for _, v := range p.Volumes {
			// root's and the group's: all that endpoint/kafka takes
			if v.Secret != nil && v.Secret.DefaultMode != 0o440 {
				wrong("the secret %s has mode %o", v.Name, v.Secret.DefaultMode)
			}
		}
		for _, c := range append(p.InitContainers, p.Containers...) {
			s := c.SecurityContext
			if s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation || !s.ReadOnlyRootFilesystem ||
				!slices.Equal(s.Capabilities.Drop, []string{"ALL"}) {
				wrong("container %s may do more than it needs", c.Name)
			}
			if c.Resources.Requests["cpu"] == "" || c.Resources.Requests["memory"] == "" ||
				c.Resources.Limits["memory"] == "" {
				wrong("container %s has no resources", c.Name)
			}
			if c.Image != "privpipe:latest" {
				continue // the sidecar, below
			}
			i := slices.Index(c.Args, "--metrics")
			if i < 0 {
				if name != "Job/tokenize" && name != "Job/begin" && name != "Job/topics" {
					wrong("it shows no metrics")
				}
				continue
			}
			if c.Command[0] == "/bin/privatize" {
				if err := p.exported(c, c.Args[i+1]); err != nil {
					wrong("%v", err)
				}
				continue
			}
			if c.Args[i+1] != fmt.Sprintf("0.0.0.0:%d", c.Ports[0].ContainerPort) ||
				c.Ports[0].Name != c.ReadinessProbe.HTTPGet.Port ||
				c.Ports[0].Name != c.LivenessProbe.HTTPGet.Port || c.ReadinessProbe.HTTPGet.Path != "/healthz" {
				wrong("its probes ask elsewhere than it serves")
			}
		}
	}
	if pods != 8 {
		t.Errorf("%d kinds of pods, want 8", pods)
	}
	for _, claim := range []string{"ledger", "coins", "model"} {
		if got := manifests(t)["PersistentVolumeClaim/"+claim].Spec.AccessModes; !slices.Equal(got,
			[]string{"ReadWriteOncePod"}) {
			t.Errorf("volume %s: %v", claim, got)
		}
	}
}
