#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# trace_cost.sh [CORUNNA [TURNS [BYTES]]]: what --trace and --stats cost a ping-pong of 1 KiB.
#
# Three ways in turns, each first in its turn as often as the others: without, with a timeline, with a timeline and
# statistics. Prints the least and the median time of each and what it adds to the least. Needs two cores, and nothing
# else that runs.
set -eu
corunna=${1:-build/bin/corunna}
turns=${2:-15}
bytes=${3:-1k}
work=$(mktemp -d "${TMPDIR:-/tmp}/trace_cost.XXXXXX")
trap 'rm -rf "$work"' EXIT
unset CORUNNA_TRACE_FILE CORUNNA_TRACE_STATS CORUNNA_TRACE_HTML

# once WAY: one start of the program; appends "WAY microseconds".
once() {
    case $1 in
    off) set -- "$1" env ;;
    trace) set -- "$1" env CORUNNA_TRACE_FILE="$work/trace.json" ;;
    both) set -- "$1" env CORUNNA_TRACE_FILE="$work/trace.json" CORUNNA_TRACE_STATS=yes ;;
    esac
    way=$1
    shift
    "$@" "$corunna" bench pingpong --sizes "$bytes" --rounds 1 --ms 300 --agree 0 --quiet --csv "$work/one.csv" \
        > "$work/out" 2>&1 || {
        cat "$work/out" >&2
        exit 1
    }
    awk -F , -v way="$way" '$1 == "pingpong" { print way, $10 }' "$work/one.csv" >> "$work/times"
    if [ "$way" != off ] && ! [ -s "$work/trace.json" ]; then
        echo "trace_cost.sh: no timeline was written" >&2
        exit 1
    fi
    rm -f "$work/trace.json"
}

order="off trace both"
turn=0
while [ "$turn" -lt "$turns" ]; do
    for way in $order; do
        once "$way"
    done
    order="${order#* } ${order%% *}"
    turn=$((turn + 1))
done
for way in off trace both; do
    awk -v way="$way" '$1 == way { print $2 }' "$work/times" | sort -g |
        awk -v way="$way" '{ t[NR] = $1 } END { print way, t[1], t[int((NR + 1) / 2)], NR }'
done | awk '{ if ($1 == "off") base = $2
    printf "%-6s least %8.4f us, median %8.4f us of %d starts; %+5.1f %%\n", $1, $2, $3, $4, 100 * ($2 / base - 1) }'
