#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# validate_sim.sh [CORUNNA [RANKS...]]: how far predictions are from real runs, over shared memory and over TCP.
#
# For each device two ranks are measured:
#   1. a ping-pong and an exchange, which are fitted: the link, and how long a message keeps the CPUs of both sides.
# Over shared memory, where messages take least:
#   2. a scan by the algorithm linear, and a scatter by nbft: how long a call takes beside its messages, how long a byte takes to be
#      copied and to be combined.
# For each number of ranks:
#   3. if they are more than the cores, an exchange of 8 bytes by all of them: how long it takes until another rank runs on a core;
#   4. collectives, of which nothing was used so far, are measured and predicted, by the same algorithms, calls in a row.
# Prints every pair, and the medians of |predicted / measured - 1|: of each number of ranks on each device, of each device, of each
# number of ranks, and last of all. Nothing else should run. It takes two to three minutes.
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
quick="--rounds ${ROUNDS:-3} --ms ${MS:-50} --quiet"
cores=$(nproc)
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
    run bench "$@" $quick --dev $device --csv "$work/$file"
}

# predict FILE RANKS WORDS...: over TCP, too, each rank has ports of its own, as inside a node.
predict() {
    file=$1 cluster="nodes=1,ppn=$2,inside=$work/$device.model,call=$call,copy=$copy,reduce=$reduce"
    [ "$2" -le "$cores" ] || cluster=$cluster,cores=$cores,switch=$switch
    shift 2
    run bench "$@" --quiet --csv "$work/$file" --sim "$cluster"
}

# figures FILE TEST: lines "bytes microseconds"
figures() {
    awk -F , -v test="$2" '$1 == test { print $8, $10 }' "$work/$1"
}

# time_of FILE TEST BYTES
time_of() {
    figures "$1" "$2" | awk -v bytes="$3" '$1 == bytes { print $2 }'
}

# fit KEY STEP RANKS TEST BYTES: the value of KEY with which what was measured in fit.csv is predicted, in the variable of that name. What
# is predicted grows with it by lines, so a few steps find it.
fit() {
    measured=$(time_of fit.csv "$4" "$5") low=0 value=$2
    eval "$1=0"
    predict low.csv "$3" "$4" --sizes "$5" $row
    at_low=$(time_of low.csv "$4" "$5")
    for _ in first second third; do
        eval "$1=$value"
        predict high.csv "$3" "$4" --sizes "$5" $row
        next=$(echo "$measured $low $at_low $value $(time_of high.csv "$4" "$5")" |
            awk '{ v = $5 > $3 ? $2 + ($1 - $3) * ($4 - $2) / ($5 - $3) : $4; printf("%.6f", v > 0 ? v : 0) }')
        value=$next
    done
    eval "$1=$value"
}

# What two ranks tell of their CPUs.
fit_calls() {
    row="--modes row"
    export CORUNNA_COLL_SCAN=linear CORUNNA_COLL_SCATTER=nbft
    measure fit.csv scan scatter -n 2 --sizes 8,256k $row
    fit call 100 2 scan 8
    fit copy 0.1 2 scatter 262144
    fit reduce 0.1 2 scan 262144
    unset CORUNNA_COLL_SCAN CORUNNA_COLL_SCATTER
}

# fit_switch RANKS
fit_switch() {
    switch=0 row=
    [ "$1" -gt "$cores" ] || return 0
    measure fit.csv exchange -n "$1" --sizes 8
    fit switch 1 "$1" exchange 8
}

# compare RANKS COLLECTIVE:ALGORITHM
compare() {
    test=${2%:*}
    variable=CORUNNA_COLL_$(echo "$test" | tr '[:lower:]' '[:upper:]')
    export "$variable=${2#*:}"
    measure real.csv "$test" -n "$1" --sizes $sizes --modes row
    predict simulated.csv "$1" "$test" --sizes $sizes --modes row
    unset "$variable"
    figures real.csv "$test" > "$work/measured"
    figures simulated.csv "$test" > "$work/predicted"
    paste -d ' ' "$work/measured" "$work/predicted" |
        awk -v what="$device $1 ranks $2" '{ printf "%-42s %8d bytes %10.2f us, predicted %10.2f: %+6.1f %%\n",
            what, $1, $2, $4, 100 * ($4 / $2 - 1) }'
}

# median WORDS: of the lines on stdin.
median() {
    awk '{ e = $(NF - 1); print e < 0 ? -e : e + 0 }' | sort -g |
        awk -v words="$1" '{ e[NR] = $1 } END { printf "%s: median error %.1f %%, 90 %% of %d below %.1f %%\n", words,
            (e[int((NR + 1) / 2)] + e[int((NR + 2) / 2)]) / 2, NR, e[int((9 * NR + 9) / 10)] }'
}

: > "$work/all"
call=0 copy=0 reduce=0
for device in smdev tcpdev; do
    measure link.csv pingpong exchange -n 2 --sizes $link_sizes
    run model fit "$work/link.csv" -o "$work/$device.model"
    [ $device = tcpdev ] || fit_calls
    for ranks; do
        fit_switch "$ranks"
        for collective in $collectives; do
            compare "$ranks" "$collective"
        done > "$work/these"
        cat "$work/these"
        median "$device, $ranks ranks (call=$call,copy=$copy,reduce=$reduce,switch=$switch)" < "$work/these"
        cat "$work/these" >> "$work/all"
    done
done
for device in smdev tcpdev; do
    grep "^$device " "$work/all" | median "$device"
done
for ranks; do
    grep " $ranks ranks " "$work/all" | median "$ranks ranks"
done
median "all" < "$work/all" | tee "$work/verdict"
[ -z "${LIMIT:-}" ] || awk -v limit="$LIMIT" '{ sub(/.*median error /, ""); exit !($1 <= limit) }' "$work/verdict"
