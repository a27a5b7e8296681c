# SPDX-License-Identifier: Apache-2.0
# What the scripts share that compare predictions of the simulator with real runs. Sourced with the arguments of the
# script, [CORUNNA [RANKS...]], and with `here`, the folder of this file. ROUNDS and MS are corunna bench's, KEEP=yes
# leaves the files.
corunna=$(realpath "${1:-$here/../build/bin/corunna}")
work=$(mktemp -d "${TMPDIR:-/tmp}/validate_sim.XXXXXX")
if [ "${KEEP:-no}" = yes ]; then
    echo "files: $work"
else
    trap 'rm -rf "$work"' EXIT
fi
quick="--rounds ${ROUNDS:-3} --ms ${MS:-50} --quiet"

run() {
    "$corunna" "$@" > "$work/out" 2>&1 || {
        echo "$0: corunna $*:" >&2
        cat "$work/out" >&2
        exit 1
    }
}

# measure FILE WORDS...: as a table in FILE. $place is where the ranks run.
measure() {
    file=$1
    shift
    # shellcheck disable=SC2086
    run bench "$@" $quick $place --csv "$work/$file"
}

# predict FILE WORDS...: on the cluster that the script describes with `cluster`.
predict() {
    file=$1
    shift
    run bench "$@" --quiet --csv "$work/$file" --sim "$(cluster)"
}

# figures FILE TEST: lines "bytes microseconds"
figures() {
    awk -F , -v test="$2" '$1 == test { print $8, $10 }' "$work/$1"
}

# compare WHAT RANKS COLLECTIVE:ALGORITHM SIZES: calls in a row, measured and predicted.
compare() {
    test=${3%:*}
    variable=CORUNNA_COLL_$(echo "$test" | tr '[:lower:]' '[:upper:]')
    export "$variable=${3#*:}"
    measure real.csv "$test" -n "$2" --sizes "$4" --modes row
    predict simulated.csv "$test" -n "$2" --sizes "$4" --modes row
    unset "$variable"
    figures real.csv "$test" > "$work/measured"
    figures simulated.csv "$test" > "$work/predicted"
    paste -d ' ' "$work/measured" "$work/predicted" |
        awk -v what="$1 $2 ranks $3" '{ printf "%-42s %8d bytes %10.2f us, predicted %10.2f: %+6.1f %%\n",
            what, $1, $2, $4, 100 * ($4 / $2 - 1) }' | tee -a "$work/all"
}

# median WORDS: of the errors of the lines on stdin.
median() {
    awk '{ e = $(NF - 1); print e < 0 ? -e : e + 0 }' | sort -g |
        awk -v words="$1" '{ e[NR] = $1 } END { printf "%s: median error %.1f %%, 90 %% of %d below %.1f %%\n", words,
            (e[int((NR + 1) / 2)] + e[int((NR + 2) / 2)]) / 2, NR, e[int((9 * NR + 9) / 10)] }'
}

# The last line. With LIMIT=15 the status is 1 if the median of all is above 15 %.
verdict() {
    median "all" < "$work/all" | tee "$work/verdict"
    [ -z "${LIMIT:-}" ] || awk -v limit="$LIMIT" '{ sub(/.*median error /, ""); exit !($1 <= limit) }' "$work/verdict"
}
