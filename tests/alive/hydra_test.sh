#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A rank dies under Hydra that was told to let the others live: they are told, go on and end well, though Hydra sends
# them SIGUSR1. And what docs/clusters.md says of ranks that are gone before MPI_Init.
#
#     hydra_test.sh CORUNNA SURVIVOR MORTAL
set -eu
corunna=$1 survivor=$2 mortal=$3
. "$(dirname "$0")/alive_lib.sh"
command -v mpiexec.hydra > /dev/null || {
    echo "skipped: there is no mpiexec.hydra here (Debian: mpich)"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SURVIVOR_ROOM="$work/room"

fail()
{
    echo "FAILED: $*" >&2
    cat "$work/out" "$work/err" >&2
    exit 1
}

# run COMMAND...: output and status, and how long it has taken.
run()
{
    status=0
    began=$(date +%s%N)
    timeout -k 5 600 "$@" > "$work/out" 2> "$work/err" || status=$?
    took=$((($(date +%s%N) - began) / 1000000))
}

# Three ranks, of which the last one dies: the two others are told and end with 0. The signal goes to their shells too.
survive()
{
    rm -rf "$SURVIVOR_ROOM"
    mkdir "$SURVIVOR_ROOM"
    run mpiexec.hydra -disable-auto-cleanup -n 3 sh -c "trap : USR1; $survivor $1 return; echo ended \$PMI_RANK \$?"
    for rank in 0 1; do
        grep -q "^told $rank .*rank 2" "$work/out" || fail "$1: rank $rank was not told"
        grep -q "^ended $rank 0\$" "$work/out" || fail "$1: rank $rank has not ended well"
    done
    [ "$took" -le "$(alive_limit_ms)" ] || fail "$1: took $took ms"
}
for each in recv send barrier allreduce; do
    survive $each
done

# A handler that the program has of its own is called.
export SURVIVOR_SIGNAL=mine
survive recv
[ "$(grep -c '^signalled$' "$work/out")" -ge 2 ] || fail "the program's own handler was not called"

# Elsewhere the signal does what it always does.
export SURVIVOR_SIGNAL=raise
run "$corunna" run -n 2 "$survivor" recv fatal
[ "$status" -eq 138 ] || fail "status $status instead of 138 for ranks that send themselves SIGUSR1"
unset SURVIVOR_SIGNAL

# Gone before MPI_Init: killed, and Hydra ends the job; ended by itself, and Hydra does not care. The others wait in
# MPI_Init by then, where the machine is not too busy, and whenever they come to it the end is the same.
gone()
{
    run mpiexec.hydra -n 3 sh -c "test \$PMI_RANK != 1 || { sleep 0.2; $1; }; exec $mortal barrier 99"
}
gone 'kill -9 $$'
[ "$status" -eq 9 ] && [ "$took" -le "$(alive_limit_ms)" ] ||
    fail "killed before MPI_Init: status $status after $took ms"
seconds=$(($(patience_ms 1000) / 1000))
export CORUNNA_PMI_TIMEOUT="$seconds"
for how in 'exit 0' 'exit 3'; do
    gone "$how"
    [ "$status" -ne 0 ] && [ "$took" -ge $((seconds * 900)) ] ||
        fail "$how before MPI_Init: status $status after $took ms"
    grep -q "not all ranks have published their address within $seconds s (setting pmi.timeout)" "$work/err" ||
        fail "$how: no word"
done
echo "all checks passed"
