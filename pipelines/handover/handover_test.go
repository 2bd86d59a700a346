package handover

import (
	"strings"
	"testing"
)

// TestMayReach: what names something in a network is never missed, by whatever way it comes.
func TestMayReach(t *testing.T) {
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
		if got := mayReach("estep", args, environ); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}
