package main

import (
	"fmt"

	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
)

// membershipFiles are what two shadow models and an attacked one say of twenty documents. Each is surer of its members.
// The first shadow model was trained on documents 0 to 9, the second on the others, the attacked one on the even ones.
func membershipFiles() map[string][]byte {
	class := vocabulary.Words{"1"}
	files := make(map[string][]byte)
	add := func(name string, side wire.Side, member func(d int) bool, sure, unsure float32) {
		for part, in := range map[string]bool{"in": true, "out": false} {
			var predictions, scores []*wire.Record
			for d := range 20 {
				if member(d) != in {
					continue
				}
				p := unsure
				if in {
					p = sure
				}
				p += float32(d%5) / 1000 // documents differ
				truth := []uint32{0}
				if d%3 == 0 { // of the other class
					p, truth = 1-p, nil
				}
				record := prediction(0, fmt.Sprint(len(truth)), truth, p)
				record.GetPrediction().Id = fmt.Sprint("MARKER-", d)
				predictions = append(predictions, record)
				likelihood := -5.0
				if in {
					likelihood = -4
				}
				scores = append(scores, &wire.Record{Body: &wire.Record_Score{Score: &wire.Score{
					Id: fmt.Sprint("MARKER-", d), Tokens: 10, PlugIn: 10*likelihood - float64(d%5),
				}}})
			}
			files[name+"-"+part+".pp"] = predicted(side, false, class, predictions...)
			files[name+"-scores-"+part+".pp"] = encode(wire.Kind_SCORES, side, false, nil, scores...)
		}
	}
	add("shadow1", wire.Side_PUBLIC, func(d int) bool { return d < 10 }, 0.9, 0.6)
	add("shadow2", wire.Side_PUBLIC, func(d int) bool { return d >= 10 }, 0.89, 0.62)
	add("target", wire.Side_PUBLIC, func(d int) bool { return d%2 == 0 }, 0.91, 0.58)
	add("private", wire.Side_PRIVATE, func(d int) bool { return d%2 == 0 }, 0.91, 0.58)
	return files
}
