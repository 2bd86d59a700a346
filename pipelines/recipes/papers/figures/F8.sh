#!/usr/bin/env bash
# Draws figure 8 of VIPS: how many pixels a sigmoid belief network predicts right, by the size of the minibatch.
#
#   papers/figures/F8.sh [--sizes "400 3200"] [--hidden "50 100"] [FLAG…] IMAGES HELD OUT
#
# IMAGES is private, HELD public: IDX files, folders of PNG files, or images of tokenize (.pp), as in sbn.sh. OUT is a folder.
#
#   --image 28x28     size of the images, ROWSxCOLUMNS
#   --bernoulli       a pixel is on with probability intensity/255; by default it is on from intensity 128 on
#   --sizes "400 800 1600 3200"
#                     images in a round
#   --hidden "50 100" numbers of hidden units
#   --sigma 1         noise over the paper's sensitivity
#   --images N        images that a run takes in all its rounds together; by default one pass over IMAGES, as in the paper
#   --spread 0.004    standard deviation of the logarithm of one run's share of right pixels, by which orders are judged
#   --runs 10         runs of each system; the figure has their mean and range
#   --seed 1          seed of the first run; the next have the next
#   --quick           a small figure: 400 images in a round, 5 hidden units, 2 runs
#
# All systems are vips-sbn.sh. The noise of the authors' program is divided by the number of all images in place of those of a round.
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/figure.sh"

image=28x28 bernoulli='' sizes='' hidden='' sigma=1 images='' spread=0.004
take "image bernoulli! sizes hidden sigma images spread runs seed quick!" "$@"
sizes=${sizes:-$([[ $quick ]] && echo 400 || echo 400 800 1600 3200)}
hidden=${hidden:-$([[ $quick ]] && echo 5 || echo 50 100)}
runs=${runs:-$([[ $quick ]] && echo 2 || echo 10)}
real sigma spread
positive ${images:+images}
[[ $sizes =~ ^[1-9][0-9]*( [1-9][0-9]*)*$ ]] || fail "--sizes must be numbers above 0, is $sizes"
[[ $hidden =~ ^[1-9][0-9]*( [1-9][0-9]*)*$ ]] || fail "--hidden must be numbers above 0, is $hidden"
tokenize features --dry-run --image "$image"
figure_begin
images=${images:-$population}
for size in $sizes; do
  ((size <= population && size <= images)) || fail "--sizes has $size, more than the images"
done

declare -A right
# curve SERIES FLAG… runs a system of $units hidden units and $size images in a round, and draws its shares.
curve() {
  system vips-sbn.sh --hidden "$units" --batch "$size" --rounds "$((images / size))" "${@:2}"
  right[$1,$units,$size]=$perplexities
  points "K = $units" "$1" line "$size" "$perplexities"
}
program="noise as in the program"
for units in $hidden; do
  for size in $sizes; do
    curve non-private --sigma none
    mean=$(sed -n 's/^mean image *\([^ ]*\).*/\1/p' "${folders[0]}/private/right.txt")
    curve moments --sigma "$sigma"
    curve strong --sigma "$sigma" --composition strong
    curve "$program" --sigma "$sigma" --literal
    points "K = $units" "mean image" level "$size" "$mean"

    of="K = $units, S = $size" moments=${right[moments,$units,$size]} printed=${right[$program,$units,$size]}
    order must "$of" moments "$moments" non-private "${right[non-private,$units,$size]}"
    order must "$of" strong "${right[strong,$units,$size]}" moments "$moments"
    finding must "$of: $(summary moments "$moments") is at least the mean image $mean less .005" "$(mean "$moments") >= $mean - .005"
    finding printed "$of: $(summary moments "$moments") is .03 above the mean image $mean" "$(mean "$moments") >= $mean + .03"
    finding printed "$of: $(summary "$program" "$printed") is .03 above the mean image $mean" "$(mean "$printed") >= $mean + .03"
  done
done
spread_found
figure_end --title "Sigmoid belief networks (VIPS, figure 8)" --x "S, images in a round" \
  --y "share of right pixels, held out" --log-x \
  --note "$population images, $images in all rounds of a run; σ = $sigma; more is better; runs: $runs"
