package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"privpipe/pipelines/endpoint/kafka"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
)

// wanted are the topics of a run called "run" with 3 partitions, and with 2 of documents.
var wanted = map[string]int{
	"run.documents.private":     2,
	"run.rounds.private":        3,
	"run.contributions.private": 3,
	"run.sums.private":          3,
	"run.releases":              1,
	"run.parameters":            1,
	"run.claims":                1,
}

func planned(address, run string) *command {
	return &command{Partitions: 3, Documents: 2, Replicas: 1, Retention: period(time.Hour),
		DocumentsRetention: period(3 * time.Hour), Brokers: address, Run: run}
}

func (c *command) output(t *testing.T) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := c.run(t.Context(), &out)
	return out.String(), err
}

func TestTopics(t *testing.T) {
	fake := broker.Fake(t, nil)
	printed, err := planned(fake.Address, "run").output(t)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range strings.Lines(printed) {
		names = append(names, strings.TrimPrefix(strings.TrimSpace(name), "kafka://"+fake.Address+"/"))
	}
	if want := slices.Sorted(maps.Keys(wanted)); !slices.Equal(slices.Sorted(slices.Values(names)), want) {
		t.Errorf("it prints %q, wants %q", names, want)
	}
	for name, partitions := range wanted {
		topic := fake.TopicInfo(name)
		if topic == nil {
			t.Errorf("there is no %s", name)
			continue
		}
		retention := "-1"
		if strings.HasSuffix(name, ".private") {
			retention = strconv.Itoa(3_600_000)
		}
		if name == "run.documents.private" {
			retention = strconv.Itoa(3 * 3_600_000)
		}
		if n := len(fake.PartitionInfos(name)); n != partitions {
			t.Errorf("%s has %d partitions, wants %d", name, n, partitions)
		}
		if got := topic.Configs["retention.ms"]; got == nil || *got != retention {
			t.Errorf("%s has the settings %v, wants retention.ms=%s", name, topic.Configs, retention)
		}
	}
}

// TestAgain checks, on Kafka too, that topics which are there are left alone, and refused where they are otherwise.
func TestAgain(t *testing.T) {
	for name, address := range map[string]func(*testing.T) string{
		"fake": func(t *testing.T) string { return broker.Fake(t, nil).Address },
		"real": func(t *testing.T) string {
			testkit.Deep(t, "kafka")
			return broker.Real(t).Address
		},
		"secure": func(t *testing.T) string {
			testkit.Deep(t, "kafka")
			own := broker.Own(t)
			t.Setenv(kafka.ConfigVariable, own.Config)
			return own.Secure
		},
	} {
		t.Run(name, func(t *testing.T) {
			address, run := address(t), fmt.Sprint("again-", time.Now().UnixNano())
			first, err := planned(address, run).output(t)
			if err != nil {
				t.Fatal(err)
			}
			if second, err := planned(address, run).output(t); err != nil || second != first {
				t.Errorf("the second time it prints %q, error %v", second, err)
			}
			other := planned(address, run)
			other.Partitions++
			if _, err := other.output(t); exit.Code(err) != exit.Usage {
				t.Errorf("other partitions: error %v", err)
			}
			other = planned(address, run)
			other.Retention *= 2
			if _, err := other.output(t); exit.Code(err) != exit.Usage ||
				!strings.Contains(err.Error(), "retention.ms") {
				t.Errorf("another retention: error %v", err)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	for name, change := range map[string]func(*command){
		"partitions": func(c *command) { c.Partitions = 0 },
		"documents":  func(c *command) { c.Documents = -1 },
		"replicas":   func(c *command) { c.Replicas = 0 },
		"retention":  func(c *command) { c.Retention = period(time.Millisecond) },
		"documents'": func(c *command) { c.DocumentsRetention = 0 },
		"run":        func(c *command) { c.Run = "a?group=b" },
		"no run":     func(c *command) { c.Run = "" },
		"brokers":    func(c *command) { c.Brokers = "user:password@host" },
	} {
		c := planned("127.0.0.1:1", "run")
		change(c)
		printed, err := c.output(t)
		if exit.Code(err) != exit.Usage || printed != "" || strings.Contains(err.Error(), "password@") {
			t.Errorf("%s: it prints %q, error %v", name, printed, err)
		}
	}
}

func TestPeriod(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"36h": 36 * time.Hour, "90s": 90 * time.Second, "1d": day, "7d": 7 * day, "1d12h": 36 * time.Hour,
		"65535d": 65535 * day,
		"d":      -1, "1.5d": -1, "-1d": -1, "65536d": -1, "1d2d": -1, "1d ": -1, "": -1, "7": -1, "a week": -1,
	} {
		var p period
		switch err := p.UnmarshalText([]byte(text)); {
		case want < 0 && (err == nil || !strings.Contains(err.Error(), "must be a time like 2d, 36h or 1d12h")):
			t.Errorf("%q is %v, %v", text, time.Duration(p), err)
		case want >= 0 && (err != nil || time.Duration(p) != want):
			t.Errorf("%q is %v, want %v, %v", text, time.Duration(p), want, err)
		}
	}
}

// TestScript runs topics.sh, which finds the program where PRIVPIPE_BIN says.
func TestScript(t *testing.T) {
	fake := broker.Fake(t, nil)
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin+"/", ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(arguments ...string) (string, error) {
		script := exec.Command("../topics.sh", arguments...)
		script.Env = append(os.Environ(), "PRIVPIPE_BIN="+bin)
		out, err := script.Output()
		return string(out), err
	}
	out, err := run("--partitions", "3", "--documents=2", "--retention", "1d12h", fake.Address, "run")
	if err == nil {
		if kept := fake.TopicInfo("run.rounds.private").Configs["retention.ms"]; kept == nil || *kept != "129600000" {
			t.Errorf("--retention 1d12h keeps %v", kept)
		}
	}
	if err != nil || strings.Count(out, "\n") != len(wanted) || len(fake.PartitionInfos("run.sums.private")) != 3 {
		t.Errorf("it prints %q, error %v", out, err)
	}
	_, err = run("--partitions", "4", "--retention", "36h", fake.Address, "run")
	var failed *exec.ExitError
	if !errors.As(err, &failed) || failed.ExitCode() != exit.Usage {
		t.Errorf("other partitions: error %v, want exit code %d", err, exit.Usage)
	}
}
