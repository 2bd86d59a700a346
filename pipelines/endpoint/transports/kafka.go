//go:build !pipes

package transports

import _ "privpipe/pipelines/endpoint/kafka"
