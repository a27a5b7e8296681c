#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What MPI_Finalize says, with the knob check, of messages never received, requests never completed and handles never
# freed: alone, as threads, as processes, over TCP.
#
#   checked_leftovers.sh PROGRAM LAUNCHER

program=$1 launcher=$2
failures=0
export CORUNNA_CHECK=yes

run_alone() {
    timeout 600 "$program" "$1"
}

run_threads() {
    timeout 600 "$program" "$1" 3
}

run_processes() {
    "$launcher" run --timeout 600 -n 3 "$program" "$1"
}

# leave RUN WAY: run it; what it says is then in $said.
leave() {
    what="$*"
    said=$("$@" 2>&1)
    got=$?
    if [ "$got" -ne 0 ]; then
        echo "$what: status $got: $said"
        failures=$((failures + 1))
    fi
}

# told COUNT PATTERN: so many of the lines match.
told() {
    times=$(printf '%s\n' "$said" | grep -c "^corunna: rank [0-9]* on $host: MPI_Finalize: $2\$")
    if [ "$times" -ne "$1" ]; then
        echo "$what: said $times times instead of $1: $2; it said: $said"
        failures=$((failures + 1))
    fi
}

# lines COUNT: so many lines in all.
lines() {
    told "$1" ".*"
}

host=$(uname -n)
at=" at [^ ]*+0x[0-9a-f]*\( in [^ ]*\)*"

# check_ways RANKS RUN: RUN WAY is a job of so many ranks.
check_ways() {
    ranks=$1 run=$2
    leave "$run" clean
    lines 0
    leave "$run" messages
    told 1 "a message of 12 bytes from rank 0 with tag 7 in the communicator MPI_COMM_WORLD was never received"
    told 2 "a message of [48] bytes from rank 0\( of the job\)* with tag [89] was never received; \
its communicator was freed"
    lines 3
    leave "$run" many
    told 10 "a message of 4 bytes from rank 0 with tag [0-9]* in the communicator MPI_COMM_WORLD was never received"
    told 1 "13 more messages were never received"
    lines 11
    leave "$run" requests
    told 1 "the request of MPI_Irecv$at was never completed"
    told 1 "the request of MPI_Isend$at was never completed"
    told 1 "the request of MPI_Send_init$at was never freed"
    told 1 "the request of MPI_Iallreduce$at was never completed"
    told 1 "the message of MPI_Mprobe$at was never received"
    lines 5
    leave "$run" handles
    told $ranks "the file \"/dev/null\" of MPI_File_open$at was never closed"
    told $ranks "the window \"field\" of MPI_Win_create_dynamic$at was never freed"
    told $ranks "the communicator \"grid\" of MPI_Comm_dup$at was never freed"
    told $ranks "the group of MPI_Comm_group$at was never freed"
    told $ranks "the datatype of MPI_Type_vector$at was never freed"
    told $ranks "the operator of MPI_Op_create$at was never freed"
    told $ranks "the info of MPI_Info_create$at was never freed"
    told $ranks "the info of MPI_Comm_get_info$at was never freed"
    told $ranks "the error handler of MPI_Comm_create_errhandler$at was never freed"
    lines $((9 * ranks))
}

check_ways 1 run_alone
check_ways 3 run_threads
check_ways 3 run_processes
export CORUNNA_DEV=tcpdev
check_ways 3 run_processes
unset CORUNNA_CHECK
leave run_alone handles
lines 0

[ "$failures" -eq 0 ] && echo "checked_leftovers: passed"
exit "$failures"
