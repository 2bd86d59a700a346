package release

import (
	"math"
	"testing"

	"privpipe/pipelines/event"
)

// TestOverflowOfTwoCells: two cells that overflow by one contribution do not hide each other, and the round has no sum.
func TestOverflowOfTwoCells(t *testing.T) {
	r := collector(t, clipping(event.ClipBatch, 2))
	if err := r.AddPart(keyBytes("a"), 1, 0, []int64{math.MaxInt64, math.MaxInt64, 0, 0, 0, 0}); err != nil {
		t.Fatal(err)
	}
	wantCode(t, put(r, "u", "", 1, 1, 0, 0, 0, 0), 90)
	_, _, err := r.Sum(r.round.taken)
	wantCode(t, err, 90)
}

// TestOverflowByAUser: the records of a user are added when the round closes, and an overflow there ends it, too.
func TestOverflowByAUser(t *testing.T) {
	r := collector(t, clipping(event.ClipBatch, 2), users)
	if err := r.AddPart(keyBytes("a"), 1, 0, []int64{math.MaxInt64, 0, 0, 0, 0, 0}); err != nil {
		t.Fatal(err)
	}
	if err := put(r, "u", "1", 1, 0, 0, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	_, _, err := r.Sum(r.round.taken)
	wantCode(t, err, 90)
}
