package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
)

// An office is where members of a group work.
type office struct {
	location *Location
	mutex    sync.Mutex
	change   *sync.Cond
	working  map[string]int // "NAME PARTITION": how often that work was begun, less how often it ended
	begun    map[string]int
}

func newOffice(l *Location) *office {
	o := &office{location: l, working: make(map[string]int), begun: make(map[string]int)}
	o.change = sync.NewCond(&o.mutex)
	return o
}

// join lets a member work until its context ends. The channel gets the error that it ends with.
func (o *office) join(t *testing.T, ctx context.Context, name string) (*Member, <-chan error) {
	t.Helper()
	m, err := Join(o.location, "answers")
	if err != nil {
		t.Fatal(err)
	}
	work := func(ctx context.Context, partition int) error {
		place := fmt.Sprint(name, " ", partition)
		o.note(func() { o.working[place]++; o.begun[place]++ })
		<-ctx.Done()
		o.note(func() { o.working[place]-- })
		return errors.New("work that was stopped has an error that nobody wants")
	}
	ended := make(chan error, 1)
	var over sync.WaitGroup
	over.Go(func() {
		err := m.Share(ctx, work, never)
		m.Close()
		ended <- err
	})
	t.Cleanup(over.Wait)
	return m, ended
}

func (o *office) note(change func()) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	change()
	o.change.Broadcast()
}

// wait waits until who works where is as wanted, "NAME PARTITION" each.
func (o *office) wait(t *testing.T, what string, wanted func(places []string) bool) {
	t.Helper()
	late := time.AfterFunc(within, func() { o.note(func() {}) })
	defer late.Stop()
	began := time.Now()
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for {
		var places []string
		for place, n := range o.working {
			if n > 1 {
				t.Fatalf("%s: %s is worked %d times", what, place, n)
			}
			if n == 1 {
				places = append(places, place)
			}
		}
		if slices.Sort(places); wanted(places) {
			return
		}
		if time.Since(began) > within {
			t.Fatalf("%s: %q", what, places)
		}
		o.change.Wait()
	}
}

// of counts the places of each.
func of(places []string) map[string]int {
	counts := make(map[string]int)
	for _, p := range places {
		counts[p[:1]]++
	}
	return counts
}

// shared wants all partitions to be worked, each once, by so many members in equal parts.
func shared(partitions int, names ...string) func([]string) bool {
	return func(places []string) bool {
		worked, counts := make(map[string]bool), of(places)
		for _, p := range places {
			worked[p[2:]] = true
		}
		least, most := partitions, 0
		for _, name := range names {
			least, most = min(least, counts[name]), max(most, counts[name])
		}
		return len(places) == partitions && len(worked) == partitions && len(counts) == len(names) && most-least <= 1
	}
}

// TestGroup: members come and go, and each partition is worked by one of them.
func TestGroup(t *testing.T) {
	t.Parallel()
	fake := broker.Fake(t, map[string]int{"t.private": 4}, kfake.GroupMinSessionTimeout(100*time.Millisecond))
	group(t, location(t, fake.Address, "t.private", "?group=estep&session=500ms"))
}

// TestGroupReal is the same on Apache Kafka, whose sessions are of six seconds at least.
func TestGroupReal(t *testing.T) {
	testkit.Deep(t, "kafka")
	b := broker.Real(t)
	group(t, location(t, b.Address, b.Topic(t, "t.private", 4, nil), "?session=6s&group=g"+b.Topic(t, "x", 1, nil)))
}

func group(t *testing.T, l *Location) {
	o := newOffice(l)
	ctx, leave := make(map[string]context.Context), make(map[string]context.CancelFunc)
	for _, name := range []string{"a", "b", "c"} {
		ctx[name], leave[name] = context.WithCancel(t.Context())
	}
	_, a := o.join(t, ctx["a"], "a")
	o.wait(t, "a alone", shared(4, "a"))
	_, b := o.join(t, ctx["b"], "b")
	o.wait(t, "a and b", shared(4, "a", "b"))
	// What a has kept it works in one go.
	o.mutex.Lock()
	if n := o.begun["a 0"] + o.begun["a 1"] + o.begun["a 2"] + o.begun["a 3"]; n != 4 {
		t.Errorf("a began works again: %v", o.begun)
	}
	o.mutex.Unlock()
	_, c := o.join(t, ctx["c"], "c")
	o.wait(t, "a, b and c", shared(4, "a", "b", "c"))

	leave["b"]()
	if err := <-b; !errors.Is(err, context.Canceled) {
		t.Errorf("b, which left: %v", err)
	}
	o.wait(t, "a and c", shared(4, "a", "c"))

	// One dies without a word: it is another program, so that it can.
	dying, err := kgo.NewClient(kgo.SeedBrokers(l.Brokers...), kgo.ConsumerGroup(l.Group), kgo.ConsumeTopics(l.Topic),
		kgo.Balancers(alike{kgo.RangeBalancer(), l.Topic + " to answers"}),
		kgo.InstanceID("one that does not say goodbye"), kgo.SessionTimeout(l.Session),
		kgo.HeartbeatInterval(l.Session/5), kgo.RebalanceTimeout(l.Session))
	if err != nil {
		t.Fatal(err)
	}
	o.wait(t, "three again", func(places []string) bool { return len(places) < 4 })
	dying.Close()
	o.wait(t, "a and c again", shared(4, "a", "c"))

	leave["a"]()
	if err := <-a; !errors.Is(err, context.Canceled) {
		t.Errorf("a: %v", err)
	}
	o.wait(t, "c alone", shared(4, "c"))
	leave["c"]()
	<-c
	for _, end := range leave {
		end()
	}
}

