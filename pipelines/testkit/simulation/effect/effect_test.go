package effect

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// race runs three processes with two goroutines each. All append to one text. race returns the text and the scheduler.
func race(t *testing.T, seed uint64, plan ...Planned) (text string, s *Scheduler) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s = New(seed, plan)
		s.Cut = func() { text += "!" }
		var all []*Process
		for i := range 3 {
			all = append(all, s.Start(fmt.Sprint("p", i), 1, func(p *Process) {
				done := make(chan error)
				for g := range 2 {
					go func() {
						for n := range 3 {
							letter := string(rune('a' + 2*i + g))
							err := Perform(&Effect{Kind: "append", Object: letter, Content: []byte{byte(n)},
								Faults: []Fault{"twice"},
								Do: func(fault Fault) {
									text += strings.Repeat(letter, map[Fault]int{None: 1, "twice": 2}[fault])
								}})
							if err != nil {
								done <- err
								return
							}
							time.Sleep(time.Second)
						}
						done <- nil
					}()
				}
				if err := errors.Join(<-done, <-done); err != nil && !errors.Is(err, ErrEnded) {
					t.Error(err)
				}
			}))
		}
		err := s.Run(func() bool { return !slices.ContainsFunc(all, func(p *Process) bool { return !p.Ended() }) })
		if err != nil {
			t.Error(err)
		}
		s.Close()
	})
	return text, s
}

// TestOrder: a seed fixes the order, other seeds have other orders, and nothing is lost.
func TestOrder(t *testing.T) {
	texts, first := make(map[string]bool), make(map[uint64]string)
	for range 20 {
		for seed := range uint64(20) {
			text, s := race(t, seed)
			if len(text) != 18 || strings.Count(text, "d") != 3 || s.Effects() != 21 {
				t.Fatalf("seed %d: %s, %d effects", seed, text, s.Effects())
			}
			result := fmt.Sprint(text, s.Sum())
			if first[seed] == "" {
				first[seed] = result
			} else if first[seed] != result {
				t.Fatalf("seed %d: %s, and before %s", seed, result, first[seed])
			}
			texts[text] = true
		}
	}
	if len(texts) < 15 {
		t.Errorf("20 seeds have %d orders", len(texts))
	}
}

// TestFaults: each fault does its work at the effect that the plan names.
func TestFaults(t *testing.T) {
	count := func(text string) (counts [7]int) {
		for i, letter := range "abcdef!" {
			counts[i] = strings.Count(text, string(letter))
		}
		return counts
	}
	for _, c := range []struct {
		plan  []Planned
		legal func(counts [7]int, text string) bool
	}{
		{[]Planned{{"p1", 1, Kill}}, func(n [7]int, _ string) bool { return n == [7]int{3, 3, 0, 0, 3, 3, 0} }},
		{[]Planned{{"p1", 1, KillAfter}}, func(n [7]int, _ string) bool { return n[2]+n[3] == 1 && n[0] == 3 }},
		{[]Planned{{"p1", 6, Kill}}, func(n [7]int, _ string) bool { return n[2]+n[3] == 5 }},
		{[]Planned{{"p1", 6, Power}}, func(n [7]int, text string) bool {
			return n[2]+n[3] == 5 && strings.HasSuffix(text, "!")
		}},
		{[]Planned{{"p2", 2, "twice"}}, func(n [7]int, _ string) bool { return n[4]+n[5] == 7 }},
		{[]Planned{{"p2", 2, "unknown"}}, func(n [7]int, _ string) bool { return n[4]+n[5] == 6 }},
		{[]Planned{{"p0", 1, Pause}}, func(n [7]int, _ string) bool { return n == [7]int{3, 3, 3, 3, 3, 3, 0} }},
	} {
		for seed := range uint64(20) {
			text, s := race(t, seed, c.plan...)
			if !c.legal(count(text), text) {
				t.Errorf("%v, seed %d: %s", c.plan, seed, text)
			}
			if struck := s.Struck(); len(struck) != 1 != (c.plan[0].Fault == "unknown") ||
				len(struck) == 1 && struck[0] != c.plan[0] {
				t.Errorf("%v, seed %d: struck %v", c.plan, seed, s.Struck())
			}
		}
	}
}

// TestStuck: processes that wait for one another for ever are reported, after virtual time.
func TestStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(1, nil)
		p := s.Start("p", 1, func(*Process) {
			Perform(&Effect{Kind: "read", Object: "nothing", Ready: func() bool { return false }, Do: func(Fault) {}})
		})
		err := s.Run(p.Ended)
		if err == nil || !strings.Contains(err.Error(), "p.1 read nothing") {
			t.Errorf("got %v", err)
		}
		s.Close()
	})
}
