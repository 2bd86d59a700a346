package network

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"privpipe/pipelines/exit"
	"privpipe/tokenize/internal/registry"
)

// configured writes a settings file of a mode, and names it by the variable.
func configured(t *testing.T, settings string, mode os.FileMode) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "registry.json")
	if err := os.WriteFile(file, []byte(settings), mode); err != nil {
		t.Fatal(err)
	}
	t.Setenv(registry.ConfigVariable, file)
}

// TestClient: which questions are asked, and what the answers mean.
func TestClient(t *testing.T) {
	var asked []string
	answers := map[string]string{
		"/base/schemas/ids/7":             `{"schema":"\"string\""}`,
		"/base/subjects/a%2Fb/versions/2": `{"schema":"x","schemaType":"PROTOBUF","references":[{"name":"n","subject":"s","version":3}]}`,
		"/base/schemas/ids/8":             `{"error_code":40403}`,
		"/base/schemas/ids/15":            `{"error_code":400}`,
		"/base/schemas/ids/16":            `{"error_code":42202}`,
		"/base/schemas/ids/17":            `{"error_code":40403}`,
		"/base/schemas/ids/9":             `<html>`,
		"/base/schemas/ids/10":            `{"other":1}`,
		"/base/schemas/ids/11":            `{"schema":"` + strings.Repeat("x", mostAnswer) + `"}`,
	}
	statuses := map[string]int{"/base/schemas/ids/8": 404, "/base/schemas/ids/12": 401, "/base/schemas/ids/13": 302,
		"/base/schemas/ids/14": 404, "/base/schemas/ids/15": 400, "/base/schemas/ids/16": 422,
		"/base/schemas/ids/17": 400}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.EscapedPath()
		asked = append(asked, r.Method+" "+path)
		w.Header().Set("Location", "/base/schemas/ids/7")
		if status := statuses[path]; status != 0 {
			w.WriteHeader(status)
		}
		_, _ = w.Write([]byte(answers[path]))
	}))
	defer server.Close()
	c, err := newClient(registry.URL(server.URL + "/base/"))
	if err != nil || len(asked) != 0 {
		t.Fatal(err, asked)
	}
	if s, err := c.ByID(t.Context(), 7); err != nil || !reflect.DeepEqual(s, registry.Schema{Text: `"string"`}) {
		t.Errorf("%v, %v", s, err)
	}
	want := registry.Schema{Type: "PROTOBUF", Text: "x",
		References: []registry.Reference{{Name: "n", Subject: "s", Version: 3}}}
	if s, err := c.ByVersion(t.Context(), registry.Reference{Subject: "a/b", Version: 2}); err != nil ||
		!reflect.DeepEqual(s, want) {
		t.Errorf("%v, %v", s, err)
	}
	for id, code := range map[int32]int{8: exit.Malformed, 9: exit.Missing, 10: exit.Missing, 11: exit.Missing,
		12: exit.Missing, 13: exit.Missing, 14: exit.Missing, 15: exit.Malformed, 16: exit.Malformed,
		17: exit.Missing} {
		before := len(asked)
		if _, err := c.ByID(t.Context(), id); exit.Code(err) != code {
			t.Errorf("schema %d: %v, want exit code %d", id, err, code)
		}
		if len(asked) != before+1 {
			t.Errorf("schema %d: asked %v", id, asked[before:])
		}
	}
	before := len(asked)
	if _, err := c.ByID(t.Context(), -1); exit.Code(err) != exit.Malformed || len(asked) != before {
		t.Errorf("a negative id: %v, asked %v", err, asked[before:])
	}
}

// TestPatience: a registry that does not answer is asked five times, unless the program ends.
func TestPatience(t *testing.T) {
	down, asked := 4, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked <= down {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = w.Write([]byte(`{"schema":"x"}`))
	}))
	c, err := newClient(registry.URL(server.URL))
	if err != nil {
		t.Fatal(err)
	}
	c.pause = time.Nanosecond
	if _, err := c.ByID(t.Context(), 1); err != nil || asked != 5 {
		t.Errorf("asked %d times: %v", asked, err)
	}
	down, asked = 5, 0
	if _, err := c.ByID(t.Context(), 1); exit.Code(err) != exit.Unavailable || asked != 5 {
		t.Errorf("asked %d times: %v", asked, err)
	}
	server.Close()
	if _, err := c.ByID(t.Context(), 1); exit.Code(err) != exit.Unavailable {
		t.Errorf("no server: %v", err)
	}
	c.pause = time.Hour
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(exit.Errorf(exit.Interrupted, "stopped"))
	if _, err := c.ByID(ctx, 1); exit.Code(err) != exit.Interrupted {
		t.Errorf("stopped: %v", err)
	}
}

// TestSecured: name and password go to the registry over TLS only, from a file that only its owner reads.
func TestSecured(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, is := r.BasicAuth(); !is || user != "u" || password != "s3cret" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = w.Write([]byte(`{"schema":"x"}`))
	}))
	defer server.Close()
	server.Config.ErrorLog = nil
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
		0o600); err != nil {
		t.Fatal(err)
	}
	quoted, _ := json.Marshal(ca)
	authority := `{"tls":{"ca":` + string(quoted) + `}`
	basic := `,"basic":{"username":"u","password":"s3cret"}}`
	clear := strings.Replace(server.URL, "https", "http", 1)
	for name, c := range map[string]struct {
		settings, url string
		mode          os.FileMode
		code          int
	}{
		"right": {authority + basic, server.URL, 0o600, exit.OK},
		"other password": {authority + strings.Replace(basic, "s3cret", "s4cret", 1), server.URL, 0o600,
			exit.Missing},
		"nobody":               {authority + "}", server.URL, 0o644, exit.Missing},
		"unknown authority":    {`{"tls":{}` + basic, server.URL, 0o600, exit.Missing},
		"readable":             {authority + basic, server.URL, 0o644, exit.Usage},
		"in clear":             {"{" + basic[1:], clear, 0o600, exit.Usage},
		"TLS in clear":         {authority + "}", clear, 0o600, exit.Usage},
		"no password":          {`{"basic":{"username":"u"}}`, server.URL, 0o600, exit.Usage},
		"unknown member":       {`{"password":"s3cret"}`, server.URL, 0o600, exit.Usage},
		"authority of nothing": {`{"tls":{"ca":""}}`, server.URL, 0o600, exit.Usage},
	} {
		configured(t, c.settings, c.mode)
		client, err := newClient(registry.URL(c.url))
		if err == nil {
			client.pause = time.Nanosecond
			_, err = client.ByID(t.Context(), 1)
		}
		if exit.Code(err) != c.code || err != nil && strings.Contains(strings.ReplaceAll(err.Error(), "s4", "s3"),
			"s3cret") {
			t.Errorf("%s: %v, want exit code %d", name, err, c.code)
		}
	}
	t.Setenv(registry.ConfigVariable, "")
	if _, err := newClient(registry.URL(server.URL)); exit.Code(err) != exit.Usage {
		t.Errorf("an empty variable: %v", err)
	}
}

// TestNoProxy: a proxy of the environment is not asked.
func TestNoProxy(t *testing.T) {
	c, err := newClient("http://registry.example")
	if err != nil {
		t.Fatal(err)
	}
	if transport := c.http.Transport.(*http.Transport); transport.Proxy != nil {
		t.Error("the client has a proxy")
	}
}