// alike is a way to deal partitions under the name of another.
type alike struct {
	kgo.GroupBalancer
	name string
}

func (a alike) ProtocolName() string { return a.name }

// TestGroupFinishes: all members end when nothing is left for anyone, and not before.
func TestGroupFinishes(t *testing.T) {
	t.Parallel()
	fake := broker.Fake(t, map[string]int{"t.private": 3}, kfake.GroupMinSessionTimeout(100*time.Millisecond))
	l := location(t, fake.Address, "t.private", "?group=estep&session=500ms")
	var mutex sync.Mutex
	done := make(map[int]int)
	asked := 0
	work := func(ctx context.Context, partition int) error {
		mutex.Lock()
		defer mutex.Unlock()
		done[partition]++
		return nil
	}
	finished := func(context.Context) (bool, error) {
		mutex.Lock()
		defer mutex.Unlock()
		asked++
		return len(done) == 3 && asked > 4, nil
	}
	var all sync.WaitGroup
	for range 4 { // one has nothing to do
		m, err := Join(l, "answers")
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			if err := m.Share(soon(t), work, finished); err != nil {
				t.Error(err)
			}
			m.Close()
		})
	}
	all.Wait()
	if len(done) != 3 {
		t.Errorf("works of %d partitions were done", len(done))
	}
}

// TestGroupEndsSoon: a member that has done its works asks whether the others have, too. It does not wait a second
// before each question.
func TestGroupEndsSoon(t *testing.T) {
	t.Parallel()
	fake := broker.Fake(t, map[string]int{"t.private": 1})
	m, err := Join(location(t, fake.Address, "t.private", "?group=estep"), "answers")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	var begun time.Time
	work := func(context.Context, int) error {
		begun = time.Now()
		return nil
	}
	asked := 0
	finished := func(context.Context) (bool, error) {
		asked++
		return asked == 4, nil
	}
	if err := m.Share(soon(t), work, finished); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begun); took > 3*rejoin {
		t.Errorf("the end was noticed after %d questions in %v", asked, took)
	}
}

// TestGroupFails: the first work that fails ends the member, and its other works.
func TestGroupFails(t *testing.T) {
	t.Parallel()
	fake := broker.Fake(t, map[string]int{"t.private": 3})
	l := location(t, fake.Address, "t.private", "?group=estep")
	m, err := Join(l, "answers")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	want := exit.Errorf(exit.Malformed, "a frame is damaged")
	var all sync.WaitGroup
	all.Add(3)
	stopped := 0
	work := func(ctx context.Context, partition int) error {
		all.Done()
		all.Wait()
		if partition == 1 {
			return want
		}
		<-ctx.Done()
		if partition == 2 {
			stopped++
		}
		return ctx.Err()
	}
	if err := m.Share(soon(t), work, never); err != error(want) {
		t.Errorf("error %v, want %v", err, want)
	}
	if stopped != 1 {
		t.Error("Share returned before all works had")
	}
	m, err = Join(l, "answers")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	failing := func(context.Context) (bool, error) { return false, want }
	if err := m.Share(soon(t), func(context.Context, int) error { return nil }, failing); err != error(want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

// TestGroupRejoins: what a broker may answer to members of a group that changes does not end them, nor their works.
func TestGroupRejoins(t *testing.T) {
	t.Parallel()
	fake := broker.Fake(t, map[string]int{"t.private": 2}, kfake.GroupMinSessionTimeout(100*time.Millisecond))
	l := location(t, fake.Address, "t.private", "?group=estep&session=500ms&patience=20s")
	for key, errs := range map[kmsg.Key][]*kerr.Error{
		kmsg.JoinGroup:       {kerr.UnknownMemberID},
		kmsg.SyncGroup:       {kerr.RebalanceInProgress, kerr.RebalanceInProgress, kerr.RebalanceInProgress},
		kmsg.FindCoordinator: {kerr.CoordinatorNotAvailable},
	} {
		for _, err := range errs {
			fake.Fault(kfake.Fault{Keys: []kmsg.Key{key}, Group: l.Group, Err: err})
		}
	}
	o := newOffice(l)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	_, ended := o.join(t, ctx, "a")
	o.wait(t, "a alone", shared(2, "a"))
	for _, err := range []*kerr.Error{
		kerr.IllegalGeneration, kerr.UnknownMemberID, kerr.NotCoordinator, kerr.RebalanceInProgress,
	} {
		fault := fake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Group: l.Group, Err: err})
		if err := fault.Wait(soon(t), 1); err != nil {
			t.Fatal(err)
		}
	}
	beats := fake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Group: l.Group, Observe: true, Count: -1})
	if err := beats.Wait(soon(t), 3); err != nil {
		t.Fatal(err)
	}
	leave()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended: %v", err)
	}
	if !maps.Equal(o.begun, map[string]int{"a 0": 1, "a 1": 1}) {
		t.Errorf("works were begun %v times", o.begun)
	}
}

