package topics

import (
	"testing"

	_ "privpipe/pipelines/endpoint/kafka" // the tests look at topics themselves, too
	"privpipe/pipelines/testkit/stages"
)

func TestMain(m *testing.M) { stages.Main(m) }
