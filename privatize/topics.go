//go:build !pipes

package main

import _ "privpipe/pipelines/endpoint/kafka" // topics; no server of metrics, since privatize opens no port
