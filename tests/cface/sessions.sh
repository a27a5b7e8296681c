#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The cases of sessions.c: alone, as threads, as processes, over TCP, as several programs, on several hosts; and how
# programs with sessions end.
#
#   sessions.sh PROGRAM LAUNCHER GROUP     GROUP: calls, orders, many, places, ends

program=$1 launcher=$2 group=$3
failures=0

fail() {
    echo "$*"
    failures=$((failures + 1))
}

# passes COMMAND...
passes() {
    said=$(timeout 600 "$@" 2>&1)
    got=$?
    [ "$got" -eq 0 ] && [ -z "$said" ] || fail "$*: status $got, said: $said"
}

# ends STATUS TEXT COMMAND...: with this status, or any other than 0 if it is `bad`; TEXT is in what it says.
ends() {
    status=$1 text=$2
    shift 2
    said=$(timeout 600 "$@" 2>&1)
    got=$?
    case $said in
    *"$text"*) ;;
    *) fail "$*: said: $said (expected: $text)" ;;
    esac
    if [ "$status" = bad ]; then
        [ "$got" -ne 0 ] && [ "$got" -ne 124 ] || fail "$*: status $got, said: $said"
    else
        [ "$got" -eq "$status" ] || fail "$*: status $got (expected $status), said: $said"
    fi
}


# everywhere CASE: alone, and on as many ranks as there are words in $counts.
everywhere() {
    passes "$program" "$1"
    for count in $counts; do
        passes "$program" "$1" "$count"
        passes "$launcher" run -n "$count" "$program" "$1"
    done
}

case $group in
calls)
    counts='1 3 4'
    for case in subgroups handlers buffers buffers_left buffers_of_world windows left; do
        everywhere $case
    done
    passes "$launcher" run -n 3 --dev tcpdev "$program" subgroups
    passes "$launcher" run -n 3 --dev tcpdev "$program" left
    passes "$program" several_threads
    passes "$program" several_threads 2
    passes "$launcher" run -n 2 "$program" several_threads
    passes "$program" waiting_thread
    passes "$launcher" run -n 2 "$program" waiting_thread
    ;;
orders)
    counts='1 2 4'
    for case in plain two within around across apart reopen levels fork; do
        [ $case != fork ] || counts=
        everywhere $case
    done
    passes "$launcher" run -n 2 "$program" fork
    passes "$program" reopen_counters
    passes "$launcher" run -n 3 "$program" mixed
    passes "$launcher" run -n 3 --dev tcpdev "$program" apart
    ;;
many)
    counts=2
    everywhere cycles
    everywhere many_left
    ;;
places)
    counts='1 3'
    everywhere psets
    SESSIONS_PROGRAMS=2 passes "$launcher" run -n 1 "$program" psets : -n 2 "$program" psets
    SESSIONS_PROGRAMS=3 passes "$launcher" run -n 1 "$program" psets : -n 2 "$program" psets : -n 1 "$program" psets
    # A host of another name.
    if unshare --uts hostname elsewhere 2> /dev/null; then
        SESSIONS_HOSTS=2 SESSIONS_PROGRAMS=2 passes "$launcher" run -n 2 "$program" psets : \
            -n 2 unshare --uts sh -c "hostname elsewhere; exec $program psets"
    fi
    ;;
ends)
    host=$(uname -n)
    for how in alone threads processes; do
        set -- "$program"
        before='' after=''
        [ $how != threads ] || after=2
        [ $how != processes ] || before="$launcher run -n 2"
        # shellcheck disable=SC2086 # they are several words, or none
        {
            ends 5 "corunna: rank 0 on $host: MPI_Comm_size: comm is MPI_COMM_WORLD, which exists from MPI_Init" \
                $before "$program" world $after
            ends 33 "MPI_Abort: called with error code 33" $before "$program" abort $after
            ends 16 "MPI_Barrier: called while no session is open" $before "$program" early $after
            CORUNNA_CHECK=1 ends 3 "" $before "$program" status $after
            CORUNNA_CHECK=1 ends "$([ $how = alone ] && echo 0 || echo bad)" \
                " on $host: the end of the program: the session of MPI_Session_init at " \
                $before "$program" check $after
        }
    done
    ends 9 "" "$program" open
    ends 9 "the rank returned 9 without MPI_Session_finalize" "$program" open 3
    ends bad "exited with status 9 after MPI_Init but before MPI_Finalize" "$launcher" run -n 3 "$program" open
    ends bad "rank 0" "$launcher" run -n 3 "$program" death
    ;;
esac

[ "$failures" -eq 0 ] && echo "sessions $group: passed"
exit "$failures"
