#!/usr/bin/env bash
# Walks an auditor through the privatizer, on contributions that the auditor makes.
#
# Each step tests a statement of privatize/PRIVACY.md or privatize/CHECKING.md. The exit code is 0 if all statements hold. The recipe stops at the first
# surprise with exit code 1.
#
#   audit.sh [FOLDER]
#
# The files stay in FOLDER, which must be new; without FOLDER they are removed. The recipe takes under a minute. contributions.py
# writes the contributions and reads the releases; it shares no code with the stages. Needs jq and Python 3 (PYTHON).
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/stages.sh"

take "" "$@"
((${#arguments[@]} < 2)) && [[ ${arguments[0]-/} ]] || fail "wants at most FOLDER, see --help"
surprise() {
  echo "audit: $1" >&2
  exit 1
}
trap 'surprise "line $LINENO of $0 failed"' ERR

page=$recipes/../../privatize/CHECKING.md
contributions() { "${PYTHON:-python3}" "$recipes/contributions.py" "$@"; }
if ((${#arguments[@]})); then
  [[ ! -e ${arguments[0]} ]] || fail "${arguments[0]} is there already"
  { mkdir -p -- "$(dirname -- "${arguments[0]}")" && mkdir -- "${arguments[0]}"; } 2>/dev/null || fail "cannot make the folder ${arguments[0]}" 82
  cd -- "${arguments[0]}"
else
  folder=$(mktemp -d)
  trap 'rm -rf -- "$folder"' EXIT
  cd "$folder"
fi

# say LINE… explains the next step.
say() { echo && printf '%s\n' "$@"; }

# try CODE COMMAND shows a command, runs it and shows its messages. It expects the exit code, and that no message names a person.
try() {
  local code=0
  printf '$ %s\n' "$2"
  (eval "$2") 2>said || code=$?
  cat said
  ! grep -Ewq "ada|bob|eve" said || surprise "a message names a person, of: $2"
  [[ $code == "$1" ]] || surprise "exit code $code, not $1, of: $2"
}

# holds WHAT COMMAND expects a command to succeed.
holds() {
  (eval "$2") >/dev/null || surprise "it does not hold that $1: $2"
  echo "holds: $1"
}

# block TEXT prints the first block of commands in CHECKING.md that contains TEXT.
block() {
  awk -v text="$1" '/^```sh$/ { inside = 1; block = ""; next }
    /^```$/ { if (inside && index(block, text)) { printf "%s", block; found = 1; exit }; inside = 0 }
    inside { block = block $0 "\n" }
    END { exit !found }' "$page" || surprise "CHECKING.md has no commands with $1"
}

say "1. Three people and their contributions to a sum. Ada's vector has norm 5."
cat >people.jsonl <<'JSON'
{"unit":"ada","values":[3,4,0,0]}
{"unit":"bob","values":[0.5,0,-0.5,0]}
{"unit":"eve","values":[0,0,0,0.25]}
JSON
cat people.jsonl
try 0 'contributions write <people.jsonl >people.pp'

say "2. A ledger is begun only by hand. Without privacy the sum is exact, in any order of the people, in one part or in two. The" \
  "ledger then records for good that no bound holds."
try 82 'privatize none --run sum --ledger none.ledger -o no.pp people.pp'
for ledger in none other parts bare noise run fresh; do
  try 0 "account ledger new $ledger.ledger"
done
try 0 'privatize none --run sum --ledger none.ledger --compress none -o exact.pp people.pp'
holds "the sum is exact" \
  'contributions read exact.pp | jq -e ".grid as \$grid | (.cells | map(. * \$grid)) == [3.5, 4, -0.5, 0.25]"'
try 0 'tac people.jsonl | contributions write | privatize none --run sum --ledger other.ledger --compress none -o turned.pp'
holds "their order does not matter" 'cmp exact.pp turned.pp'
try 0 'head -n 1 people.jsonl | contributions write | privatize combine -o ada.pp'
try 0 'tail -n 2 people.jsonl | contributions write | privatize combine -o rest.pp'
try 0 'privatize none --run sum --ledger parts.ledger --compress none -o parts.pp ada.pp rest.pp'
holds "two partial sums give the same bytes" 'cmp exact.pp parts.pp'
try 0 'account report --delta 1e-6 none.ledger'
holds "its epsilon is infinite" 'account report --delta 1e-6 none.ledger | grep -Eq "^pld +∞"'

say "3. A person counts for at most the clip. Noise of a few steps shows it: the clip 1 has 2^20 steps."
try 0 'account plan --noise-multiplier 0.000001 --all --matrix x=1x4 --ledger bare.ledger -o bare.json'
try 0 'head -n 1 people.jsonl | contributions write |
  privatize --grant bare.json --ledger bare.ledger --compress none -o bare.pp'
try 0 'contributions read bare.pp'
# Noise of σ = 2 is beyond 20 with a probability below 2·exp(−19²/(2·2²)) = 1e-19 a cell (Canonne, Kamath, Steinke 2020,
# prop. 25, and the tail of the Gaussian).
holds "ada's vector of norm 5 counts for the clip, in the direction 3 : 4" \
  'contributions read bare.pp | jq -e ".clip == 1048576 and .clip * .grid == 1 and .scale <= 2 and
    ([.cells, [.clip * 0.6, .clip * 0.8, 0, 0]] | transpose | all(.[0] - .[1] | fabs < 22))"'

say "4. The noise has the scale that the grant states. All vectors are 0, so the release is only noise."
try 0 'account plan --noise-multiplier 3 --all --matrix x=1x20000 --ledger noise.ledger -o noise.json'
jq -nc '{unit: "nobody", values: [range(20000) | 0]}' | contributions write >zeros.pp
try 0 'privatize --grant noise.json --ledger noise.ledger --compress none -o noise.pp zeros.pp'
# Over 20,000 cells the mean is within 6·σ/√20000 and the deviation within 6·σ/√40000, except with probability 4e-9.
contributions read noise.pp | jq '(.cells | length) as $n | {clip, scale, mean: (.cells | add / $n),
  deviation: (.cells | map(. * .) | add / $n | sqrt), n: $n}' | tee moments.json
holds "its scale is 3 clips, and the drawn noise has this scale and mean 0" \
  'jq -e ".scale == 3 * .clip and (.mean | fabs) < 6 * .scale / (.n | sqrt) and
    (.deviation / .scale - 1 | fabs) < 6 / (2 * .n | sqrt)" moments.json'

say "5. A budget: ε = 1 at δ = 1e-6 for everything that this ledger will ever hold, in one release from all people."
try 0 'account plan --epsilon 1 --delta 1e-6 --all --matrix x=1x4 --ledger run.ledger -o grant.json'
try 0 'privatize --grant grant.json --ledger run.ledger --compress none -o release.pp people.pp'
try 0 'contributions read release.pp'
try 0 'jq -c "select(.charge) | .charge | {run, round, mechanism, adjacency, unit, sensitivity, scale, release}" run.ledger'
holds "the release has the charged scale, and there is one charge" \
  '[[ $(contributions read release.pp | jq .scale) == $(jq "select(.charge) | .charge.scale" run.ledger) ]] &&
    [[ $(jq -s "[.[] | select(.charge)] | length" run.ledger) == 1 ]]'

say "6. The commands of CHECKING.md check the ledger without any of our code: the chain of hashes, the stored releases, the" \
  "loss."
chain=$(block 'broken at') releases=$(block 'sha256sum --check') loss=$(block 'pow(')
try 0 "$chain"
try 0 "$releases"
try 0 "$loss"
holds "ρ + 2·√(ρ·ln 1/δ) is at most a third above the ε of the plan" \
  "awk -v rho=\"\$($loss)\" 'BEGIN { e = rho + 2 * sqrt(rho * log(1e6)); exit !(e > 1 && e < 4 / 3) }'"
try 0 'account verify --releases release.pp run.ledger'
try 0 'account report run.ledger'

say "7. The same people again: a replay of the same bytes, and no charge."
cp run.ledger before.ledger
try 0 'privatize --grant grant.json --ledger run.ledger --compress none -o again.pp people.pp'
holds "the second output equals the first" 'cmp release.pp again.pp'

say "8. Another sum under the same charge, or a further release under the same grant, is refused (83). So is --allow-respend:" \
  "a grant with a budget allows one release of a round."
try 0 "sed 's/0.25/0.75/' people.jsonl | contributions write >other.pp"
try 83 'privatize --grant grant.json --ledger run.ledger -o no.pp other.pp'
try 83 'privatize --grant grant.json --ledger run.ledger --allow-respend -o no.pp other.pp'
try 83 'privatize --grant grant.json --ledger run.ledger --run another -o no.pp people.pp'
try 83 'privatize --grant grant.json --ledger fresh.ledger -o no.pp <people.pp' # the grant is for one ledger
try 83 "sed 's/\]/,1]/' people.jsonl | contributions write | privatize --grant grant.json --ledger run.ledger -o no.pp"
try 0 'jq ".releases = 5" grant.json >changed.json'
try 83 'privatize --grant changed.json --ledger run.ledger -o no.pp people.pp'
try 0 'account ledger new --epsilon 1 --delta 1e-6 --disjoint-datasets apart.ledger' # of data sets without a common person
try 0 'account plan --dataset north --all --matrix x=1x4 --ledger apart.ledger -o north.json'
try 83 'privatize --grant north.json --dataset south --ledger apart.ledger -o no.pp people.pp'

say "9. A stream that breaks a rule is refused (90): a person twice, a NaN, a truncated stream."
try 0 'account plan --epsilon 1 --delta 1e-6 --all --matrix x=1x4 --ledger fresh.ledger -o fresh.json'
try 90 'cat people.jsonl people.jsonl | contributions write | privatize --grant fresh.json --ledger fresh.ledger -o no.pp'
try 90 "sed 's/0.25/NaN/' people.jsonl | contributions write | privatize --grant fresh.json --ledger fresh.ledger -o no.pp"
try 90 'head -c 150 people.pp | privatize --grant fresh.json --ledger fresh.ledger -o no.pp'
holds "none of them was charged, and none left an output" '! grep -q charge fresh.ledger && [[ ! -e no.pp ]]'

say "10. Two privatizers at once: the second ends (91)."
mkfifo input
privatize --grant fresh.json --ledger fresh.ledger --compress none <input >first.pp &
first=$!
exec 3>input
cat people.pp >&3
for ((i = 0; i < 300; i++)); do
  [[ ! -s first.pp ]] || break
  sleep 0.1
done
try 91 'privatize --grant fresh.json --ledger fresh.ledger -o no.pp people.pp'
exec 3>&-
wait "$first" || surprise "the first of two privatizers failed"
holds "the first charged its release" '[[ $(grep -c \"charge\": fresh.ledger) == 1 ]]'

say "11. A ledger or a stored release that was tampered with."
try 0 "sed 's/\"sensitivity\":[0-9]*/\"sensitivity\":1/' run.ledger >forged.ledger"
try 90 'account verify forged.ledger'
try 90 'privatize --grant grant.json --ledger forged.ledger -o no.pp people.pp'
try 0 'head -n 1 run.ledger >cut.ledger'
try 90 'account verify --last-hash "$(tail -n 1 run.ledger | jq -r .hash)" cut.ledger'
try 90 'account verify --releases release.pp noise.ledger'
stored=$(echo run.ledger.releases/*/000000001)
cp "$stored" stored
try 0 "printf x >>$stored"
try 83 'privatize --grant grant.json --ledger run.ledger -o no.pp people.pp'
try 90 'account verify run.ledger'
cp stored "$stored"

say "12. After all these attempts the ledger is unchanged, and nothing was released. (No message named a person: each was checked.)"
holds "the ledger is unchanged" 'cmp run.ledger before.ledger'
holds "nothing was released" '[[ ! -e no.pp ]]'

say "13. Last, the binary runs as a black box on neighbouring inputs, many times. This gives a lower bound on the privacy loss."
# A sound privatizer fails at this confidence once in a million audits, at 0.95 once in twenty.
try 0 'evaluate audit --binary "$(command -v privatize)" --runs 200 --rounds 5000 --confidence 0.999999'

printf '\naudit: all of it is as PRIVACY.md says\n'
