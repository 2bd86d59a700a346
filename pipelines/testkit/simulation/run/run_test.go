package run

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

func work(t *testing.T) string {
	if to := os.Getenv("TO"); to != "" {
		return to
	}
	return t.TempDir()
}

// TestSimulation builds the simulation and runs it.
func TestSimulation(t *testing.T) {
	if simulated() {
		t.Skip("this is the program that the test builds")
	}
	program, err := Build("../../../..", work(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, "-test.v", "-test.run", "^TestSimulated$")
	out, err := command.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

// TestSimulated runs schedules.
func TestSimulated(t *testing.T) {
	if !simulated() {
		t.Skip("TestSimulation builds the program for it")
	}
	s := wall()
	if seed, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64); err == nil {
		result := s.Run(t, s.Plan(t, seed), true)
		for _, line := range result.Trace {
			fmt.Println(line)
		}
		fmt.Println(s.Plan(t, seed), result.Err, result.Struck, result.Leaked)
		return
	}
	n, err := strconv.Atoi(os.Getenv("N"))
	if err != nil {
		n = 100
	}
	begun, effects, leaks := time.Now(), 0, 0
	for seed := range uint64(n) {
		schedule := s.Plan(t, seed)
		result := s.Run(t, schedule, false)
		effects += result.Effects
		if result.Leaked {
			leaks++
		}
		if result.Err != nil {
			shorter, last := s.Shorten(t, schedule)
			t.Fatalf("%s\nshortened: %s\n%v", schedule, shorter, last.Err)
		}
	}
	t.Logf("%d schedules, %d effects each, %v each, %d leaks", n, effects/n, time.Since(begun)/time.Duration(n), leaks)
}
