#!/usr/bin/env bash
# Runs a real Kafka broker on loopback, for tests and to try things out.
#
# It is Apache Kafka in KRaft mode: one node, no container.
#
#   broker.sh start [--secure] DIR   prints HOST:PORT once it serves; DIR keeps its data, its log and what is fetched
#   broker.sh stop DIR               ends it as an operator would; its data stay
#   broker.sh kill DIR               kills it as a crash would
#   broker.sh pause DIR              lets it answer nobody, as a cut network would, until: broker.sh resume DIR
#   broker.sh fetch DIR              only fetches the programs
#
# It wants Java 17 and Maven. PRIVPIPE_KAFKA_VERSION is 4.1, or 3.9; a DIR stays with one of them.
# PRIVPIPE_KAFKA_JARS names a folder of the jars of that version, which several DIRs share. There is no access control:
# whoever is on this machine may read and write it. With --secure, which a new DIR takes, it also listens with TLS and a
# password and prints that HOST:PORT as a second line; DIR/client.json is the file for PRIVPIPE_KAFKA_CONFIG. That wants
# openssl 3.
set -euo pipefail
export LC_ALL=C
umask 077

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; }
fail() {
  echo "broker.sh: error: $1" >&2
  exit "${2:-80}"
}
[[ ${1:-} != -h && ${1:-} != --help ]] || { usage; exit; }
command=${1:-} secure=
if [[ ${1:-} == start && ${2:-} == --secure ]]; then
  secure=yes
  shift
fi
[[ $# == 2 ]] || fail "wants one of start, stop, kill, pause, resume, fetch, and a folder, see --help"
mkdir -p -- "$2" 2>/dev/null || fail "cannot make the folder $2" 82
folder=$(cd "$2" && pwd -P)
jars=${PRIVPIPE_KAFKA_JARS-$folder/jars}
version=${PRIVPIPE_KAFKA_VERSION-4.1}
[[ $2 && $jars ]] || fail "a folder is given as nothing: DIR or PRIVPIPE_KAFKA_JARS"
case $version in
  4.1) release=4.1.1 ;;
  3.9) release=3.9.2 ;;
  *) fail "PRIVPIPE_KAFKA_VERSION=$version, must be 4.1 or 3.9" ;;
esac
pinned=$here/jars-$version.sha256
# Java gives a meaning to some other characters in the names of folders.
[[ $folder$jars =~ ^[[:alnum:]/._+@-]+$ ]] || fail "a path may have letters, digits and /._+@- only, not so: $folder, $jars"

# fetch gets the jars, all of them or none, and checks each.
fetch() {
  if [[ ! -d $jars ]]; then
    local fresh
    mkdir -p -- "$(dirname "$jars")"
    fresh=$(mktemp -d -p "$(dirname "$jars")") # on the same disk, to be renamed
    if ! mvn -q -B -f "$here/pom.xml" -Dkafka="$release" dependency:copy-dependencies -DincludeScope=runtime \
      -DoutputDirectory="$fresh" >"$folder/maven.log" 2>&1; then
      rm -rf -- "$fresh"
      fail "Maven could not fetch the broker, see $folder/maven.log" 82
    fi
    chmod -R a+rX -- "$fresh"
    mv -T -- "$fresh" "$jars" 2>/dev/null || rm -rf -- "$fresh" # another was quicker
  fi
  (cd "$jars" && sha256sum -- *) | cmp -s - "$pinned" || fail "$jars holds other files than ${pinned##*/}" 90
}

