#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# MPI programs over real hosts: messages inside a host by shared memory, between hosts by TCP, and links that are slow,
# lose packets, or break. Arguments as for the other tests, then an MPI program and bad_link, then perhaps corunna.jar
# and the folder of the Java program.
. "$(dirname "$0")/hosts_lib.sh"
. "$(dirname "$0")/launcher_lib.sh"
unset SLURM_JOB_NODELIST SLURM_TASKS_PER_NODE CORUNNA_RUN_LAUNCHER CORUNNA_DEV
program=$4
bad_link=$5
jar=${6:-}
classes=${7:-}

hosts_up 3
three=h1:2,h2:2,h3:2

# ---- messages -------------------------------------------------------------------------------------------------------
run "$corunna" run --hosts $three "$program" hello
expect_status 0
expect_quiet
expect_out '0:h1 1:h1 2:h2 3:h2 4:h3 5:h3'
run "$corunna" run --map node --hosts h1:2,h0:1,h3:1 "$program" hello
expect_out '0:h1 1:h0 2:h3 3:h1'
# What 50 rounds of the mix of 6 ranks sum up to.
mixed=$(awk 'BEGIN { for (r = 0; r < 50; r++) for (f = 0; f < 6; f++) for (t = 0; t < 6; t++) s += f * 1000 + t + r
    print s }')
for device in hybdev tcpdev; do
    for bytes in 0 8 1000 100000 3000000; do
        run "$corunna" run --dev $device --hosts $three "$program" ring $bytes 3
        expect_status 0
        expect_out '3 laps'
    done
    run "$corunna" run --dev $device --fan 1 --hosts $three "$program" mix 50
    expect_status 0
    expect_out "sum $mixed"
done

# Shared memory alone cannot reach another host, and says so.
run "$corunna" run --dev smdev --hosts h1,h2 "$program" hello
[ "$status" -ne 0 ] || fail "$label: shared memory pretends to reach another host"
[ -s err ] || fail "$label: nobody was told why"

# Addresses that other hosts cannot connect to are reported at the start: loopback, and a bridge that is the same
# everywhere.
for i in 1 2; do
    host_exec $i ip link add same0 type bridge
    host_exec $i ip addr add 172.17.0.1/16 dev same0
    host_exec $i ip link set same0 up
done
for interface in lo same0; do
    run "$corunna" run --tune tcp.interface=$interface --hosts h1:2,h2:1 "$program" hello
    expect_status 1
    expect_soon
    sentence="rank [012] on h[12] offers no address that can be called from here: .* is this host itself"
    grep -v "^corunna: rank [012] on h[12]: MPI_Init[a-z_]*: $sentence (tcp.interface, here \"$interface\"" err &&
        fail "$label: $(head -c 600 err)"
    [ -s err ] || fail "$label: nobody says anything"
done
# Where ranks are not told otherwise it does no harm, and one host does not need any other.
run "$corunna" run --hosts h1:2,h2:1 "$program" hello
expect_status 0
expect_out '0:h1 1:h1 2:h2'
run "$corunna" run --tune tcp.interface=lo --dev tcpdev --hosts h1:2 "$program" hello
expect_status 0
expect_out '0:h1 1:h1'
for i in 1 2; do
    host_exec $i ip link del same0
done

# What a rank says of its ways: which, why and where.
run "$corunna" run --hosts h1:2,h2:1 "$corunna" info --routes
expect_status 0
grep -q '^rank 0 on h1 to rank 1: wire sm on this host' out || fail "$label: $(cat out)"
grep -q '^rank 2 on h2 to ranks 0-1: wire tcp on h1, another host, at 10.77.0.1, ' out || fail "$label: $(cat out)"

# A file of hosts may name the interface of each: the name of an address, which is looked up there.
for i in 1 2; do
    host_exec $i ip addr add 10.78.0.$i/24 dev eth0
    echo "10.78.0.$i h$i-fast" >>/mnt/etc/hosts
    echo "h$i:1 ifhn=h$i-fast" >>fast
done
run "$corunna" run --hostfile fast "$corunna" info --routes
expect_status 0
expect_quiet
grep -q '^rank 0 on h1 to rank 1: wire tcp on h2, another host, at 10.78.0.2, ' out || fail "$label: $(cat out)"
grep -q '^rank 1 on h2 to rank 0: wire tcp on h1, another host, at 10.78.0.1, ' out || fail "$label: $(cat out)"
echo "h3:1 ifhn=nosuch" >>fast
run "$corunna" run --hostfile fast "$program" hello
expect_status 1
expect_err 'tcp.interface is "nosuch"; no interface that is up has this name'
for i in 1 2; do
    host_exec $i ip addr del 10.78.0.$i/24 dev eth0
done

# ---- a rank that dies -----------------------------------------------------------------------------------------------
# await_waiting: until rank 0 of the job in the background says that all wait.
await_waiting() {
    await_lines out waiting || fail "$mark: the job did not start: $(cat err)"
}

start() {
    mark=$1
    shift
    : >out
    setsid "$corunna" run "$@" >out 2>err &
    job=$!
}

ended() {
    label=$mark
    wait_for_job
}

