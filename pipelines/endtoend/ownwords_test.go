package endtoend

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
)

// TestOwnWords runs the commands of ACCOUNTING.md's section on words that no dictionary has, with two rounds. All 1,500
// customers write stop words and words of the dictionary. 500 customers write the name of one product, and 5 customers
// write another name. Only the product's name is released: 500 and 5 are 20 and 5 deviations of the noise from the
// threshold. The topics have the product's name.
func TestOwnWords(t *testing.T) {
	testkit.Deep(t, "documents")
	folder := t.TempDir()
	page := read(t, filepath.Join(root, "account/ACCOUNTING.md"))
	_, section, _ := strings.Cut(page, "### Words that no dictionary has\n")
	block := regexp.MustCompile("(?s)```sh\n(.*?)```").FindStringSubmatch(section)
	if block == nil || !strings.Contains(block[1], " --topics 10 ") {
		t.Fatalf("the section has no commands: %.200s", section)
	}
	var tickets strings.Builder
	tickets.WriteString("user,text\n")
	for i := range 3000 {
		name := ""
		switch customer := i % 1500; {
		case customer%3 == 0:
			name = "Fluxotron"
		case customer < 10:
			name = "Zenblade"
		}
		fmt.Fprintf(&tickets, "c%d,the printer and the computer should always print this page %s\n", i%1500, name)
	}
	write(t, folder, "tickets.csv", tickets.String())
	run(t, folder, fmt.Sprintf("ln -s %q pipelines\n", filepath.Join(root, "pipelines"))+
		strings.Replace(block[1], " --topics 10 ", " --topics 2 --rounds 2 ", 1))
	if own := read(t, filepath.Join(folder, "own.txt")); own != "fluxotron\n" {
		t.Errorf("released %q", own)
	}
	words := strings.Fields(read(t, filepath.Join(folder, "out/public/vocabulary.txt")))
	if !slices.Contains(words, "fluxotron") || !slices.Contains(words, "printer") {
		t.Error("the topics lack fluxotron or printer")
	}
}
