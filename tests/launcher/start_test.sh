#!/bin/sh
# One rank cannot start: it says why, once, and nobody waits for it. start_test.sh CORUNNA PROBE RANK_PROBE P2P
here=$(cd "$(dirname "$0")" && pwd)
one_rank=$here/one_rank.sh
# With a /dev/shm of its own: a rank that is ended while it starts leaves its segment there, if that is a file.
if [ -z "${START_ALONE:-}" ] && unshare --mount true 2>/dev/null; then
    START_ALONE=yes exec unshare --mount sh "$0" "$@"
fi
[ -z "${START_ALONE:-}" ] || mount -t tmpfs shm /dev/shm || exit 1
. "$here/launcher_lib.sh"
p2p=$4
# Whoever is not ended waits for the rest of this time.
export CORUNNA_PMI_TIMEOUT=100

# broken LAUNCHER... -- HOW SENTENCE: rank 2 of 4 is set up wrongly; the others are ended at once and say nothing.
broken() {
    launcher=
    while [ "$1" != -- ]; do
        launcher="$launcher $1"
        shift
    done
    # shellcheck disable=SC2086
    run $launcher -n 4 "$one_rank" 2 "$2" "$p2p" barrier
    [ "$status" -ne 0 ] && [ "$status" -ne 124 ] || fail "$label: exit status $status"
    expect_within 10000
    [ "$(grep -c '^corunna: ' err)" -eq 1 ] || fail "$label: not one sentence: $(head -c 600 err)"
    grep -q "^corunna: rank 2 on .*: MPI_Init_thread: $3" err || fail "$label: stderr lacks \"$3\": $(head -c 600 err)"
}

# every LAUNCHER...: all that may go wrong.
every() {
    broken "$@" -- CORUNNA_SM_EAGER_MAX=many 'CORUNNA_SM_EAGER_MAX is "many"'
    broken "$@" -- CORUNNA_DEV=nodev 'CORUNNA_DEV is "nodev"'
    broken "$@" -- CORUNNA_PMI=pmix 'the setting pmi is pmix, but PMIX_RANK is not set'
    export CORUNNA_DEV=tcpdev
    broken "$@" -- CORUNNA_TCP_INTERFACE=nosuch0 '.*nosuch0'
    unset CORUNNA_DEV
    if [ -n "${START_ALONE:-}" ]; then
        export CORUNNA_SM_SEGMENT=file
        broken "$@" -- full 'cannot size the shared segment to [0-9]* bytes: No space left on device'
        unset CORUNNA_SM_SEGMENT
    else
        echo "not tried: a full /dev/shm, which takes root"
    fi
}

every "$corunna" run
[ "$status" -eq 1 ] || fail "$label: exit status $status instead of 1"
if command -v mpiexec.hydra >/dev/null; then
    every mpiexec.hydra
else
    echo "not tried: mpiexec.hydra is not installed (Debian package mpich)"
fi

# Settings that must be the same everywhere: whoever sees the difference says so.
run "$corunna" run -n 4 "$one_rank" 2 CORUNNA_DEV=tcpdev "$p2p" barrier
expect_status 1
expect_within 10000
grep -v '^corunna: rank [0-3] on .*: MPI_Init_thread: rank [0-3] does not offer wire [a-z]* as rank [0-3] does: the' \
    err && fail "$label: $(head -c 400 err)"
[ -s err ] || fail "$label: nobody says anything"

# All of them are wrong: the same sentence of each that came so far, and nothing else.
run "$corunna" run -n 4 env CORUNNA_SM_EAGER_MAX=many "$p2p" barrier
expect_status 1
expect_within 10000
grep -v '^corunna: rank [0-3] on .*: MPI_Init_thread: CORUNNA_SM_EAGER_MAX is "many"' err && fail "$label: $(cat err)"
[ -s err ] || fail "$label: nobody says anything"
# A job of one has nobody to end.
run env CORUNNA_SM_EAGER_MAX=many "$p2p" barrier
[ "$status" -ne 0 ] || fail "$label: exit status 0"
expect_err '^corunna: MPI_Init_thread: CORUNNA_SM_EAGER_MAX is "many"'

finish
