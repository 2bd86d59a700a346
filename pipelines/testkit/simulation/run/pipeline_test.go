package run

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	estep "privpipe/estep/command"
	mstep "privpipe/mstep/command"
	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit/simulation"
	"privpipe/pipelines/testkit/simulation/system"
	"privpipe/pipelines/vocabulary"
	privatize "privpipe/privatize/command"
	sample "privpipe/sample/command"
	tokenize "privpipe/tokenize/command"
)

// Public words, and texts that also have private ones.
var publicWords = vocabulary.Words{"apple", "fig", "lime", "pear", "plum"}

func texts() []byte {
	var b bytes.Buffer
	for i := range 10 {
		var words []string
		for j := range 6 {
			words = append(words, publicWords[(i*j+i/2)%len(publicWords)])
		}
		fmt.Fprintf(&b, `{"id":"%s%d","text":"%s %[1]s"}`+"\n", canary, i, strings.Join(words, " "))
	}
	return b.Bytes()
}

const modelName = "/out/model.pp"

// training is the scenario of all five stages over pipes, with a FIFO that leads the parameters back.
func training() *simulation.Scenario {
	scheme := event.Scheme{Method: event.Poisson, Rate: 0.5, Rounds: wallRounds, Secret: true}
	grant, err := json.Marshal(&event.Grant{
		Version: event.GrantVersion, ID: "grant", Mechanism: event.Gaussian, Adjacency: event.AddRemove,
		Unit: event.Document, Clip: 1, NoiseMultiplier: 1, Scheme: scheme, Releases: wallRounds,
		Subject: event.Subject{Model: "lda", Vocabulary: hex.EncodeToString(publicWords.Hash()), VocabularySize: len(publicWords),
			Matrices: []event.Matrix{{Name: "topics", Rows: 2, Columns: len(publicWords)}}},
	})
	if err != nil {
		panic(err)
	}
	stages := []simulation.Stage{
		stage(tokenize.Program, "text --vocab /vocab.txt /texts.jsonl"),
		stage(sample.Program, fmt.Sprintf("--poisson 0.5 --rounds %d", wallRounds)),
		stage(estep.Program, "lda --params /params"),
		stage(privatize.Program, "gaussian --grant "+grantName+" --ledger "+ledgerName),
		stage(mstep.Program, "lda --topics 2 --vocab /vocab.txt --params-out /params -o "+modelName),
	}
	var undisturbed []byte
	return &simulation.Scenario{Faults: simulation.Usual,
		Prepare: func(w *simulation.World) ([]simulation.Job, func() error) {
			begin(w.Machine)
			w.Longest = time.Second // a stage looks at a FIFO every five milliseconds
			w.Machine.Put("/texts.jsonl", texts())
			w.Machine.Put("/vocab.txt", []byte(strings.Join(publicWords, "\n")+"\n"))
			w.Machine.Put(grantName, grant)
			watch := simulation.Watch(w, ledgerName, canary)
			again := w.Seed%2 == 0
			if again {
				w.Coins.Seed = 0
				w.Coins.Again = func(program string) int {
					if program != privatize.Program.Name {
						return 0
					}
					return charges(w.Machine.Files.At(ledgerName).Content)
				}
			}
			before := func() { w.Machine.PutFIFO("/params", system.NewPipe("/params", 4<<10)) }
			return []simulation.Job{{Stages: stages, Before: before}}, func() error {
				err := errors.Join(watch.Ended(wallRounds), tidy(w), whole(w.Machine, modelName))
				if err != nil || !again {
					return err
				}
				model := w.Machine.Files.At(modelName).Content
				if undisturbed == nil {
					undisturbed = model
				} else if !bytes.Equal(undisturbed, model) {
					err = errors.New("another model than without faults")
				}
				return err
			}
		}}
}
