#!/bin/sh
# Ranks that do not agree, as a program sees it: what is said, once, and that nobody waits for anybody.
#   disagree_test.sh LAUNCHER PROGRAM
set -u
launcher=$1 program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# expect STATUS PATTERN WHAT...: a job of three ends so, 1 standing for any failure but the time limit's, and says so.
expect() {
    status=$1 pattern=$2
    shift 2
    timeout 60 "$launcher" run --timeout 50 -n 3 "$program" "$@" > "$work/said" 2>&1
    got=$?
    if [ $got = 124 ]; then
        got=hang
    elif [ $got -gt 1 ]; then
        got=1
    fi
    if [ "$got" != "$status" ] || ! grep -Eq -- "$pattern" "$work/said"; then
        echo "FAILED: $*: expected $status and '$pattern', got $got and:"
        head -c 2000 "$work/said"
        failed=1
    fi
}

# Without the knob it is told where a message shows it, in the words of the collective operation.
expect 1 "MPI_Wait: rank [0-9] of the job sent (12|40) bytes where this rank expects (12|40)" count
expect 0 "heard: .*MPI_Wait: rank [0-9] of the job sent (12|40) bytes where this rank expects (12|40)" count return
expect 1 "rank 2 on [^ ]*: MPI_Finalize: rank 0 of the job is in another collective call than this rank" gone

export CORUNNA_CHECK=1
expect 0 "^rank 2 ends" right
expect 1 "rank [0-9] on [^ ]*: MPI_Bcast: rank 2 passes root 1, rank 0 passes root 0" root
expect 0 "rank 1 heard: [^:]*: MPI_Bcast: rank 2 passes root 1, rank 0 passes root 0$" root return
expect 1 "MPI_Allreduce: rank 2 passes MPI_DOUBLE, rank 0 passes MPI_INT" type
expect 0 "rank 2 heard: .*MPI_Wait: rank 2 calls MPI_Ibcast, rank 0 calls MPI_Bcast" form return
expect 0 "rank 0 heard: .*MPI_Bcast: rank 2 calls MPI_Ibcast, rank 0 calls MPI_Bcast" form return
expect 0 "rank 0 heard: .*MPI_Wait: MPI_Iallreduce: rank 2 passes 12 bytes, rank 0 passes 40 bytes" count return
# Whoever is in MPI_Finalize is not waited for, and waits for the others.
expect 1 "MPI_Barrier: rank 2 calls MPI_Finalize, rank 0 calls MPI_Barrier" gone
expect 0 "rank 1 heard: .*MPI_Barrier: rank 2 calls MPI_Finalize, rank 0 calls MPI_Barrier" gone return
grep -q "^rank 2 ends" "$work/said" && ! grep -q "rank 2 heard" "$work/said" || {
    echo "FAILED: rank 2 does not end as it should"
    failed=1
}

[ $failed = 0 ] && echo "whoever differs is named"
exit $failed