// TestGroupRefused: what will not pass ends the member at once.
func TestGroupRefused(t *testing.T) {
	t.Parallel()
	fake := broker.Fake(t, map[string]int{"t.private": 2})
	l := location(t, fake.Address, "t.private", "?group=estep&session=500ms")
	for _, c := range []struct {
		err  *kerr.Error
		code int
	}{{kerr.GroupAuthorizationFailed, exit.Missing}, {kerr.InconsistentGroupProtocol, exit.Usage}} {
		fault := fake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.JoinGroup}, Group: l.Group, Err: c.err, Count: -1})
		m, err := Join(l, "answers")
		if err != nil {
			t.Fatal(err)
		}
		err = m.Share(soon(t), nil, never)
		m.Close()
		fault.Remove()
		wantError(t, err, c.code, l.String(), "group estep")
	}
}

// TestHints: what a member, or a program without others, notes is what the next one finds.
func TestHints(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"t.private": 3})
	hints(t, location(t, fake.Address, "t.private", "?group=g"))
}

func TestHintsReal(t *testing.T) {
	testkit.Deep(t, "kafka")
	b := broker.Real(t)
	topic := b.Topic(t, "t.private", 3, nil)
	hints(t, location(t, b.Address, topic, "?group=g"+topic))
}

func hints(t *testing.T, l *Location) {
	want := func(want ...Hint) {
		t.Helper()
		got, err := Hints(soon(t), l)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("hints %+v, %v, want %+v", got, err, want)
		}
	}
	none := Hint{Offset: -1}
	want(none, none, none)
	for i := range 4 {
		put(t, l, 1, []byte("a frame"), (&label{Writer: "a0", Number: i}).headers()...)
	}
	log, err := OpenAt(soon(t), l, 1, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for range 3 {
		if _, err := log.Frame(); err != nil {
			t.Fatal(err)
		}
	}
	log.Note(7, 9)
	want(none, Hint{Offset: 3, Round: 7, Planned: 9}, none)

	m, err := Join(l, "answers")
	if err != nil {
		t.Fatal(err)
	}
	noted := errors.New("noted")
	work := func(ctx context.Context, partition int) error {
		if partition < 2 {
			<-ctx.Done()
			return nil
		}
		m.Note(ctx, 0, Hint{Offset: 5, Round: 1<<32 - 1})
		m.Note(ctx, 2, Hint{Offset: 6, Ended: true})
		return noted
	}
	if err := m.Share(soon(t), work, never); err != noted {
		t.Fatal(err)
	}
	m.Close()
	want(Hint{Offset: 5, Round: 1<<32 - 1}, Hint{Offset: 3, Round: 7, Planned: 9}, Hint{Offset: 6, Ended: true})
	one := *l
	one.Partition = 2
	if got, err := Hints(soon(t), &one); err != nil || !slices.Equal(got, []Hint{{Offset: 6, Ended: true}}) {
		t.Errorf("of one partition: %+v, %v", got, err)
	}
	other := *l
	other.Group += "-other"
	if got, err := Hints(soon(t), &other); err != nil || !slices.Equal(got, []Hint{none, none, none}) {
		t.Errorf("of another group: %+v, %v", got, err)
	}
}

