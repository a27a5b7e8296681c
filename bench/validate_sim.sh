#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# validate_sim.sh [CORUNNA [RANKS...]]: how far predictions are from real runs, over shared memory and over TCP.
#
# For each device: measure a ping-pong, fit it, and then measure and predict collectives by the same algorithms, calls in a row.
# Prints every pair and the median of |predicted / measured - 1|. Needs a core for each rank, and nothing else that runs.
set -eu
corunna=${1:-build/bin/corunna}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- 2 4 8
work=$(mktemp -d "${TMPDIR:-/tmp}/validate_sim.XXXXXX")
trap 'rm -rf "$work"' EXIT
quick="--rounds ${ROUNDS:-3} --ms ${MS:-100} --quiet"
sizes=8,1k,16k,256k

# measure DEVICE TEST ALGORITHM RANKS: lines "bytes microseconds"
measure() {
    # shellcheck disable=SC2086
    "$corunna" bench "$2" -n "$4" --sizes $sizes --modes row --dev "$1" $quick --csv "$work/real.csv" > /dev/null
    awk -F , -v test="$2" '$1 == test { print $8, $10 }' "$work/real.csv"
}

predict() {
    cluster="nodes=1,ppn=$4,inside=$work/$1.model"
    [ "$1" = smdev ] || cluster="nodes=$4,ppn=1,model=$work/$1.model"
    "$corunna" bench "$2" --sizes $sizes --modes row --quiet --csv "$work/sim.csv" --sim "$cluster" > /dev/null
    awk -F , -v test="$2" '$1 == test { print $8, $10 }' "$work/sim.csv"
}

for device in smdev tcpdev; do
    # shellcheck disable=SC2086
    "$corunna" bench pingpong --sizes 8,64,512,1k,4k,16k,64k,256k,1m --dev $device $quick --csv "$work/pair.csv" > /dev/null
    "$corunna" model fit "$work/pair.csv" -o "$work/$device.model" > /dev/null
    for ranks; do
        for call in barrier:dissemination bcast:mst reduce:mst allreduce:doubling allreduce:rabenseifner allgather:bucket \
            alltoall:pairwise; do
            test=${call%:*}
            variable=CORUNNA_COLL_$(echo "$test" | tr a-z A-Z)
            export "$variable=${call#*:}"
            measure $device "$test" "" "$ranks" > "$work/measured"
            predict $device "$test" "" "$ranks" > "$work/predicted"
            unset "$variable"
            paste -d ' ' "$work/measured" "$work/predicted" |
                awk -v what="$device $call $ranks ranks" '{ printf "%-42s %8d bytes %10.2f us, predicted %10.2f: %+6.1f %%\n",
                    what, $1, $2, $4, 100 * ($4 / $2 - 1) }'
        done
    done
done | tee "$work/all"
awk '{ error[NR] = $(NF - 1) < 0 ? -$(NF - 1) : $(NF - 1) }
    END { for (i = 1; i <= NR; i++) for (k = i + 1; k <= NR; k++) if (error[k] < error[i]) { t = error[i]; error[i] = error[k]; error[k] = t }
          printf "median error %.1f %% of %d\n", error[int((NR + 1) / 2)], NR }' "$work/all"
