package topics

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
)

// soaking names the variable with the time that TestFlat takes, an hour by default.
const soaking = "PRIVPIPE_SOAK"

// Memory and CPU time a round are flat if the last tenth of the rounds has at most mostGrowth times as much of each as
// the first tenth, and noise more: of memory what a collector leaves for a while, of CPU time what other programs take.
const (
	mostGrowth  = 1.25
	memoryNoise = 8 << 20                // bytes of a stage
	cpuNoise    = 100 * time.Microsecond // of a stage, a round
)

// TestFlat trains with small rounds over a real broker for an hour, or for 100,000 rounds, and looks at each stage's
// memory and CPU time every few seconds.
func TestFlat(t *testing.T) {
	testkit.Deep(t, "soak")
	long := time.Hour
	if text := os.Getenv(soaking); text != "" {
		var err error
		if long, err = time.ParseDuration(text); err != nil {
			t.Fatalf("%s: %v", soaking, err)
		}
	}
	const most = 100_000
	b := broker.Own(t)
	j := &job{folder: t.TempDir(), system: system{
		sample: "--poisson 0.5", estep: "lda", mstep: "lda --topics 2 --checkpoint-every 1000", rounds: most}}
	j.bash(t, `
for i in {1..20}; do echo "{\"text\": \"red green blue round flat long short $i\"}"; done >texts.jsonl
printf '%s\n' red green blue round flat long short >vocab.txt
tokenize text --vocab vocab.txt -o docs.pp texts.jsonl`)
	r := newRun(t, j, b, 1)
	j.bash(t, fmt.Sprintf(`account plan --epsilon 8 --delta 1e-6 --poisson 0.5 --rounds %d --ledger %s \
  --model lda:2 --vocab vocab.txt -o grant.json`, most, r.ledger()))
	privatize := r.commands()["privatize"]
	privatize = append([]string{"privatize", "--grant", j.path("grant.json")}, privatize[2:]...)
	// The sampler waits for releases: otherwise it would write all rounds at once.
	sample := append([]string{"sample", "--follow", r.url("releases")}, r.commands()["sample"][1:]...)
	r.more = map[string][]string{"privatize": privatize, "sample": sample}
	done := make(chan error, 1)
	go func() { done <- r.all(long) }()
	released := b.Written(r.topics["releases"])
	seen := make(map[string][]look)
	begun, tick := time.Now(), time.NewTicker(max(time.Second, long/1000))
	defer tick.Stop()
	for over := false; !over; {
		select {
		case err := <-done:
			if err != nil {
				t.Fatalf("%v\n%s", err, r.log.String())
			}
			over = true
		case <-tick.C:
			rounds := released()
			for _, name := range r.names() {
				if l, err := r.look(name); err == nil && rounds > 0 {
					l.rounds = rounds
					seen[name] = append(seen[name], l)
				}
			}
			over = time.Since(begun) > long
		}
	}
	r.stop()
	for name, looks := range seen {
		first, last := looks[:len(looks)/10], looks[len(looks)*9/10:]
		if len(first) < 2 || len(last) < 2 {
			t.Fatalf("%s: only %d looks", name, len(looks))
		}
		before, after := cost(first), cost(last)
		t.Logf("%s: %d rounds; a round %v, then %v; %d KiB, then %d KiB", name, last[len(last)-1].rounds,
			before.cpu, after.cpu, before.memory>>10, after.memory>>10)
		if grown(before.cpu, after.cpu, cpuNoise) || grown(before.memory, after.memory, memoryNoise) {
			t.Errorf("%s: not flat", name)
		}
	}
}

// A look is the use of a stage so far, when so many rounds were released.
type look struct {
	rounds int64
	cpu    time.Duration // since the stage began; in a cost, of one round
	memory int64         // bytes of its own in memory
}

// cost is the CPU time of a round between the first and the last look, and the largest memory.
func cost(looks []look) look {
	first, last := looks[0], looks[len(looks)-1]
	c := look{cpu: (last.cpu - first.cpu) / time.Duration(max(1, last.rounds-first.rounds))}
	for _, l := range looks {
		c.memory = max(c.memory, l.memory)
	}
	return c
}

// grown says whether a cost is not flat.
func grown[T time.Duration | int64](before, after, noise T) bool {
	return after > T(mostGrowth*float64(before))+noise
}

// look looks at a stage.
func (r *run) look(name string) (look, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	command := r.processes[name]
	if command == nil {
		return look{}, errors.New("not under way")
	}
	folder := filepath.Join("/proc", strconv.Itoa(command.Process.Pid))
	stat, err := os.ReadFile(filepath.Join(folder, "stat"))
	if err != nil {
		return look{}, err
	}
	status, err := os.ReadFile(filepath.Join(folder, "status"))
	if err != nil {
		return look{}, err
	}
	var l look
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')'):])) // after the name
	for _, ticks := range fields[12:14] {                                             // user and system
		n, err := strconv.Atoi(ticks)
		if err != nil {
			return look{}, err
		}
		l.cpu += time.Duration(n) * 10 * time.Millisecond
	}
	_, after, _ := strings.Cut(string(status), "RssAnon:")
	_, err = fmt.Sscanf(after, "%d kB", &l.memory)
	l.memory <<= 10
	return l, err
}

// TestGrown: a use that grows with the rounds is not flat; one that jumps around is.
func TestGrown(t *testing.T) {
	var growing, steady []look
	for i := range 100 {
		growing = append(growing, look{int64(10 * i), time.Duration(i*i) * time.Millisecond, int64(i) << 20})
		steady = append(steady, look{int64(10 * i), time.Duration(i+i%2) * time.Millisecond, 30<<20 + int64(i%3)<<20})
	}
	before, after := cost(growing[:10]), cost(growing[90:])
	if !grown(before.cpu, after.cpu, cpuNoise) || !grown(before.memory, after.memory, memoryNoise) {
		t.Errorf("from %+v to %+v is flat", before, after)
	}
	before, after = cost(steady[:10]), cost(steady[90:])
	if grown(before.cpu, after.cpu, cpuNoise) || grown(before.memory, after.memory, memoryNoise) {
		t.Errorf("from %+v to %+v is not flat", before, after)
	}
}
