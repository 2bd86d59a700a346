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

// A training is a scenario of all five stages over pipes, with a FIFO that leads the parameters back.
type training struct {
	sample, estep, privatize, mstep string
	grant                           *event.Grant // nil: the ledger needs none
}

// noisy is a training of topics with noise. Documents take part by chance.
func noisy() training {
	topics := []event.Matrix{{Name: "topics", Rows: 2, Columns: len(publicWords)}}
	return training{"--poisson 0.5", "lda", "gaussian --grant " + grantName, "lda --topics 2", &event.Grant{
		Version: event.GrantVersion, ID: "grant", Mechanism: event.Gaussian, Adjacency: event.AddRemove,
		Unit: event.Document, Clip: 1, NoiseMultiplier: 1, Releases: wallRounds,
		Scheme: event.Scheme{Method: event.Poisson, Rate: 0.5, Rounds: wallRounds, Secret: true},
		Subject: event.Subject{Model: "lda", Vocabulary: hex.EncodeToString(publicWords.Hash()),
			VocabularySize: len(publicWords), Matrices: topics},
	}}
}

// chained is a training where documents keep their topics from round to round, in a state of estep.
var chained = training{"--all --run chain", "gibbs --keep --top-topics 0 --word-weight count --norm 0 " +
	"--statistic counts --state /wall/state.pp --secret /wall/key", "none --run chain",
	"counts --topics 3 --seed 1 --denoise floor --statistic counts --run chain", nil}

func (o training) scenario() *simulation.Scenario {
	stages := []simulation.Stage{
		stage(tokenize.Program, "text --vocab /vocab.txt /texts.jsonl"),
		stage(sample.Program, fmt.Sprintf("-q --rounds %d ", wallRounds)+o.sample),
		stage(estep.Program, o.estep+" --params /params"),
		stage(privatize.Program, o.privatize+" -q --ledger "+ledgerName),
		stage(mstep.Program, o.mstep+" --vocab /vocab.txt --params-out /params -o "+modelName),
	}
	var undisturbed []byte
	return &simulation.Scenario{Faults: simulation.Usual,
		Prepare: func(w *simulation.World) ([]simulation.Job, func() error) {
			begin(w.Machine)
			w.Longest = time.Second // a stage looks at a FIFO every five milliseconds
			w.Machine.Put("/texts.jsonl", texts())
			w.Machine.Put("/vocab.txt", []byte(strings.Join(publicWords, "\n")+"\n"))
			w.Machine.Put("/wall/key", make([]byte, 32))
			if o.grant != nil {
				grant, err := json.Marshal(o.grant)
				if err != nil {
					panic(err)
				}
				w.Machine.Put(grantName, grant)
			}
			watch := simulation.Watch(w, ledgerName, canary)
			again := w.Seed%2 == 0 || o.grant == nil
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
			job := simulation.Job{Stages: stages, Before: before}
			if o.grant == nil { // without a checkpoint the state of estep, of the last round, is of no use
				job.Done = func() bool {
					return w.Machine.Files.At(modelName) != nil && w.Machine.Files.At(modelName+".checkpoint") == nil
				}
			}
			return []simulation.Job{job}, func() error {
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
