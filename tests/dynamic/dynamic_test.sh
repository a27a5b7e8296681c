#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dynamic_test.sh CORUNNA SPAWNING MEETING PORT_ATTACKS CASE...: see README.md
set -u
. "$(dirname "$0")/../wait_lib.sh"
corunna=$1 spawning=$2 meeting=$3 attacks=$4
shift 4
room=$(mktemp -d) || exit 1
export CORUNNA_NAMES="$room/names"
trap 'rm -rf "$room"' EXIT

fail()
{
    echo "dynamic_test: $*" >&2
    cat "$room"/*.txt >&2 2> /dev/null
    exit 1
}

# Processes of this test that have not ended: their command line names its folder or its programs.
stays()
{
    for pid in /proc/[0-9]*; do
        tr '\0' ' ' 2> /dev/null < "$pid/environ" | grep -q "CORUNNA_NAMES=$room/names" || continue
        [ "${pid#/proc/}" = $$ ] || tr '\0' ' ' 2> /dev/null < "$pid/cmdline" | grep "$spawning\|$meeting\|$attacks"
    done
}

all_have_ended()
{
    [ -z "$(stays)" ]
}

nothing_stays()
{
    wait_until all_have_ended || fail "processes stay: $(stays)"
    [ -z "$(ls "$room/names" 2> /dev/null)" ] || fail "names stay: $(ls "$room/names")"
}

case $1 in
spawn) # CASE RANKS CHILDREN
    "$corunna" run --timeout 600 -n "$3" "$spawning" "$2" "$4" > "$room/out.txt" 2>&1 ||
        fail "$2 on $3 ranks ended with $?"
    ;;
spawn_alone) # without a launcher
    "$spawning" whole 2 > "$room/out.txt" 2>&1 || fail "ended with $?"
    ;;
spawn_over) # LIBRARY CHILDREN: by mpidev over another MPI
    if [ ! -e "$(dirname "$corunna")/../lib/libcorunna_mpi_$2.so" ]; then
        echo "SKIPPED: there is no mpidev over $2 (Debian packages libopenmpi-dev and openmpi-bin," \
            "libmpich-dev and mpich)"
        exit 77
    fi
    export CORUNNA_DEV=mpidev CORUNNA_MPI_LIBRARY="$2"
    "$corunna" run -n 2 "$spawning" connected "$3" > "$room/out.txt" 2>&1 || fail "spawning over $2 ended with $?"
    ;;
killed) # a child dies: the parent hears of it
    "$corunna" run --timeout 600 -n 1 "$spawning" killed 2 > "$room/out.txt" 2>&1 &&
        fail "a killed child is not noticed"
    grep -q noticed "$room/out.txt" || fail "the parent did not hear of the death"
    ;;
parent_killed) # the parent dies, without a launcher: its children end
    "$spawning" stay 2 > "$room/stay.txt" 2>&1 &
    staying=$!
    wait_until grep -q started "$room/stay.txt" || fail "the children did not start"
    kill -9 $staying
    wait $staying 2> /dev/null
    ;;
meet) # RANKS CLIENTS
    "$corunna" run --timeout 600 -n "$2" "$meeting" server "a name" "$3" > "$room/server.txt" 2>&1 &
    pids=$!
    i=0
    while [ $i -lt "$3" ]; do
        i=$((i + 1))
        "$corunna" run --timeout 600 -n $i "$meeting" client "a name" > "$room/client$i.txt" 2>&1 &
        pids="$pids $!"
    done
    for pid in $pids; do
        wait "$pid" || fail "one of the jobs ended with $?"
    done
    ;;
mortal) # RANKS: clients die at any moment while they meet a server, which goes on
    seed=${CORUNNA_TEST_SEED:-$$}
    echo "seed $seed"
    "$corunna" run --timeout 600 -n "$2" "$meeting" lasting mortals > "$room/server.txt" 2>&1 &
    server=$!
    is_published()
    {
        [ -n "$(ls "$room/names" 2> /dev/null)" ]
    }
    wait_until is_published || fail "the server publishes no name"
    for life_us in $(awk -v seed="$seed" 'BEGIN { srand(seed); while (i++ < 60) print int(2 ^ (9 + 8 * rand())) }'); do
        "$meeting" mortal mortals "$life_us" > "$room/client.txt" 2>&1
        code=$?
        [ $code -eq 0 ] || [ $code -eq 142 ] || fail "seed $seed: a client ended with $code after $life_us us"
        kill -0 $server 2> /dev/null || fail "seed $seed: the server ended with a client that lived for $life_us us"
    done
    "$meeting" mortal mortals 0 > "$room/client.txt" 2>&1 || fail "seed $seed: the last client ended with $?"
    wait $server || fail "seed $seed: the server ended with $?"
    ;;
kept) # the kernel looks after the connections of a port, so that none whose other host is gone stays
    export CORUNNA_DEV=smdev CORUNNA_TCP_INTERFACE=127.0.0.1
    "$meeting" server kept 1 > "$room/server.txt" 2>&1 &
    server=$!
    has_port()
    {
        for inode in $(ls -l /proc/$server/fd 2> /dev/null | sed -n 's/.*socket:\[\([0-9]*\)\].*/\1/p'); do
            port=$(awk -v inode="$inode" '$4 == "0A" && $10 == inode { sub(/.*:/, "", $2); print $2 }' /proc/net/tcp)
            [ -z "$port" ] || return 0
        done
        return 1
    }
    # A caller that says nothing is dropped after a while: then another calls. 02: the timer of the kernel's keep-alive
    # runs.
    is_kept()
    {
        bash -c "exec 3<>/dev/tcp/127.0.0.1/$((0x$port)); read -r -t 2 line <&3" 2> /dev/null &
        caller=$!
        tries=0 kept=
        while [ -z "$kept" ] && [ $tries -lt 50 ]; do
            kept=$(awk -v port=":$port" '$4 == "01" && index($2, port) && $6 ~ /^02:/' /proc/net/tcp)
            tries=$((tries + 1))
            sleep 0.02
        done
        kill $caller 2> /dev/null
        wait $caller 2> /dev/null
        [ -n "$kept" ]
    }
    wait_until has_port || fail "the server listens nowhere"
    tried=0
    until is_kept || [ $tried -ge 20 ]; do
        tried=$((tried + 1))
    done
    "$meeting" client kept > "$room/client.txt" 2>&1 || fail "the client ended with $?"
    wait $server || fail "the server ended with $?"
    [ $tried -lt 20 ] || fail "the port does not keep its connections"
    ;;
