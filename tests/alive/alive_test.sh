#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One rank dies, the launcher does not care: every other rank is told which, whatever it waits in, and ends.
#
#     alive_test.sh CARELESS SURVIVOR RANKS awake|asleep|plain [CASE...]
#
# ALIVE_LIMIT_MS says how long after the death a rank may end on a quiet machine, if more than 10000, ALIVE_AROUND is a
# command that runs a rank, ALIVE_NEEDS a file without which the test is skipped, ALIVE_FATAL the cases that are run
# once more with errors that end the ranks.
# awake: a waiting rank spins, or yields, for ever; asleep: it sleeps at once; plain: the default.
set -eu
. "$(dirname "$0")/alive_lib.sh"
. "$(dirname "$0")/../spaces_lib.sh"
if [ -n "${ALIVE_AROUND:-}" ] && ! spaces_for "--pid --fork --kill-child --mount-proc" "$@"; then
    echo "skipped: a space of process ids cannot be made here"
    exit 77
fi
careless=$1 survivor=$2 ranks=$3 way=$4
shift 4
case $way in
awake) export CORUNNA_WAIT_SPIN_US=1000000000 CORUNNA_WAIT_YIELDS=1000000000 ;;
asleep) export CORUNNA_WAIT_SPIN_US=0 CORUNNA_WAIT_YIELDS=0 ;;
plain) ;;
esac

if [ -n "${ALIVE_NEEDS:-}" ] && [ ! -e "$ALIVE_NEEDS" ]; then
    echo "skipped: there is no $ALIVE_NEEDS"
    exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
victim=$((ranks - 1))
# How a sentence names the dead one.
dead="(rank $victim (on [^ ]* )?is lost|lost rank $victim)"
export SURVIVOR_ROOM="$work/room"

fail()
{
    echo "FAILED: $ranks ranks, $way, $*" >&2
    cat "$work/out" "$work/err" >&2
    exit 1
}

# Run a case; all must end in time.
run_case()
{
    rm -rf "$SURVIVOR_ROOM"
    mkdir "$SURVIVOR_ROOM"
    # shellcheck disable=SC2086
    run_careless "$1 $2" ${ALIVE_AROUND:-} "$survivor" "$1" "$2"
}

# Every survivor has ended with a status that matches.
check_status()
{
    rank=0
    while [ "$rank" -lt "$victim" ]; do
        grep -qE "^ended $rank ($3) " "$work/out" || fail "$1 $2: rank $rank has ended otherwise than with $3"
        rank=$((rank + 1))
    done
}

# Every survivor prints "$3 RANK $4", and then which rank it lost.
check_sentence()
{
    rank=0
    while [ "$rank" -lt "$victim" ]; do
        grep -qE "^$3$rank$4.*$dead" "$work/$5" ||
            fail "$1 $2: rank $rank was not told that it has lost rank $victim"
        rank=$((rank + 1))
    done
}

[ $# -gt 0 ] || set -- $("$survivor" || true)
for name in "$@"; do
    run_case "$name" return
    if [ "$name" = finalize ]; then
        check_status "$name" return '[1-9][0-9]*'
        told=$(grep -cE "^corunna: rank [0-9]+ on [^ ]*: MPI_Finalize: .*$dead" "$work/err" || true)
        [ "$told" -eq "$victim" ] || fail "$name: $told sentences of MPI_Finalize, not $victim"
        continue
    fi
    check_status "$name" return 0
    check_sentence "$name" return 'told ' ' .*MPI_' out
done
for name in ${ALIVE_FATAL:-recv allreduce iallreduce}; do
    run_case "$name" fatal
    check_status "$name" fatal '[1-9][0-9]*'
    check_sentence "$name" fatal 'corunna: rank ' ' on .*MPI_' err
done
echo "$ranks ranks, $way: everybody was told; the slowest has ended $slowest ms after the death"
