package filter

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMayReach: what names something in a network is never missed, by whatever way it comes.
func TestMayReach(t *testing.T) {
	stage := Stage{Name: "estep"}
	for line, want := range map[string]bool{
		"":                                     false,
		"lda --params params -o out in":        false,
		"--version":                            false,
		"lda --help":                           false,
		"lda kafka://h/t":                      true,
		"lda --params kafka://h/t":             true,
		"lda --params=kafka://h/t":             true,
		"lda -okafka://h/t":                    true,
		"text --schema-registry=http://h":      true,
		"lda --config settings.json":           true,
		"lda --config=/dev/fd/63":              true,
		"lda --metrics 127.0.0.1:9090":         true,
		"lda --metrics=:9090":                  true,
		"lda --metrics":                        true,
		"lda --metrics run.prom":               false,
		"lda --metrics=run.prom in":            false,
		"lda --metrics-labels a=b":             false,
		"PRIVPIPE_ESTEP_METRICS=:9090":         true,
		"PRIVPIPE_ESTEP_METRICS=run.prom":      false,
		"PRIVPIPE_ESTEP_CONFIG=settings.json":  true,
		"PRIVPIPE_ESTEP_LDA_PARAMS=kafka://h/": true,
		"PRIVPIPE_ESTEP_LDA_PARAMS=params":     false,
		"PRIVPIPE_MSTEP_METRICS=:9090":         false,
		"http_proxy=http://h":                  false,
		"PRIVPIPE_ESTEPS_METRICS=:9090":        false,
	} {
		args, environ := strings.Fields(line), []string(nil)
		if len(args) == 1 && !strings.HasPrefix(line, "-") {
			args, environ = nil, args
		}
		if got := stage.mayReach(args, environ); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}

// TestNetworked: only a stage that says so looks for program networked, which is a file in its folder.
func TestNetworked(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(filepath.Dir(self), networkedName)
	stage, alone := Stage{Name: "estep", Networked: true}, Stage{Name: "evaluate"}
	if got := stage.networked(); got != "" {
		t.Errorf("%s is not there", got)
	}
	if err := stage.handOver([]string{"kafka://h/t"}, nil); err != nil {
		t.Error(err) // the transport's absence is another error
	}
	if err := os.WriteFile(path, []byte("no program"), 0o600); err != nil {
		t.Skip(err)
	}
	defer os.Remove(path)
	if got := stage.networked(); got != path {
		t.Errorf("%q, want %s", got, path)
	}
	if got := alone.networked(); got != "" {
		t.Errorf("evaluate would become %s", got)
	}
	if err := stage.handOver([]string{"kafka://h/t"}, nil); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("%v, want an error that names %s", err, path)
	}
	if err := stage.handOver([]string{"in"}, nil); err != nil {
		t.Error(err)
	}
}
