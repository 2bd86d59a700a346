//go:build !pipes

package network

import (
	_ "privpipe/pipelines/metrics/serve"
	_ "privpipe/pipelines/network/topics"
)
