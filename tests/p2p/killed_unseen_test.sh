#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kill -9 of a rank that no launcher sees: between the launcher and each rank stands a shell that stays. The others
# must notice by themselves, over TCP, within 2 s, whatever they wait with, and whether they have ever talked with the
# dead one. Or over CORUNNA_DEV, within MOURN_LIMIT_MS, with these modes of MOURNER alone. MOURN_AROUND is a command that runs a
# rank, MOURN_NEEDS a file without which the test is skipped.
#
#   killed_unseen_test.sh LAUNCHER MOURNER [MODE...]
set -eu
if [ "$1" = --rank ]; then
    shift
    status=0
    ${MOURN_AROUND:-} "$@" || status=$?
    echo "ended $PMI_RANK $status $(date +%s%3N)"
    exec sleep 60
fi
launcher=$1 mourner=$2
. "$(dirname "$0")/failure_lib.sh"

if [ -n "${MOURN_AROUND:-}" ] && ! unshare --pid --fork --kill-child --mount-proc true 2> /dev/null; then
    echo "skipped: a space of process ids cannot be made here, which takes root"
    exit 77
fi
if [ -n "${MOURN_NEEDS:-}" ] && [ ! -e "$MOURN_NEEDS" ]; then
    echo "skipped: there is no $MOURN_NEEDS"
    exit 77
fi

work=$(mktemp -d)
job=
end()
{
    [ -z "$job" ] || kill "$job" 2> /dev/null || true
    rm -rf "$work"
}
trap end EXIT
limit_ms=${MOURN_LIMIT_MS:-2000}
export CORUNNA_DEV="${CORUNNA_DEV:-tcpdev}"
lost='rank 1 on .* is lost: '
case $CORUNNA_DEV in
ucxdev | ofidev) lost='rank 1 is lost: ' ;; # the library does not tell where it was
esac

# mourn MODE LINES PATTERN SECONDS [RANKS [LIMIT]]: start, kill rank 1 after so many seconds, and wait until LINES
# lines match, whose last number is a time, at most LIMIT ms later.
mourn()
{
    : > "$work/out" # not what the last one said
    "$launcher" run --timeout 50 -n "${5:-3}" "$0" --rank "$mourner" "$1" > "$work/out" 2> "$work/err" &
    job=$!
    wait_for_line "$work/out" '^pid [0-9]*$'
    wait_for_line "$work/out" '^begun$'
    sleep "$4"
    begin=$(milliseconds)
    kill -9 "$(sed -n 's/^pid //p' "$work/out")"
    tries=0
    while [ "$(grep -c "$3" "$work/out")" -lt "$2" ]; do
        grep -q FAILED "$work/out" && fail "$1: $(cat "$work/out")"
        tries=$((tries + 1))
        [ "$tries" -lt $((limit_ms / 20)) ] || fail "$1: nobody has noticed: $(cat "$work/out" "$work/err")"
        sleep 0.1
    done
    noticed=$(grep "$3" "$work/out" | grep -o '[0-9]\{13\}' | sort -n | tail -n 1)
    took=$((noticed - begin))
    grep -qE "$lost" "$work/err" || fail "$1: no sentence names rank 1: $(cat "$work/err")"
    kill "$job"
    wait "$job" 2> /dev/null || true
    job=
    echo "$1: noticed after $took ms: $(grep -oE "$lost.*" "$work/err" | head -n 1)"
    [ "$took" -lt "${6:-$limit_ms}" ] || fail "$1: noticed only after $took ms"
}

if [ $# -gt 2 ]; then
    shift 2
    for mode; do
        mourn "$mode" 2 '^rank [02]: [0-9]* ' 0.5
    done
    exit 0
fi
for mode in receive any probe test wait send; do
    mourn $mode 2 '^rank [02]: [0-9]* ' 0.5
done
# No rank has a connection with the dead one: after a second of waiting they connect to it.
for mode in first any_first; do
    mourn $mode 2 '^rank [02]: [0-9]* ' 0
    mourn $mode 2 '^rank [02]: [0-9]* ' 2
done
mourn groups 1 '^rank 0: [0-9]* ' 0.5
mourn barrier 1 '^rank [02]: [0-9]* ' 0.5
# A rank that notices ends, and the others notice that.
mourn finalize 2 '^ended [02] ' 0.5
# A rank that waits for those that have noticed, without a connection to the dead one, is notified by them: they tell
# in MPI_Finalize, and it looks for itself.
mourn gone_first 3 '^ended [023] ' 1.5 4 4000
grep -q '^rank 3: [0-9]* .*rank 1 on .* is lost' "$work/out" || fail "rank 3 was not told: $(cat "$work/out")"
