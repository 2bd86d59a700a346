//go:build !pipes

package network

import (
	_ "privpipe/pipelines/endpoint/kafka"
	_ "privpipe/pipelines/metrics/serve"
)
