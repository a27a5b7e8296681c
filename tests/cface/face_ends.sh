#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How programs end that call MPI too early, too late, wrongly or not to the end: exit status and one clear sentence.
#
#   face_ends.sh PROGRAM

program=$1
failures=0

# expect STATUS TEXT ARGUMENTS...: the program ends with this status and says this on stderr.
expect() {
    status=$1 text=$2
    shift 2
    said=$(timeout 600 "$program" "$@" 2>&1 >/dev/null)
    got=$?
    case $said in
    *"$text"*) is_said=yes ;;
    *) is_said=no ;;
    esac
    if [ "$got" -ne "$status" ] || [ "$is_said" = no ]; then
        echo "$program $*: status $got (expected $status), said: $said (expected: $text)"
        failures=$((failures + 1))
    fi
}

host=$(uname -n)
for ranks in 0 1 3; do
    expect 0 "" fine $ranks
    expect 0 "" leave-all $ranks
    expect 16 "MPI_Barrier: called before MPI_Init" early $ranks
    expect 16 "MPI_Type_contiguous: called before MPI_Init" early-type $ranks
    expect 16 "MPI_Comm_rank: called after MPI_Finalize" late $ranks
    expect 6 "corunna: rank 0 on $host: MPI_Send: dest is 7, but the communicator has " fatal $ranks
    expect 5 "corunna: rank 0 on $host: MPI_Comm_size: comm is MPI_COMM_NULL" fatal-self $ranks
    expect 2 "corunna: rank 0 on $host: MPI_Recv: count is -2" abort-handler $ranks
    expect 19 "MPI_Waitall: array_of_statuses[0] has an error: message of 8 bytes from rank 0 with tag 3" \
        waitall $ranks
    expect 42 "corunna: rank 0 on $host: MPI_File_delete: nowhere: " file-fatal $ranks
    expect 33 "corunna: rank 0 on $host: MPI_Abort: called with error code 33" abort $ranks
done
expect 21 "corunna: rank 0 on $host: the rank returned 21 without MPI_Finalize" return 1
expect 21 "corunna: rank 0 on $host: the rank returned 21 without MPI_Finalize" return 3

[ "$failures" -eq 0 ] && echo "face_ends: passed"
exit "$failures"