// TestForeignNotes: what other programs note beside an offset says no round.
func TestForeignNotes(t *testing.T) {
	for note, want := range map[string]Hint{"": {}, "end": {Ended: true}, "round 12": {Round: 12},
		"round 12 of 80": {Round: 12, Planned: 80}, "leader": {}, "round x": {},
		"round -1": {}, "round 4294967296": {}, "the end": {}} {
		var got Hint
		if new(client).readNote(&got, note); got != want {
			t.Errorf("%q: %+v, want %+v", note, got, want)
		}
	}
}

// TestNotesAreTold: if the broker refuses a note during a rebalance, the member sends the note again. It drops the note
// if another member has taken over the partition.
func TestNotesAreTold(t *testing.T) {
	t.Parallel()
	fake := broker.Fake(t, map[string]int{"t.private": 2})
	l := location(t, fake.Address, "t.private", "?group=estep")
	commits := []kmsg.Key{kmsg.OffsetCommit}
	fault := fake.Fault(kfake.Fault{Keys: commits, Group: l.Group, Err: kerr.RebalanceInProgress, Count: 3})
	m, err := Join(l, "answers")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	work := func(ctx context.Context, partition int) error {
		m.Note(ctx, partition, Hint{Offset: 3, Round: 2})
		m.Note(ctx, partition, Hint{Offset: 4, Ended: true})
		return nil
	}
	finished := func(ctx context.Context) (bool, error) {
		all, err := Hints(ctx, l)
		return !slices.ContainsFunc(all, func(h Hint) bool { return !h.Ended }), err
	}
	if err := m.Share(soon(t), work, finished); err != nil {
		t.Fatal(err)
	}
	if fault.Hits() != 3 {
		t.Errorf("%d faults, want 3", fault.Hits())
	}
}

// TestStaleNotes: a member could not note its hint on a partition before another member took the partition over. The
// first member does not note the hint afterwards.
func TestStaleNotes(t *testing.T) {
	t.Parallel()
	fake := broker.Fake(t, map[string]int{"t.private": 2}, kfake.GroupMinSessionTimeout(100*time.Millisecond))
	l := location(t, fake.Address, "t.private", "?group=estep&session=500ms")
	o := newOffice(l)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	a, _ := o.join(t, ctx, "a")
	o.wait(t, "a alone", shared(2, "a"))
	a.mutex.Lock()
	own := a.generation.MemberID
	a.mutex.Unlock()
	fault := fake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetCommit}, Count: -1, Err: kerr.RebalanceInProgress,
		When: func(r kmsg.Request) bool { return r.(*kmsg.OffsetCommitRequest).MemberID == own }})
	for partition := range 2 {
		a.Note(ctx, partition, Hint{Offset: 1, Round: 1})
	}
	b, _ := o.join(t, ctx, "b")
	o.wait(t, "a and b", shared(2, "a", "b"))
	taken := 0
	o.wait(t, "b has one", func(places []string) bool {
		taken, _ = strconv.Atoi(places[1][2:])
		return true
	})
	b.Note(ctx, taken, Hint{Offset: 2, Round: 2})
	fault.Remove()
	for {
		all, err := Hints(soon(t), l)
		if err != nil {
			t.Fatal(err)
		}
		if all[1-taken].Round != 1 {
			continue // a has not come to it yet
		}
		if all[taken].Round != 2 {
			t.Errorf("the hint %+v stands where another member noted more", all[taken])
		}
		break
	}
	leave()

	other := &Member{client: &client{Location: &Location{Topic: "t"}}, notes: make(map[int]Hint)}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	other.Note(stopped, 0, Hint{Round: 1})
	other.Note(t.Context(), 1, Hint{Round: 1})
	other.Note(t.Context(), 2, Hint{Round: 2})
	other.begin(&kafka.Generation{Assignments: map[string][]kafka.PartitionAssignment{"t": {{ID: 0}, {ID: 1}}}})
	if want := map[int]Hint{1: {Round: 1}}; !maps.Equal(other.notes, want) {
		t.Errorf("the notes %v are left, want %v", other.notes, want)
	}
}

// TestGroupKeepsRebalancing: a group that is still in a rebalance when the patience of a member is over may heal later.
// The simulation found that such a member was not started again: a broker's first answer after an outage is such.
func TestGroupKeepsRebalancing(t *testing.T) {
	c, err := newClient(&Location{Brokers: []string{"127.0.0.1:1"}, Topic: "t"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.leave()
	for _, code := range []kafka.Error{kafka.RebalanceInProgress, kafka.UnknownMemberId, kafka.IllegalGeneration} {
		if failed := c.failed("join group g", code); exit.Code(failed) != exit.Unavailable {
			t.Errorf("%v has exit code %d", code, exit.Code(failed))
		}
	}
}
