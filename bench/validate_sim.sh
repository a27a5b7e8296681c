#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# validate_sim.sh [CORUNNA [RANKS...]]: how far predictions are from real runs, over shared memory and over TCP.
#
# For each device and number of ranks on this machine:
#   1. a ping-pong of two ranks is measured and fitted, and the rate of short messages tells the share of overhead; CPUs move all bytes;
#   2. the link is made that of ranks which all communicate at once: the times of the ping-pong are multiplied by how much longer a
#      measured exchange with both neighbours takes than a predicted one, size by size, and fitted again. That is where ranks which share
#      cores, memory or a connection come in, of which the simulator knows nothing;
#   3. collectives, of which nothing was used so far, are measured and predicted, by the same algorithms, calls in a row.
# Prints every pair and the medians of |predicted / measured - 1|; the last line is that of all. Nothing else should run.
# ROUNDS and MS are corunna bench's, KEEP=yes leaves the files. With LIMIT=15 the status is 1 if the median of all is above 15 %.
set -eu
corunna=${1:-build/bin/corunna}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- 2 4 8
work=$(mktemp -d "${TMPDIR:-/tmp}/validate_sim.XXXXXX")
if [ "${KEEP:-no}" = yes ]; then
    echo "files: $work"
else
    trap 'rm -rf "$work"' EXIT
fi
quick="--rounds ${ROUNDS:-5} --ms ${MS:-100} --quiet"
link_sizes=8,64,256,1k,2k,4k,8k,12k,16k,24k,32k,64k,128k,256k,512k,1m
sizes=8,1k,16k,256k
collectives="barrier:dissemination bcast:mst reduce:mst allreduce:doubling allreduce:rabenseifner allgather:bucket alltoall:pairwise"

run() {
    "$corunna" "$@" > "$work/out" 2>&1 || {
        echo "validate_sim.sh: corunna $*:" >&2
        cat "$work/out" >&2
        exit 1
    }
}

# measure FILE WORDS...: as a table in FILE.
measure() {
    file=$1
    shift
    # shellcheck disable=SC2086
    run bench "$@" $quick --csv "$work/$file"
}

# predict FILE DEVICE RANKS MODEL WORDS...: TCP has a port for each rank, as if each were on a node of its own.
predict() {
    file=$1 cluster="nodes=1,ppn=$3,inside=$work/$4,overhead=$share,moving=0.5"
    [ "$2" = smdev ] || cluster="nodes=$3,ppn=1,model=$work/$4,overhead=$share,moving=0.5"
    shift 4
    run bench "$@" --quiet --csv "$work/$file" --sim "$cluster"
}

# figures FILE TEST: lines "bytes microseconds"
figures() {
    awk -F , -v test="$2" '$1 == test { print $8, $10 }' "$work/$1"
}

# scale TABLE: the ping-pongs of a table, each multiplied by measured / predicted of the exchange.
scale() {
    figures exchange.csv exchange > "$work/measured"
    figures simulated.csv exchange > "$work/predicted"
    awk -F , -v OFS=, -v measured="$work/measured" -v predicted="$work/predicted" '
        BEGIN {
            while ((getline line < measured) > 0) { split(line, f, " "); factor[f[1]] = f[2] }
            while ((getline line < predicted) > 0) { split(line, f, " "); factor[f[1]] /= f[2] }
        }
        $1 == "pingpong" { $10 *= factor[$8]; $11 *= factor[$8] }
        { print }' "$work/$1" > "$work/scaled.csv"
    mv "$work/scaled.csv" "$work/$1"
}

# compare DEVICE RANKS COLLECTIVE:ALGORITHM
compare() {
    test=${3%:*}
    variable=CORUNNA_COLL_$(echo "$test" | tr '[:lower:]' '[:upper:]')
    export "$variable=${3#*:}"
    measure real.csv "$test" -n "$2" --sizes $sizes --modes row --dev "$1"
    predict simulated.csv "$1" "$2" "$1.$2.model" "$test" --sizes $sizes --modes row
    unset "$variable"
    figures real.csv "$test" > "$work/measured"
    figures simulated.csv "$test" > "$work/predicted"
    paste -d ' ' "$work/measured" "$work/predicted" |
        awk -v what="$1 $2 ranks $3" '{ printf "%-42s %8d bytes %10.2f us, predicted %10.2f: %+6.1f %%\n",
            what, $1, $2, $4, 100 * ($4 / $2 - 1) }'
}

# median WORDS: of the lines on stdin.
median() {
    awk '{ e = $(NF - 1); print e < 0 ? -e : e + 0 }' | sort -g |
        awk -v words="$1" '{ e[NR] = $1 } END { printf "%s: median error %.1f %%, 90 %% of %d below %.1f %%\n", words,
            (e[int((NR + 1) / 2)] + e[int((NR + 2) / 2)]) / 2, NR, e[int((9 * NR + 9) / 10)] }'
}

: > "$work/all"
for device in smdev tcpdev; do
    measure pair.csv pingpong --sizes $link_sizes --dev $device
    measure rate.csv rate --sizes 8 --dev $device
    share=$({ figures rate.csv rate; figures pair.csv pingpong; } |
        awk 'NR == 1 { rate = $2 } NR == 2 { s = rate / $2; printf("%.3f", s > 0.5 ? 0.5 : s < 0.02 ? 0.02 : s) }')
    for ranks; do
        cp "$work/pair.csv" "$work/link.csv"
        run model fit "$work/link.csv" -o "$work/$device.$ranks.model"
        measure exchange.csv exchange -n "$ranks" --sizes $link_sizes --dev $device
        for _ in first second; do
            predict simulated.csv $device "$ranks" "$device.$ranks.model" exchange --sizes $link_sizes
            scale link.csv
            run model fit "$work/link.csv" -o "$work/$device.$ranks.model"
        done
        for collective in $collectives; do
            compare $device "$ranks" "$collective"
        done > "$work/these"
        cat "$work/these"
        median "$device, $ranks ranks, overhead $share" < "$work/these"
        cat "$work/these" >> "$work/all"
    done
done
median "all" < "$work/all" | tee "$work/verdict"
[ -z "${LIMIT:-}" ] || awk -v limit="$LIMIT" '{ sub(/.*median error /, ""); exit !($1 <= limit) }' "$work/verdict"
