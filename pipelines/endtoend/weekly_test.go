package endtoend

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/seeded"
)

// themes are words that public text has in one topic each.
var themes = [][]string{
	{"beer", "pizza", "wine", "cheese", "sugar", "food", "drink", "milk", "chicken", "taste"},
	{"ubuntu", "install", "linux", "sudo", "boot", "installed", "package", "usb"},
	{"card", "account", "credit", "transfer", "payment", "money", "bank", "cash", "balance"},
	{"game", "video", "games", "player", "cards", "players", "play"},
}

// weeks writes a made stream: so many documents of each theme in each week from Monday, 6 January 2025, on. Documents
// have users and the label of a product.
func weeks(t *testing.T, name string, counts ...[]int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var lines strings.Builder
	for week, of := range counts {
		for theme, n := range of {
			for i := range n {
				var text []string
				for range 15 {
					text = append(text, themes[theme][r.IntN(len(themes[theme]))])
				}
				date := time.Date(2025, 1, 6, 0, 0, 0, 0, time.UTC).AddDate(0, 0, 7*week).
					Add(time.Duration(r.Int64N(int64(7 * 24 * time.Hour))))
				fmt.Fprintf(&lines, `{"id":"%d-%d-%d","user":"u%d","label":"%s","text":"%s","made":"%s"}`+"\n",
					week, theme, i, r.IntN(400), []string{"phone", "web"}[i%2], strings.Join(text, " "),
					date.Format(time.RFC3339))
			}
		}
	}
	if err := os.WriteFile(name, []byte(lines.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// steady is a week of the made stream, with more of the first theme.
func steady(more int) []int { return []int{60 + more, 80, 100, 120} }

// moved returns the windows and names of the alarms in a folder of weekly.sh.
func moved(t *testing.T, folder string) (all []string) {
	t.Helper()
	var alarms struct {
		Alarms []struct{ Window, Name string }
	}
	if err := json.Unmarshal([]byte(read(t, filepath.Join(folder, "out/public/alarm.json"))), &alarms); err != nil {
		t.Fatal(err)
	}
	for _, a := range alarms.Alarms {
		all = append(all, a.Window+" "+a.Name)
	}
	return all
}

var weekly = filepath.Join(root, "pipelines/recipes/weekly.sh") +
	" --date made --from 2025-01-06 --for 8 --unit document --alarm-rate 1e-6 "

// TestWeekly runs the recipe as cron would: on a text that grows, with weeks that were missed, and one in which nobody
// wrote. Nothing is released twice, and the burst of the sixth week is found there.
func TestWeekly(t *testing.T) {
	t.Parallel()
	folder := seeded.Folder(t, seeded.Chance{Seed: 1, Rate: 1e-4,
		Margin: "a false alarm has a probability of 1e-6 a week; the burst is of 200 documents, an alarm needs 60"})
	at := func(name string) string { return filepath.Join(folder, name) }
	weeks(t, at("new.jsonl"), steady(0), steady(0))
	weeks(t, at("all.jsonl"), steady(0), steady(0), steady(0), nil, steady(0), steady(200), steady(0))
	first := run(t, folder, weekly+"--on-error skip --now 2025-01-20 new.jsonl out")
	if len(moved(t, folder)) > 0 || first != "" {
		t.Errorf("two equal weeks: %v, %s", moved(t, folder), first)
	}
	// A run that was killed after the charge lacks the week's file. It gets the stored release.
	before := read(t, at("out/public/weeks/2025-W03.pp"))
	run(t, folder, "cp out/private/run.ledger before; rm out/public/weeks/2025-W03.pp; "+
		weekly+"--now 2025-01-21 new.jsonl out; cmp before out/private/run.ledger")
	if read(t, at("out/public/weeks/2025-W03.pp")) != before {
		t.Error("a week that was charged has another release")
	}
	// The runs of three weeks were missed. Documents that come late are never counted.
	said := run(t, folder, weekly+"--now 2025-02-17 all.jsonl out")
	want := []string{"2025-W07 beer pizza wine"}
	rose := "2025-W07: beer pizza wine rose to "
	if got := moved(t, folder); !slices.Equal(got, want) || !strings.Contains(said, rose) {
		t.Errorf("alarms %v, %s; want %v", got, said, want)
	}
	if !strings.Contains(said, "2025-W05: about ") || !strings.Contains(said, "is the text complete?") {
		t.Errorf("nothing is said of the empty week:\n%s", said)
	}
	if again := run(t, folder, weekly+"--now 2025-02-17 all.jsonl out"); again != "" {
		t.Errorf("what moved is told twice: %s", again)
	}
	series := read(t, at("out/public/series.csv"))
	run(t, folder, `sed 's/"made":"[^"]*"/"made":"2025-01-07"/; s/"id":"/&late/' all.jsonl >late.jsonl
		cp out/private/run.ledger before; `+weekly+`--now 2025-02-17 late.jsonl out; cmp before out/private/run.ledger`)
	if read(t, at("out/public/series.csv")) != series {
		t.Error("late documents change the series")
	}
	// The empty week has a release like any other, and its shares say nothing.
	if !strings.Contains(series, "\n2025-W05,,none,,") || !strings.Contains(series, ",0,1,,,,") {
		t.Errorf("the empty week is not there, or says something:\n%s", series)
	}
	run(t, folder, weekly+"--now 2026-01-01 all.jsonl out")
	report := run(t, folder, "account report --delta 1e-6 out/private/run.ledger")
	if !strings.Contains(report, "document  8\n") || strings.Count(report, "  1         1  1e-06\n") != 8 {
		t.Errorf("eight weeks of ε 1 each:\n%s", report)
	}
	for _, file := range []string{"series.html", "series.parquet", "vocabulary.txt", "model.pp"} {
		if info, err := os.Stat(at("out/public/" + file)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
	ends(t, folder, weekly+"--every day all.jsonl out", 80, "begun with --every week, and now has --every day")
	ends(t, folder, weekly+"--for 3000 --now 3000-01-01 all.jsonl no", 80, "is in the future")
	ends(t, folder, weekly+"--now 2025-01-07 all.jsonl early", 0, "the first week is not over")
	ends(t, folder, weekly+"--from 2025-01-07 all.jsonl no", 80, "the next one is 2025-01-13")
	ends(t, folder, weekly+"--model nothing.pp all.jsonl no", 80, "no such model")
	ends(t, folder, filepath.Join(root, "pipelines/recipes/weekly.sh")+" all.jsonl no", 80, "are needed")
	if _, err := os.Stat(at("no")); err == nil {
		t.Error("a refused run made its folder")
	}
}

// TestWeeklyRefuses: a document is in one week, and it is clear whose budget it is, before anything is charged.
func TestWeeklyRefuses(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	weeks(t, filepath.Join(folder, "all.jsonl"), steady(0), steady(0), steady(0))
	run(t, folder, `sed 's/"user":"[^"]*",//; s/"label":"[^"]*",//' all.jsonl >plain.jsonl
		sed 's/"id":"1-/"id":"0-/' plain.jsonl >again.jsonl
		tokenize text -o documents.pp plain.jsonl`)
	command := filepath.Join(root, "pipelines/recipes/weekly.sh") +
		" --date made --from 2025-01-06 --for 3 --now 2025-02-01 "
	ends(t, folder, command+"documents.pp out", 80, "and documents.pp has bags of words")
	ends(t, folder, command+"'document?.pp' out", 80, "and documents.pp has bags of words")
	ends(t, folder, command+"--model documents.pp plain.jsonl out", 90, "documents.pp")
	if _, err := os.Stat(filepath.Join(folder, "out")); err == nil {
		t.Error("a refused run made its folder")
	}
	ends(t, folder, command+"all.jsonl out", 83, "so --unit must say whose budget it is")
	ends(t, folder, command+"--unit user plain.jsonl out", 83, "no document names a user")
	write(t, folder, "groups.txt", "web\n")
	ends(t, folder, command+"--groups groups.txt plain.jsonl out", 83, "no document has a label")
	ends(t, folder, command+"again.jsonl out", 90, "the document's id was in another window")
	report := run(t, folder, "account report --delta 1e-6 out/private/run.ledger")
	if !strings.Contains(report, "document  1\n") {
		t.Errorf("one week was released before an id came again:\n%s", report)
	}
	// Documents that are left out are listed behind the wall.
	run(t, folder, command+"--on-error skip again.jsonl out")
	if lines := strings.Count(read(t, filepath.Join(folder, "out/private/2025-W03.skipped.jsonl")), "\n"); lines == 0 {
		t.Error("no document that was skipped is listed")
	}
	if series := read(t, filepath.Join(folder, "out/public/series.csv")); !strings.Contains(series, "2025-W04,,all") {
		t.Errorf("the third week is not released:\n%s", series)
	}
	// An id that is twice in a week stops it before anything is charged, and a mended text goes on.
	run(t, folder, `{ cat plain.jsonl; head -n 1 plain.jsonl; } >twice.jsonl`)
	ends(t, folder, command+"twice.jsonl mended", 90, "a document id occurs twice")
	run(t, folder, command+"plain.jsonl mended")
	// The ids of released weeks must be there.
	run(t, folder, "mv mended/private/seen .; head -n 100 seen >mended/private/seen")
	ends(t, folder, command+"plain.jsonl mended", 83, "has lost ids of weeks that were released")
	// Documents that were read with other settings are not released with these.
	ends(t, folder, command+"--keep html twice.jsonl other", 90, "a document id occurs twice")
	ends(t, folder, command+"again.jsonl other", 90, "the document's id was in another window")
	// Weeks that were released have the ends that they had.
	run(t, folder, "sed -i 's/T00:00:00Z/T01:00:00Z/' out/public/calendar.txt")
	ends(t, folder, command+"--on-error skip again.jsonl out", 83, "the rules of the time zone UTC have changed")
}

// TestWeeklyLearns: the topics follow the text under the same ε, and a word that comes into a topic is told.
func TestWeeklyLearns(t *testing.T) {
	t.Parallel()
	folder := seeded.Folder(t, seeded.Chance{Seed: 1, Rate: 1e-3,
		Margin: "200 documents have the new word, and about 40 are needed"})
	weeks(t, filepath.Join(folder, "all.jsonl"), steady(150), steady(150), steady(150), steady(150))
	run(t, folder, `sed -i '/"id":"3-0-/s/"text":"[a-z]* [a-z]* /"text":"strawberry /' all.jsonl`)
	command := weekly + "--learn --epsilon 2 --for 4 --now 2025-02-03 all.jsonl out"
	said := run(t, folder, command)
	if !strings.Contains(said, "2025-W05: ") || !strings.Contains(said, " has more strawberry: about ") {
		t.Errorf("the new word is not told:\n%s", said)
	}
	before := read(t, filepath.Join(folder, "out/public/learned.pp"))
	// A run that lost a release of words gets the stored one, and learns the same topics.
	run(t, folder, "rm out/public/weeks/2025-W03.words.pp; cp out/private/run.ledger before; "+command+
		"; cmp before out/private/run.ledger")
	if read(t, filepath.Join(folder, "out/public/learned.pp")) != before {
		t.Error("the topics depend on a run that was killed")
	}
	report := run(t, folder, "account report --delta 1e-6 out/private/run.ledger")
	if !strings.Contains(report, "document  8\n") || strings.Count(report, "  2         2  1e-06\n") != 4 {
		t.Errorf("two releases of four weeks, of ε 2 each:\n%s", report)
	}
	if page := read(t, filepath.Join(folder, "out/public/series.html")); !strings.Contains(page, "now: ") {
		t.Error("the page has no words of the topics now")
	}
	ends(t, folder, weekly+"--decay 0.5 all.jsonl no", 80, "--decay belongs to --learn")
}

// TestWeeklyUsers: a user may be in all weeks, so one grant has the noise of all, and the ε is that of the plan only
// when all are released. Groups have rows of their own.
func TestWeeklyUsers(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	weeks(t, filepath.Join(folder, "all.jsonl"), steady(0), steady(0), steady(0))
	write(t, folder, "groups.txt", "web\n")
	write(t, folder, "seeds.txt", "payments: card payment transfer\nsmartwatches: smartwatch\n")
	command := weekly + "--unit user --epsilon 2 --for 3 --columns label=label --groups groups.txt --seeds seeds.txt "
	run(t, folder, command+"--now 2025-01-20 all.jsonl out")
	half := run(t, folder, "account report --delta 1e-6 out/private/run.ledger | sed -n 2p")
	// With --learn each week has two releases, under grants that are charged in turn.
	learn := weekly + "--unit user --learn --epsilon 2 --for 3 "
	run(t, folder, learn+"--now 2025-01-13 all.jsonl learn")
	run(t, folder, learn+"--now 2025-02-02 all.jsonl learn")
	if r := run(t, folder, "account report --delta 1e-6 learn/private/run.ledger | sed -n 2p"); !strings.HasPrefix(r,
		"pld         2  1e-06") || !strings.Contains(r, "user  ") || !strings.HasSuffix(r, " 6\n") {
		t.Errorf("six releases of three weeks cost %s; want 2", r)
	}
	run(t, folder, command+"--now 2025-02-02 all.jsonl out")
	whole := run(t, folder, "account report --delta 1e-6 out/private/run.ledger | sed -n 2p")
	if !strings.HasPrefix(half, "pld         1.") || !strings.HasPrefix(whole, "pld         2  1e-06") {
		t.Errorf("two weeks cost %s, three %s; want below 2, and 2", half, whole)
	}
	series := read(t, filepath.Join(folder, "out/public/series.csv"))
	for _, want := range []string{"window,group,topic,name,users,", "2025-W03,web,all,", "2025-W04,other,none,",
		"2025-W02,web,0,payments,", "2025-W02,web,1,smartwatches,"} {
		if !strings.Contains(series, want) {
			t.Errorf("no %s in\n%s", want, series)
		}
	}
}

// TestWeeklyTrains: the topics are trained on the documents before the first week, which is a data set of its own.
func TestWeeklyTrains(t *testing.T) {
	testkit.Deep(t, "operations")
	folder := t.TempDir()
	var counts [][]int
	for range 10 {
		counts = append(counts, steady(0))
	}
	weeks(t, filepath.Join(folder, "all.jsonl"), counts...)
	run(t, folder, strings.Replace(weekly, "2025-01-06", "2025-03-03", 1)+
		"--topics 4 --for 2 --now 2025-03-17 all.jsonl out")
	report := run(t, folder, "account report --delta 1e-6 out/private/run.ledger")
	// Documents of the training are in no week, whatever their date is now.
	run(t, folder, `sed 's/"made":"2025-0[12]-[0-9T:]*Z"/"made":"2025-03-20"/' all.jsonl >moved.jsonl`)
	ends(t, folder, strings.Replace(weekly, "2025-01-06", "2025-03-03", 1)+
		"--topics 4 --for 3 --now 2025-03-24 moved.jsonl out", 80, "begun with --for 2")
	ends(t, folder, strings.Replace(weekly, "2025-01-06", "2025-03-03", 1)+
		"--topics 4 --for 2 --now 2025-03-16 all.jsonl out", 0, "2 of 2")
	if ids := run(t, folder, "grep -n '^from - until' out/private/seen"); ids == "" {
		t.Error("no ids of the training are kept")
	}
	if !strings.Contains(report, "\nbefore    ") || !strings.Contains(report, "\npld         1 ") {
		t.Errorf("the training is no data set of its own, or ε is not 1:\n%s", report)
	}
}

// TestTopicsOfOnesOwn: a model begins with the topics of a list, which keep their numbers and names. Their words are
// chosen though they are rare.
func TestTopicsOfOnesOwn(t *testing.T) {
	t.Parallel()
	folder := seeded.Folder(t, seeded.Chance{Seed: 1, Rate: 1e-3,
		Margin: "at ε 8 the words of a theme have hundreds of counts, and the noise is about 2"})
	weeks(t, filepath.Join(folder, "all.jsonl"), steady(60), steady(60), steady(60))
	run(t, folder, `sed -i '0,/"id":"0-2-/s/card/smartwatch/' all.jsonl`)
	write(t, folder, "seeds.txt", "payments: card payment transfer smartwatch\r\n# food\nsnacks: pizza beer cheese\n")
	run(t, folder, filepath.Join(root, "pipelines/recipes/lda.sh")+" --topics 5 --epsilon 8 --unit document --force "+
		"--rounds 16 --seeds seeds.txt all.jsonl out")
	topics := run(t, folder, "evaluate topics --top 4 --csv out/public/model.pp")
	for _, want := range []string{
		"(?m)^0,.*,(card|account|credit|transfer|payment|money|bank|cash|balance),.*,payments$",
		"(?m)^1,.*,(beer|pizza|wine|cheese|sugar|food|drink|milk|chicken|taste),.*,snacks$",
	} {
		if n := len(regexp.MustCompile(want).FindAllString(topics, -1)); n < 3 {
			t.Errorf("%d of 4 leading words are %s:\n%s", n, want, topics)
		}
	}
	words := read(t, filepath.Join(folder, "out/public/vocabulary.txt"))
	if !strings.Contains(words, "\nsmartwatch\n") {
		t.Error("a word of the list is not in the vocabulary")
	}
	if page := read(t, filepath.Join(folder, "out/public/report.html")); !strings.Contains(page, "snacks: <span") {
		t.Error("the page does not name the topic")
	}
}

// TestYearOfWeeks runs the recipe through a year: it is killed at random moments, weeks are missed, and once the ledger
// is put back from a backup, which stops it until the newest is there again. At the end each week has one release, and
// the ε is that of the plan.
func TestYearOfWeeks(t *testing.T) {
	testkit.Deep(t, "operations")
	folder := t.TempDir()
	var counts [][]int
	for range 52 {
		counts = append(counts, steady(0))
	}
	weeks(t, filepath.Join(folder, "all.jsonl"), counts...)
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	command := strings.Replace(weekly, "--for 8", "--for 52", 1) + "--epsilon 0.5 "
	kills := 0
	for week := 1; week <= 52; week++ {
		if r.IntN(5) == 0 && week != 26 && week != 40 && week < 52 {
			continue // a missed run
		}
		now := time.Date(2025, 1, 6, 0, 0, 0, 0, time.UTC).AddDate(0, 0, 7*week).Format(time.DateOnly)
		for range 2 { // killed at once, with all its stages
			s := bash(folder, fmt.Sprintf(`setsid bash -c '%s--now %s all.jsonl out' & sleep 0.%03d; kill -KILL -- -$!; wait`,
				command, now, r.IntN(900)))
			s.Run()
			kills++
		}
		if week == 26 {
			run(t, folder, command+"--now "+now+" all.jsonl out && cp -rp out/private backup")
		}
		if week == 40 {
			run(t, folder, command+"--now "+now+" all.jsonl out; cp -rp out/private newest; "+
				"cp -p backup/run.ledger out/private/run.ledger")
			ends(t, folder, command+"--now 2026-01-05 all.jsonl out", 90, "put back from a backup")
			run(t, folder, "rm -r out/private; cp -rp newest out/private")
		}
		run(t, folder, command+"--now "+now+" all.jsonl out")
	}
	report := run(t, folder, "cd out/private; account verify run.ledger; account report --delta 1e-6 run.ledger")
	if !strings.Contains(report, "\npld         0.5  ") || !strings.Contains(report, "document  52\n") {
		t.Errorf("after %d kills the year is not 52 releases of ε 0.5:\n%s", kills, report)
	}
	if n := len(moved(t, folder)); n > 0 {
		t.Errorf("%d alarms in a steady year, where one has a probability of 52e-6", n)
	}
}
