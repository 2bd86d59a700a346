#!/usr/bin/env bash
# Trains a private topic model as three users, one for each side of the privacy wall.
#
# It shows that no user can open files of another side. For root on any Linux, without systemd. It makes no accounts: its users
# are numbers without an account.
#
#   wall.sh [--epsilon 1] [--delta 1e-6] [--rounds 80] [--topics 10] TEXT OUT
#
# TEXT is a file of JSON Lines {"id","text"}. OUT is a new folder that other users can reach. It gets the files that a machine
# with systemd has in /etc, /run, /usr/local and /var (see README.md). The model is OUT/var/lib/privpipe-model/model.pp.
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../stages.sh"

epsilon=1 delta=1e-6 rounds=80 topics=10
take "epsilon delta rounds topics" "$@"
[[ ${#arguments[@]} == 2 ]] || fail "wants TEXT and OUT, see --help"
text=${arguments[0]} out=${arguments[1]}
[[ -f $text ]] || fail "no such text: $text"
[[ ! -e $out ]] || fail "$out is there already"
((EUID == 0)) || fail "must be root, to start programs as other users"
type -P setpriv >/dev/null || fail "needs setpriv, of util-linux"

# The numbers of all users, and of their groups.
declare -A id=([root]=0 [privpipe-private]=60001 [privpipe-wall]=60002 [privpipe-model]=60003 [outsider]=60004)
for user in privpipe-private privpipe-wall privpipe-model outsider; do
  ! getent passwd "${id[$user]}" || fail "user ${id[$user]} is somebody's"
done

surprise() {
  echo "wall: $1" >&2
  exit 1
}

# become USER COMMAND… executes a command as a user without other groups and without capabilities, and with no way to gain them.
become() {
  local number=${id[$1]}
  shift
  exec setpriv --reuid "$number" --regid "$number" --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs -- "$@"
}

# cannot USER read|write FILE… expects that a user is denied opening files.
cannot() {
  local user=$1 how=$2 file open said
  shift 2
  for file; do
    [[ -e $file ]] || surprise "there is no $file"
    case $how in
      read) open=(if="$file" iflag=nonblock count=0) ;;
      write) open=(if=/dev/null of="$file" oflag=nonblock conv=notrunc) ;;
    esac
    said=$( (become "$user" dd "${open[@]}") 2>&1) && surprise "$user can $how $file"
    [[ $said == *"Permission denied"* ]] || surprise "$user, $how, $file: $said"
    echo "$user cannot $how $file"
  done
}

# Folders and FIFOs at the paths of install.sh and tmpfiles.d.
umask 077
export LC_ALL=C
install -d -m 755 -- "$out"
PRIVPIPE_BIN=$PRIVPIPE_BIN "$recipes/wall/install.sh" "$out"
install -m 600 -- "$text" "$out/documents.jsonl"
cd -- "$out"
export PRIVPIPE_ROOT=$PWD
side=$PWD/usr/local/lib/privpipe/side.sh
(become outsider test -x "$side") || fail "other users cannot reach $out: name a folder elsewhere"
install -d -m 755 run var var/lib var/log
while read -r type path mode user group; do
  case $type in
    d) mkdir -p ".$path" ;;
    p) mkfifo ".$path" ;;
    *) continue ;; # a comment
  esac
  chown "${id[$user]}:${id[$group]}" ".$path"
  chmod "$mode" ".$path"
done <etc/tmpfiles.d/privpipe.conf
private=var/lib/privpipe-private wall=var/lib/privpipe-wall model=var/lib/privpipe-model
streams=run/privpipe log=var/log/privpipe
chown "${id[privpipe-private]}:${id[privpipe-private]}" documents.jsonl
mv documents.jsonl "$private"

printf '%s\n' "rounds=$rounds" "topics=$topics" >>etc/privpipe/run.conf
source etc/privpipe/run.conf
(umask 022 && become privpipe-wall usr/local/libexec/privpipe/account ledger new "$wall/run.ledger")
account plan --epsilon "$epsilon" --delta "$delta" --poisson "$rate" --rounds "$rounds" --ledger "$wall/run.ledger" \
  --model lda --matrix "topics=${topics}xV" -o etc/privpipe/grant.json
chmod 644 etc/privpipe/grant.json

# root opens the streams and starts each side with its own ends. The private side starts last: while `feed` is open, the
# privatizer waits for contributions and can be inspected. `hold` lets `feed` open before there is a reader.
exec {hold}<>"$streams/contributions" {feed}>"$streams/contributions"
sides=()
trap 'kill "${sides[@]}" 2>/dev/null || true' EXIT
become privpipe-wall "$side" wall <"$streams/contributions" >"$streams/releases" 2>"$log/wall.log" {hold}>&- {feed}>&- &
sides+=($!)
become privpipe-model "$side" model <"$streams/releases" >/dev/null 2>"$log/model.log" {hold}>&- {feed}>&- &
sides+=($!)
privatizer=/proc/${sides[0]}
for ((i = 0; i < 300; i++)); do
  [[ $(<"$privatizer/comm") != privatize ]] || break
  sleep 0.1
done
[[ $(stat -c %u "$privatizer") == "${id[privpipe-wall]}" ]] || surprise "the privatizer runs as another user"
# Not even the privatizer's user can open its streams a second time, neither by name nor in /proc.
for user in outsider privpipe-model privpipe-private privpipe-wall; do
  cannot "$user" read "$privatizer/fd/0" "$streams/contributions" "$streams/releases"
  cannot "$user" write "$privatizer/fd/1" "$streams/contributions" "$streams/releases"
done
become privpipe-private "$side" private >&"$feed" 2>"$log/private.log" {hold}>&- {feed}>&- &
sides+=($!)
exec {hold}>&- {feed}>&-
for one in "${sides[@]}"; do
  wait "$one" || surprise "a side of the wall failed: $(tail -n 1 "$log"/*)"
done

stored=$(echo "$wall"/run.ledger.releases/*/000000001)
for user in outsider privpipe-model; do
  cannot "$user" read "$private"/documents.{jsonl,pp} "$stored" "$stored.sum" "$log"/{private,wall,model}.log
  cannot "$user" write "$wall/run.ledger" etc/privpipe/{grant.json,run.conf} "$side" usr/local/libexec/privpipe/privatize
done
cannot outsider read "$streams/params"
cannot outsider write "$streams/params" "$model/model.pp"
cannot privpipe-private read "$stored" "$stored.sum" "$log"/wall.log
cannot privpipe-private write "$wall/run.ledger" etc/privpipe/grant.json "$model/model.pp"
cannot privpipe-wall read "$private"/documents.{jsonl,pp}
cannot privpipe-wall write etc/privpipe/grant.json "$model/model.pp"

# Everybody can read public files. Only the wall's user can read the stored releases.
(become privpipe-wall usr/local/libexec/privpipe/account verify --releases "$wall/run.ledger.releases" "$wall/run.ledger")
(become outsider usr/local/libexec/privpipe/account report "$wall/run.ledger")
(become outsider usr/local/libexec/privpipe/evaluate topics --top 5 "$model/model.pp")
