#!/usr/bin/env bash
# A real Kafka broker on loopback, for tests and to try things out: Apache Kafka in KRaft mode, one node, no container.
#
#   broker.sh start DIR     prints HOST:PORT once it answers; DIR keeps its data, its log and what is fetched
#   broker.sh stop DIR      ends it as an operator would; its data stay
#   broker.sh kill DIR      kills it as a crash would
#   broker.sh fetch DIR     only fetches the programs
#
# It wants Java 17 and Maven. PRIVPIPE_KAFKA_JARS names a folder of jars that several DIRs share. There is no access control:
# whoever is on this machine may read and write it.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; }
fail() {
  echo "broker.sh: error: $1" >&2
  exit "${2:-80}"
}
[[ ${1:-} != -h && ${1:-} != --help ]] || { usage && exit; }
[[ $# == 2 ]] || fail "wants one of start, stop, kill, fetch and a folder, see --help"
command=$1
mkdir -p -- "$2"
folder=$(cd "$2" && pwd -P)
jars=${PRIVPIPE_KAFKA_JARS:-$folder/jars}

# fetch gets the jars, all of them or none, and checks each.
fetch() {
  if [[ ! -d $jars ]]; then
    local fresh
    fresh=$(mktemp -d "$jars.XXXXXX")
    mvn -q -B -f "$here/pom.xml" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$fresh" \
      >"$folder/maven.log" 2>&1 || fail "Maven could not fetch the broker, see $folder/maven.log" 82
    chmod 755 "$fresh"
    mv -T -- "$fresh" "$jars" 2>/dev/null || rm -rf -- "$fresh" # another was quicker
  fi
  (cd "$jars" && sha256sum --check --quiet --strict "$here/jars.sha256") >&2 || fail "$jars holds other jars than jars.sha256" 90
}

java_of() { java -cp "$jars/*" "$@"; }

running() { [[ -s $folder/pid ]] && kill -0 "$(<"$folder/pid")" 2>/dev/null; }

# free prints two ports that nobody listens on. They are kept for later starts, so that clients find a broker again.
free() {
  python3 - <<'PY'
import socket
both = [socket.socket() for _ in range(2)]
for s in both:
    s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in both))
PY
}

start() {
  fetch
  ! running || fail "a broker of $folder runs already"
  if [[ ! -s $folder/server.properties ]]; then
    read -r broker controller < <(free)
    sed "s|@BROKER@|127.0.0.1:$broker|g; s|@CONTROLLER@|127.0.0.1:$controller|g; s|@DATA@|$folder/data|" \
      "$here/server.properties" >"$folder/server.properties.tmp"
    java_of kafka.tools.StorageTool format -g -t "$(java_of kafka.tools.StorageTool random-uuid 2>/dev/null)" \
      -c "$folder/server.properties.tmp" >"$folder/format.log" 2>&1 || fail "cannot format $folder/data, see $folder/format.log" 100
    mv "$folder/server.properties.tmp" "$folder/server.properties"
  fi
  nohup java -Xmx512m -Xms128m -XX:+UseSerialGC -cp "$jars/*" kafka.Kafka "$folder/server.properties" \
    >>"$folder/broker.log" 2>&1 </dev/null &
  echo $! >"$folder/pid"
  local address
  address=$(sed -n 's|^advertised.listeners=PLAINTEXT://||p' "$folder/server.properties")
  for ((i = 0; i < 600; i++)); do
    running || fail "the broker ended, see $folder/broker.log" 100
    if (echo >"/dev/tcp/${address/://}") 2>/dev/null; then
      echo "$address"
      return
    fi
    sleep 0.1
  done
  fail "the broker does not answer after a minute, see $folder/broker.log" 100
}

# end sends a signal and waits.
end() {
  running || return 0
  local pid
  pid=$(<"$folder/pid")
  kill "-$1" "$pid"
  while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
  rm -f "$folder/pid"
}

case $command in
  fetch) fetch ;;
  start) start ;;
  stop) end TERM ;;
  kill) end KILL ;;
  *) fail "unknown command $command, see --help" ;;
esac