# ports prints the first of three ports in a row that nobody listens on, below those that the system deals out. They are
# kept for later starts, so that clients find a broker again.
ports() {
  local first port
  while first=$((10240 + RANDOM % 20000)); do
    for port in "$first" $((first + 1)) $((first + 2)); do
      if (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then continue 2; fi
    done
    echo "$first"
    return
  done
}

# format makes the properties and an empty data folder.
format() {
  local first unfinished=$folder/server.properties.unfinished scram=()
  first=$(ports)
  sed "s|@BROKER@|127.0.0.1:$first|; s|@CONTROLLER@|127.0.0.1:$((first + 1))|; s|@SECURE@|127.0.0.1:$((first + 2))|
    s|@FOLDER@|$folder|" "$here/server.properties" ${secure:+"$here/secure.properties"} >"$unfinished"
  if [[ $secure ]]; then
    credentials
    scram=(--add-scram "@$folder/scram") # a file, since everyone on the machine can read arguments
  fi
  rm -rf -- "$folder/data"
  java -cp "$jars/*" kafka.tools.StorageTool format -c "$unfinished" "${scram[@]}" \
    -t "$(head -c 16 /dev/urandom | base64 | tr +/ ab | head -c 22)" >"$folder/format.log" 2>&1 ||
    fail "cannot format $folder/data, see $folder/format.log" 100
  rm -f -- "$folder/scram"
  mv -- "$unfinished" "$folder/server.properties"
}

# credentials makes an authority, the broker's certificate by it, a password, and the client's file of these.
credentials() {
  local password key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650)
  password=$(head -c 16 /dev/urandom | base64 | tr -d +/=)
  (
    cd "$folder"
    openssl req -x509 "${key[@]}" -subj /CN=privpipe-test-authority -keyout authority.key -out ca.pem
    openssl req -x509 "${key[@]}" -subj /CN=127.0.0.1 -CA ca.pem -CAkey authority.key -keyout server.key -out server.crt \
      -addext subjectAltName=IP:127.0.0.1,DNS:localhost -addext basicConstraints=critical,CA:FALSE
    cat server.key server.crt ca.pem >server.pem
    rm -f authority.key server.key server.crt
  ) 2>"$folder/openssl.log" || fail "cannot make certificates, see $folder/openssl.log" 82
  echo "SCRAM-SHA-512=[name=privpipe,password=$password]" >"$folder/scram"
  printf '{"tls":{"ca":"ca.pem"},"sasl":{"mechanism":"SCRAM-SHA-512","username":"privpipe","password":"%s"}}\n' "$password" \
    >"$folder/client.json"
}

start() {
  [[ -w $folder ]] || fail "cannot write in the folder $folder" 82
  fetch
  # The broker inherits the lock and so holds it for as long as it lives. The process with the stored id may be another one by now.
  exec {lock}>"$folder/lock"
  flock -n "$lock" || fail "a broker of $folder runs already, at $(sed -n 's/^listeners=PLAINTEXT:\/\/\([^,]*\),.*/\1/p' "$folder/server.properties")" 91
  rm -f -- "$folder/pid"
  [[ -e $folder/server.properties ]] || format
  [[ -z $secure || -e $folder/client.json ]] || fail "$folder was begun without --secure: take another folder"
  [[ ! -e $folder/broker.log ]] || mv -- "$folder/broker.log" "$folder/broker.log.before"
  # Only the quick compiler: it starts in half the time.
  nohup java -Xmx512m -Xms128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dlog4j2.level=INFO -cp "$jars/*" \
    kafka.Kafka "$folder/server.properties" >"$folder/broker.log" 2>&1 </dev/null &
  local pid=$!
  echo "$pid" >"$folder/pid"
  local log size=
  for ((quiet = 0; quiet < 1200; quiet++)); do
    kill -0 "$pid" 2>/dev/null || fail "the broker ended, see $folder/broker.log" 100
    if grep -qs 'Kafka Server started' "$folder/broker.log"; then
      sed -n 's|^advertised.listeners=PLAINTEXT://\([^,]*\)$|\1|p; s|^advertised.listeners=.*SASL_SSL://||p' \
        "$folder/server.properties"
      return
    fi
    log=$(stat -c %s "$folder/broker.log" 2>/dev/null || true)
    [[ $log == "$size" ]] || quiet=0 size=$log
    sleep 0.05
  done
  kill -KILL "$pid"
  fail "the broker did not start, and logged nothing for a minute, see $folder/broker.log" 100
}

running() { ! flock -n "$folder/lock" true; }

# signal NAME sends a signal to the broker, which must run.
signal() {
  running || fail "no broker of $folder runs" 82
  kill "-$1" "$(<"$folder/pid")"
}

# pause stops the broker, and returns when each of its threads stands: until then one may still answer a request.
pause() {
  signal STOP
  for ((i = 0; i < 1000; i++)); do
    [[ $(grep -L '^State:[[:space:]]*T' "/proc/$(<"$folder/pid")/task"/*/status 2>/dev/null) ]] || return 0
    sleep 0.02
  done
  fail "the broker of $folder does not stand still" 100
}

# end NAME ends the broker, if it runs, by a signal, and waits.
end() {
  running || return 0
  [[ $1 == KILL ]] || signal CONT # or else a paused one would never end
  signal "$1"
  flock "$folder/lock" true
}

case $command in
  fetch) fetch ;;
  start) start ;;
  stop) end TERM ;;
  kill) end KILL ;;
  pause) pause ;;
  resume) signal CONT ;;
  *) fail "unknown command $command, see --help" ;;
esac
