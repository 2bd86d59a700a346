#!/usr/bin/env bash
# Makes wire.pb.go anew from wire.proto. Needs python3 with grpcio-tools (it carries protoc) and protoc-gen-go on PATH.
set -euo pipefail
cd "$(dirname "$0")/../.."
PATH="$(go env GOPATH)/bin:$PATH" "${PYTHON:-python3}" -m grpc_tools.protoc \
  --proto_path=pipelines/wire --go_out=. --go_opt=module=privpipe pipelines/wire/wire.proto