start "killed rank" --hosts $three "$program" wait 3
await_waiting
host_await 2 host_job 2 || fail "$mark: two ranks should run on h2"
host_exec 2 sh -c 'kill -9 $(grep -laFf /mnt/mark_pattern /proc/[0-9]*/cmdline | cut -d/ -f3 | sort -n | tail -n 1)'
ended
expect_soon
expect_status 137
grep -q '^corunna run: rank [23] on host h2 was killed by signal 9 (Killed); ending the job$' err ||
    fail "$mark: $(cat err)"
for i in 1 2 3; do
    host_await $i host_job 0 || fail "$mark: ranks were left behind on h$i"
done

# ---- slow and lossy links -------------------------------------------------------------------------------------------
# worse HOSTS: a job of six ranks gets through these links whole.
worse() {
    run "$corunna" run --hosts "$1" "$program" ring 300000 3
    expect_status 0
    expect_out "3 laps"
    run "$corunna" run --hosts "$1" "$program" mix 50
    expect_status 0
    expect_out "sum $mixed"
}
# Two more hosts, a millisecond away from all others; of what they send and get one frame in a hundred is lost.
has_bad_hosts=
if host_up_bad 4 1000 10 && host_up_bad 5 1000 10; then
    has_bad_hosts=1
    worse h1:2,h4:2,h5:2
    run "$corunna" run --hosts h4,h5 "$program" stream 8 0
    expect_status 0
    expect_out "8 megabytes"
else
    echo "no test with a fixed delay and random loss: $(cat /mnt/v4.log)"
fi
# A queue of a few packets before a slow link: it delays, and throws away what does not fit.
narrow="root tbf rate 50mbit burst 16kb limit 20kb"
# shellcheck disable=SC2086
if tc qdisc add dev v1 $narrow 2>/dev/null; then
    for i in 1 2 3; do
        [ $i -eq 1 ] || tc qdisc add dev v$i $narrow
        host_exec $i tc qdisc add dev eth0 $narrow
    done
    worse $three
    for i in 1 2 3; do
        tc qdisc del dev v$i root
        host_exec $i tc qdisc del dev eth0 root
    done
else
    echo "this system has no tbf: no test with a narrow link"
fi

# ---- links that break -----------------------------------------------------------------------------------------------
# have_left I BYTES: so many bytes have gone to host I.
sent_to() {
    awk -v link="v$1:" '$1 == link { print $10 }' /proc/net/dev
}
have_left() {
    [ "$(sent_to "$1")" -ge "$2" ]
}

# Three seconds in the middle of a transfer: everything arrives, exactly. Where the machine is busy they last longer,
# and so does the patience of launcher and ranks, ten seconds otherwise.
cut_for_3_s() {
    before=$(sent_to "$2")
    patience_s=$(($(patience_ms 10000) / 1000))
    start "link of h$2 cut for 3 s" --host-timeout $patience_s --tune tcp.heartbeat_s=$patience_s \
        --hosts "h$1,h$2" "$program" stream "$3" 50
    wait_until have_left "$2" $((before + 3000000)) || fail "$mark: nothing is sent: $(cat err)"
    host_cut "$2"
    sleep 3
    host_join "$2"
    ended
    expect_status 0
    expect_quiet
    expect_out "$3 megabytes"
}
cut_for_3_s 1 2 60
[ -z "$has_bad_hosts" ] || cut_for_3_s 4 5 20

waits_or_has_ended() {
    has_lines out waiting || ! kill -0 "$job" 2>/dev/null
}

# For good: an error that names a rank, and an end. Where the machine is busy the other host, too, may be silent for
# some seconds, or not start: then both have more time.
cut_for_good() {
    for seconds in 4 20 100; do
        start "link of h$2 cut for good" --host-timeout $seconds --hosts "h$1,h$2" "$program" wait 1
        wait_until waits_or_has_ended || fail "$mark: the job did not start: $(cat err)"
        host_cut "$2"
        ended
        has_lines out waiting && ! grep -q "host h$1 is lost" err && break
        host_join "$2"
    done
    [ "$status" -ne 0 ] || fail "$mark: the job has ended well"
    grep -q "host h$2\|rank 1" err || fail "$mark: $(cat err)"
    host_await "$1" host_job 0 || fail "$mark: ranks were left behind on h$1"
    host_await "$2" host_job 0 || fail "$mark: ranks were left behind on h$2, beyond the break"
    host_join "$2"
}
cut_for_good 1 2
[ -z "$has_bad_hosts" ] || cut_for_good 4 5

# ---- Java -----------------------------------------------------------------------------------------------------------
if [ -n "$jar" ]; then
    export CORUNNA_JAR=$jar
    printf 'h1\nh2 # and a comment\n\nh3\n' >machines
    for device in niodev hybdev; do
        run "$bin/mpjrun.sh" -np 4 -machinesfile machines -dev $device -cp "$classes" HostHello
        expect_status 0
        expect_out 'h1 h1 h2 h3'
    done
    run "$corunna" run --hosts h2,h0 -n 2 java -cp "$jar:$classes" HostHello
    expect_status 0
    expect_out 'h2 h0'
else
    echo "no Java face was built: no test of mpjrun over hosts"
fi

finish