wrong | lookups)
    "$corunna" run --timeout 600 -n 2 "$meeting" "$1" > "$room/out.txt" 2>&1 || fail "$1 ended with $?"
    ;;
simulated)
    "$corunna" run --timeout 600 --sim nodes=1,ppn=2 "$meeting" "$1" > "$room/out.txt" 2>&1 || fail "$1 ended with $?"
    ;;
join | crowded) # without a launcher
    CORUNNA_TCP_INTERFACE=127.0.0.1 timeout 600 "$meeting" "$1" > "$room/out.txt" 2>&1 || fail "$1 ended with $?"
    ;;
# Of a process that is killed no name stays beyond the next look: at this name, or by a process that publishes another.
names_killed)
    for how in publish publish_forked; do
        for look in "absent one" "publish_short two" "publish_short one"; do
            CORUNNA_TCP_INTERFACE=127.0.0.1 "$meeting" $how one > "$room/stay.txt" 2>&1 &
            staying=$!
            wait_until grep -q published "$room/stay.txt" || fail "no name was published"
            kill -9 $staying
            wait $staying 2> /dev/null
            child=$(sed -n 's/^published //p' "$room/stay.txt")
            # shellcheck disable=SC2086 # two words
            CORUNNA_TCP_INTERFACE=127.0.0.1 "$meeting" $look > "$room/out.txt" 2>&1
            status=$?
            [ "$child" -eq 0 ] || kill -9 "$child"
            [ $status -eq 0 ] || fail "$look after $how ended with $status"
            [ -z "$(ls "$room/names")" ] || fail "the name of a killed process stays after $how and $look"
        done
    done
    ;;
port) # CASE
    CORUNNA_DEV=tcpdev CORUNNA_TCP_INTERFACE=127.0.0.1 timeout 1200 "$attacks" "$2" > "$room/out.txt" 2>&1 ||
        fail "$2 ended with $?"
    ;;
port_late) # 0: to the port, whose first frame begins at 104, the next at 164; 1: to the caller, at 133 and 193
    for flip in 0:107 0:115 0:150 0:167 0:400 1:136 1:144 1:180 1:196 1:400; do
        TEST_FLIP_WAY=${flip%:*} TEST_FLIP_AT=${flip#*:} CORUNNA_DEV=tcpdev CORUNNA_TCP_INTERFACE=127.0.0.1 \
            timeout 1200 "$attacks" late > "$room/out.txt" 2>&1
        status=$?
        [ $status -ne 124 ] || fail "byte $flip was changed, and the jobs do not end"
        grep -q "changed on its way\|bytes where [0-9]* were expected" "$room/out.txt" ||
            fail "nobody says that byte $flip was changed"
        wait_until all_have_ended || fail "processes stay: $(stays)"
    done
    ;;
port_knobs) # a range of ports that is free, in one of several tries
    try=0
    until CORUNNA_TCP_INTERFACE=127.0.0.1 \
        CORUNNA_TCP_PORTS="$((20000 + ($$ * 7 + try) % 10000))-$((20006 + ($$ * 7 + try) % 10000))" \
        timeout 600 "$attacks" knobs > "$room/out.txt" 2>&1; do
        grep -q "are in use" "$room/out.txt" || fail "knobs ended with $?"
        try=$((try + 10))
        [ $try -lt 200 ] || fail "no range of ports is free"
    done
    ;;
port_ipv6)
    grep -q "^00000000000000000000000000000001 " /proc/net/if_inet6 2> /dev/null || exit 77
    CORUNNA_DEV=tcpdev CORUNNA_TCP_INTERFACE=::1 timeout 600 "$attacks" once > "$room/out.txt" 2>&1 ||
        fail "over IPv6 it ended with $?"
    ;;
esac
nothing_stays
