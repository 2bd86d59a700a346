#!/usr/bin/env bash
# Generates wire.pb.go from wire.proto. Needs a Python with grpcio-tools, which contains protoc: python3, or the one that PYTHON names.
set -euo pipefail
cd "$(dirname "$0")/../.."
plugin=$(mktemp -d)
trap 'rm -r "$plugin"' EXIT
GOBIN=$plugin go install google.golang.org/protobuf/cmd/protoc-gen-go # of the version in go.mod
PATH="$plugin:$PATH" "${PYTHON:-python3}" -m grpc_tools.protoc \
  --proto_path=pipelines/wire --go_out=. --go_opt=module=privpipe pipelines/wire/wire.proto
