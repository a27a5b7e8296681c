#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# validate_sim.sh [CORUNNA [RANKS...]]: how far predictions are from real runs, over shared memory and over TCP.
#
# For each device:
#   1. a ping-pong of two ranks is measured and fitted: the link;
#   2. an exchange of two ranks with each other tells how much of its time CPUs spend (overhead, moving): of the shares that fit best;
#      a scan of two ranks by the algorithm linear tells how long a byte takes to be combined.
# For each number of ranks on this machine:
#   3. where an exchange with both neighbours in a ring takes longer than is predicted, the times of the link are multiplied by that,
#      size by size, and fitted again. That is where ranks which share cores come in, of which the simulator knows nothing;
#   4. collectives, of which nothing was used so far, are measured and predicted, by the same algorithms, calls in a row.
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
    file=$1 cluster="nodes=1,ppn=$3,inside=$work/$4"
    [ "$2" = smdev ] || cluster="nodes=$3,ppn=1,model=$work/$4"
    cluster=$cluster,overhead=$overhead,moving=$moving,reduce=$reduce
    shift 4
    run bench "$@" --quiet --csv "$work/$file" --sim "$cluster"
}

# figures FILE TEST: lines "bytes microseconds"
figures() {
    awk -F , -v test="$2" '$1 == test { print $8, $10 }' "$work/$1"
}

# time FILE TEST BYTES
time_of() {
    figures "$1" "$2" | awk -v bytes="$3" '$1 == bytes { print $2 }'
}

# nearest NAME BYTES: of the shares, the one with which the exchange of exchange.csv is predicted best, in $best.
nearest() {
    : > "$work/shares"
    for best in 0.02 0.05 0.1 0.15 0.2 0.25 0.3 0.35 0.4 0.45 0.5; do
        eval "$1=$best"
        predict simulated.csv $device 2 "$device.model" exchange --sizes "$2"
        echo "$best $(time_of exchange.csv exchange "$2") $(time_of simulated.csv exchange "$2")" >> "$work/shares"
    done
    best=$(awk '{ e = $2 > $3 ? $2 / $3 : $3 / $2; if (NR == 1 || e < least) { least = e; best = $1 } } END { print best }' "$work/shares")
    eval "$1=$best"
}

# combine: nanoseconds a byte, by the scan of scan.csv, in $reduce.
combine() {
    reduce=0
    predict simulated.csv $device 2 "$device.model" scan --sizes 256k --modes row
    reduce=$(echo "$(time_of scan.csv scan 262144) $(time_of simulated.csv scan 262144)" |
        awk '{ ns = ($1 - $2) * 1000 / 262144; printf("%.4f", ns > 0 ? ns : 0) }')
}

# scale TABLE: the ping-pongs of a table, multiplied by measured / predicted of the exchange where that is above 1.
scale() {
    figures exchange.csv exchange > "$work/measured"
    figures simulated.csv exchange > "$work/predicted"
    awk -F , -v OFS=, -v measured="$work/measured" -v predicted="$work/predicted" '
        BEGIN {
            while ((getline line < measured) > 0) { split(line, f, " "); factor[f[1]] = f[2] }
            while ((getline line < predicted) > 0) { split(line, f, " "); factor[f[1]] /= f[2] }
            for (bytes in factor) if (factor[bytes] < 1) factor[bytes] = 1
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
    overhead=0.3 moving=0.5 reduce=0
    measure link.csv pingpong --sizes $link_sizes --dev $device
    run model fit "$work/link.csv" -o "$work/$device.model"
    measure exchange.csv exchange -n 2 --sizes $link_sizes --dev $device
    nearest overhead 8
    nearest moving 262144
    export CORUNNA_COLL_SCAN=linear
    measure scan.csv scan -n 2 --sizes 256k --modes row --dev $device
    combine
    unset CORUNNA_COLL_SCAN
    cp "$work/link.csv" "$work/alone.csv"
    for ranks; do
        cp "$work/alone.csv" "$work/link.csv"
        cp "$work/$device.model" "$work/$device.$ranks.model"
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
        median "$device, $ranks ranks (overhead=$overhead,moving=$moving,reduce=$reduce)" < "$work/these"
        cat "$work/these" >> "$work/all"
    done
done
median "all" < "$work/all" | tee "$work/verdict"
[ -z "${LIMIT:-}" ] || awk -v limit="$LIMIT" '{ sub(/.*median error /, ""); exit !($1 <= limit) }' "$work/verdict"
