package topics

import (
	"testing"

	"privpipe/pipelines/testkit/stages"
)

func TestMain(m *testing.M) { stages.Main(m) }
