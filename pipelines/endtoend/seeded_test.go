package endtoend

import (
	"testing"

	"privpipe/pipelines/testkit/seeded"
)

func TestX(t *testing.T) {
	folder := seeded.Folder(t, seeded.Chance{Seed: 1})
	comments(t, folder)
	t.Log(run(t, folder, `head -n 1500 comments.jsonl >c.jsonl; head -c 32 /dev/urandom | od -x; head -c 32 /dev/urandom >key; od -x key
`+root+`/pipelines/recipes/lda.sh --topics 3 --rounds 4 c.jsonl out 2>&1; (show out/model.pp | tail -n 2 | cksum); head -n 3 out/run.ledger
`+root+`/pipelines/recipes/papers/sub-lda.sh --level word --topics 3 --rounds 3 c.jsonl sub 2>&1; (show sub/model.pp | cksum)
show out/topics.pp 2>/dev/null || ls -la out`))
}
