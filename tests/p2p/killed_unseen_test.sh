#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kill -9 of a rank that no launcher sees: between the launcher and each rank stands a shell that stays. The others
# must notice by themselves, over TCP, soon, whatever they wait with, and whether they have ever talked with the dead
# one. Or over CORUNNA_DEV with these modes of MOURNER alone. MOURN_AROUND is a command that runs a rank, MOURN_NEEDS a
# file without which the test is skipped.
#
#   killed_unseen_test.sh LAUNCHER MOURNER [MODE...]
set -eu
. "$(dirname "$0")/failure_lib.sh"
if [ "$1" = --rank ]; then
    shift
    status=0
    ${MOURN_AROUND:-} "$@" &
    echo "runs $PMI_RANK $!"
    wait $! || status=$?
    echo "ended $PMI_RANK $status $(date +%s%3N)"
    exec sleep "$forever"
fi
launcher=$1 mourner=$2

. "$(dirname "$0")/../spaces_lib.sh"
if [ -n "${MOURN_AROUND:-}" ] && ! spaces_for "--pid --fork --kill-child --mount-proc" "$@"; then
    echo "skipped: a space of process ids cannot be made here"
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
export CORUNNA_DEV="${CORUNNA_DEV:-tcpdev}"
lost='rank 1 on .* is lost: '
case $CORUNNA_DEV in
ucxdev | ofidev) lost='rank 1 is lost: ' ;; # the library does not tell where it was
esac

# Does the process sleep? A rank does when it has waited for some milliseconds.
sleeps()
{
    grep -q '^State:[[:space:]]*S' "/proc/$1/status"
}

# Has the process a connection by TCP? They are listed by the numbers of their sockets.
is_connected()
{
    ls -l "/proc/$1/fd" | sed -n 's/.*socket:\[\([0-9]*\)\]$/\1/p' > "$work/sockets"
    awk 'NR == FNR { own[$1]; next } $4 == "01" && $10 in own { found = 1 } END { exit !found }' "$work/sockets" \
        /proc/net/tcp /proc/net/tcp6
}

# have_noticed LINES PATTERN: so many lines match; or a check has failed, and there is nothing to wait for.
have_noticed()
{
    [ "$(grep -c "$2" "$work/out")" -ge "$1" ] || grep -q FAILED "$work/out"
}

# mourn MODE LINES PATTERN WHEN [RANKS]: start, kill rank 1, and wait until LINES lines match, whose last number is a
# time. WHEN is what all others do by then, or `now`. On a busy machine one may look as if it waited in the call before
# it does; then the death is earlier, and has to be noticed as well.
mourn()
{
    : > "$work/out" # not what the last one said
    "$launcher" run --timeout 600 -n "${5:-3}" "$0" --rank "$mourner" "$1" > "$work/out" 2> "$work/err" &
    job=$!
    wait_for_line "$work/out" '^pid [0-9]*$'
    wait_for_line "$work/out" '^begun$'
    rank=0
    while [ "$rank" -lt "${5:-3}" ] && [ "$4" != now ]; do
        wait_for_line "$work/out" "^runs $rank "
        [ "$rank" = 1 ] || wait_until "$4" "$(sed -n "s/^runs $rank //p" "$work/out")" || fail "$1: not $4: rank $rank"
        rank=$((rank + 1))
    done
    begin=$(milliseconds)
    kill -9 "$(sed -n 's/^pid //p' "$work/out")"
    wait_until have_noticed "$2" "$3" || fail "$1: nobody has noticed: $(cat "$work/out" "$work/err")"
    ! grep -q FAILED "$work/out" || fail "$1: $(cat "$work/out")"
    noticed=$(grep "$3" "$work/out" | grep -o '[0-9]\{13\}' | sort -n | tail -n 1)
    took=$((noticed - begin))
    grep -qE "$lost" "$work/err" || fail "$1: no sentence names rank 1: $(cat "$work/err")"
    kill "$job"
    wait "$job" 2> /dev/null || true
    job=
    echo "$1: noticed after $took ms: $(grep -oE "$lost.*" "$work/err" | head -n 1)"
    [ "$took" -lt "$(patience_ms 10000)" ] || fail "$1: noticed only after $took ms"
}

# One that polls does not sleep.
state_in()
{
    [ "$1" = test ] && echo now || echo sleeps
}

if [ $# -gt 2 ]; then
    shift 2
    for mode; do
        mourn "$mode" 2 '^rank [02]: [0-9]* ' "$(state_in "$mode")"
    done
    exit 0
fi
for mode in receive any probe test wait send; do
    mourn $mode 2 '^rank [02]: [0-9]* ' "$(state_in $mode)"
done
# No rank has a connection with the dead one: after a second of waiting they connect to it.
for mode in first any_first; do
    mourn $mode 2 '^rank [02]: [0-9]* ' now
    mourn $mode 2 '^rank [02]: [0-9]* ' is_connected
done
mourn groups 1 '^rank 0: [0-9]* ' sleeps
mourn barrier 1 '^rank [02]: [0-9]* ' sleeps
# A rank that notices ends, and the others notice that.
mourn finalize 2 '^ended [02] ' sleeps
# A rank that waits for those that have noticed, without a connection to the dead one, is notified by them: they tell
# in MPI_Finalize, and it looks for itself.
mourn gone_first 3 '^ended [023] ' is_connected 4
grep -q '^rank 3: [0-9]* .*rank 1 on .* is lost' "$work/out" || fail "rank 3 was not told: $(cat "$work/out")"
