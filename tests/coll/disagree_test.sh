#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ranks that do not agree, as a program sees it: what is said, once, and that nobody waits for anybody.
#   disagree_test.sh LAUNCHER PROGRAM
. "$(dirname "$0")/said_lib.sh"

# expect STATUS PATTERN WHAT...: a job of three ends so.
expect() {
    wanted=$1 words=$2
    shift 2
    ends "$wanted" "$words" "$launcher" run --timeout 500 -n 3 "$program" "$@"
}

# Without the knob it is told where a message shows it, in the words of the collective operation.
expect 1 "MPI_Wait: rank [0-9] of the job sent (12|40) bytes where this rank expects (12|40)" count
expect 0 "heard: .*MPI_Wait: rank [0-9] of the job sent (12|40) bytes where this rank expects (12|40)" count return
expect 1 "rank 2 on [^ ]*: MPI_Finalize: rank 0 of the job is in a different collective call than this rank" gone

export CORUNNA_CHECK=1
expect 0 "^rank 2 ends" right
expect 1 "rank [0-9] on [^ ]*: MPI_Bcast: rank 2 passes root 1, rank 0 passes root 0" root
expect 0 "rank 1 heard: [^:]*: MPI_Bcast: rank 2 passes root 1, rank 0 passes root 0$" root return
expect 1 "MPI_Allreduce: rank 2 passes MPI_DOUBLE, rank 0 passes MPI_INT" type
expect 1 "MPI_Bcast: rank 2 passes 4 of MPI_FLOAT, rank 0 passes 4 of MPI_INT" elements
other="1 of MPI_DOUBLE and 2 of MPI_INT" usual="1 of MPI_DOUBLE and 2 of MPI_FLOAT"
expect 1 "MPI_Allgather: rank 2 passes $other, rank 0 passes $usual" block
expect 1 "MPI_Gatherv: rank 2 sends $other to rank 0, which expects $usual" parts
expect 1 "MPI_Alltoallw: rank 2 sends 1 of MPI_FLOAT to rank 0, which expects 1 of MPI_INT" typed
expect 0 "rank 0 heard: .*MPI_Allgather: rank 2 sends 2 of MPI_FLOAT where 2 of MPI_INT are expected from it" \
    own return
expect 0 "rank 2 heard: .*MPI_Wait: rank 2 calls MPI_Ibcast, rank 0 calls MPI_Bcast" form return
expect 0 "rank 0 heard: .*MPI_Bcast: rank 2 calls MPI_Ibcast, rank 0 calls MPI_Bcast" form return
expect 0 "rank 0 heard: .*MPI_Wait: MPI_Iallreduce: rank 2 passes 12 bytes, rank 0 passes 40 bytes" count return
# Several that fail are told apart; where they share an error code its sentence tells of all, the first one first.
first="MPI_Ibcast: rank 2 passes 8 bytes, rank 0 passes 4 bytes"
second="MPI_Iallreduce: rank 2 passes MPI_MAX, rank 0 passes MPI_MIN"
expect 0 "rank 1 heard first: .*: MPI_Wait: $first$" two return
expect 0 "rank 1 heard: .*: MPI_Wait: $second$" two return
both="$first; array_of_statuses\[1\]: $second"
expect 0 "rank 0 heard: .*: MPI_Waitall: array_of_statuses\[0\] has an error: $both$" all return
expect 0 "rank 0 finds at 0: .*: MPI_Waitall: $both$" all return
expect 0 "rank 2 finds at 1: .*: MPI_Waitall: $both$" all return
expect 0 "rank 1 heard: .*: MPI_Waitsome: $first$" ignored return
many="$first; array_of_statuses\[2\]: MPI_Ibcast: rank 2 passes 12 bytes, .*; array_of_statuses\[4\]: .*\.\.\.$"
expect 0 "rank 0 heard: .*: MPI_Waitall: array_of_statuses\[0\] has an error: $many" many return
# Whoever is in MPI_Finalize is not waited for, and waits for the others.
expect 1 "MPI_Barrier: rank 2 calls MPI_Finalize, rank 0 calls MPI_Barrier" gone
expect 0 "rank 1 heard: .*MPI_Barrier: rank 2 calls MPI_Finalize, rank 0 calls MPI_Barrier" gone return
grep -q "^rank 2 ends" "$work/said" && ! grep -q "rank 2 heard" "$work/said" || {
    echo "FAILED: rank 2 does not end as it should"
    failed=1
}

finish "whoever differs is named"
