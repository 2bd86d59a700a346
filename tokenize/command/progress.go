package command

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"privpipe/pipelines/filter"
	"privpipe/pipelines/progress"
	"privpipe/tokenize/internal/name"
	"privpipe/tokenize/internal/source"
)

// show shows on a terminal how much of the input is read, and how many documents were in it.
func show(r *filter.Run, output string, in *source.Reader) *progress.Meter {
	meter := newMeter()
	meter.Total.Store(in.Measure(&meter.Done))
	r.Show(output, meter.Line)
	warnLeft(r, in.Left())
	return meter
}

// warnLeft says which kinds of files in folders are left out. The number of these files depends on private data, and
// their names are names of documents. Numbers and names are shown only with --private-logs.
func warnLeft(r *filter.Run, left map[string][]string) {
	if len(left) == 0 {
		return
	}
	kinds := slices.Sorted(maps.Keys(left))
	if r.Private() {
		for i, kind := range kinds {
			for _, path := range left[kind] {
				r.Log.Warn("left out " + name.OfPath(path))
			}
			kinds[i] = fmt.Sprintf("%d %s", len(left[kind]), kind)
		}
	}
	r.Log.Warn(fmt.Sprintf("files of no known extension are left out of folders: %s; --format reads all",
		strings.Join(kinds, ", ")))
}

func newMeter() *progress.Meter { return &progress.Meter{Name: "tokenize", Unit: progress.Bytes} }
