#!/usr/bin/env bash
# Makes wire.pb.go anew from wire.proto. Needs a Python with grpcio-tools, which carries protoc: python3, or PYTHON.
set -euo pipefail
cd "$(dirname "$0")/../.."
plugin=$(mktemp -d)
trap 'rm -r "$plugin"' EXIT
GOBIN=$plugin go install google.golang.org/protobuf/cmd/protoc-gen-go # of the version in go.mod
PATH="$plugin:$PATH" "${PYTHON:-python3}" -m grpc_tools.protoc \
  --proto_path=pipelines/wire --go_out=. --go_opt=module=privpipe pipelines/wire/wire.proto
