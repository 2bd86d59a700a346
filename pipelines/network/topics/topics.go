//go:build !pipes

package topics

import _ "privpipe/pipelines/endpoint/kafka"
