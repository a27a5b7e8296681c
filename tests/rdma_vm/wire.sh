#!/bin/sh
# wire.sh BUILD [WORD], inside the guest: programs of the other suites over ibvdev. A row is a name, settings and a command;
# each must end well within its time, which is long, since everything is emulated. With a word only rows with it in the name.
set -u
build=$1 word=${2:-}
tests=$(cd "$(dirname "$0")/.." && pwd)
. "$tests/rdma_vm/devices.sh"
make_devices
failed=0

# Memory that was freed is overwritten, so that a use of it is noticed.
row() # name, seconds, settings, command
{
    name=$1 seconds=$2 settings=$3
    shift 3
    case $name in *"$word"*) ;; *) return ;; esac
    began=$(date +%s)
    # shellcheck disable=SC2086
    if env MALLOC_PERTURB_=165 GLIBC_TUNABLES=glibc.malloc.tcache_count=0 CORUNNA_DEV=ibvdev CORUNNA_IBV_DEVICE=rxe0 \
        $settings timeout "$seconds" "$@" > /tmp/out 2>&1; then
        echo "wire: $name: fine, $(($(date +%s) - began)) s"
    else
        echo "wire: $name: FAILED, $(($(date +%s) - began)) s"
        tail -n 20 /tmp/out
        failed=1
    fi
}

ranks="$build/bin/corunna run --timeout 120 -n"
p2p=$build/tests/p2p/p2p
narrow="CORUNNA_IBV_CREDITS=4 CORUNNA_IBV_SEND_QUEUE=4 CORUNNA_IBV_SEND_BUFFERS=4 CORUNNA_IBV_BUFFER=512"
limited="setpriv --bounding-set -ipc_lock --inh-caps -ipc_lock prlimit --memlock" # a process without the privilege to lock
sleepy="CORUNNA_WAIT_SPIN_US=0 CORUNNA_WAIT_YIELDS=0"

# shellcheck disable=SC2086
{
    row "p2p on 2 ranks" 120 "" $ranks 2 "$p2p" order cancel sync truncate self sendrecv errors
    row "p2p on 3 ranks" 120 "" $ranks 3 "$p2p" order wildcard probe cancel sync truncate sendrecv complete
    row "p2p on 5 ranks" 120 "" $ranks 5 "$p2p" order wildcard cancel sync truncate sendrecv
    row "p2p, lengths" 120 "" $ranks 2 "$p2p" sizes.unexpected sizes.typed
    row "p2p, the sender puts" 120 "CORUNNA_IBV_GET_MAX=10k" $ranks 2 "$p2p" sizes.unexpected truncate
    row "p2p, smallest queues" 120 "$narrow" $ranks 3 "$p2p" order truncate sync sizes.unexpected
    row "p2p, smallest queues, nothing inline" 120 "$narrow CORUNNA_IBV_INLINE_MAX=0 CORUNNA_IBV_SIGNAL_EVERY=1" $ranks 2 \
        "$p2p" order truncate cancel
    row "p2p, sleep at once" 120 "$sleepy" $ranks 2 "$p2p" order sync wildcard probe
    # A thread that sleeps is woken though another one polls; otherwise it sleeps until a timer of a second runs out.
    row "p2p, threads" 120 "" $ranks 2 "$p2p" threads.ping_pong threads.blocked_receiver threads.sleeping_sister
    row "p2p, hybrid" 120 "CORUNNA_DEV=hybdev" "$tests/p2p/apart.sh" "$build/bin/corunna" 3 "$p2p" order wildcard sync truncate
    row "p2p, hybrid goes by RDMA" 60 "CORUNNA_DEV=hybdev CORUNNA_LOG=info" sh -c '"$@" 2>&1 | grep "to rank 2: wire ibv"' sh \
        "$tests/p2p/apart.sh" "$build/bin/corunna" 3 "$p2p" order.one_tag
    row "p2p, hybrid without RDMA says so" 60 "CORUNNA_DEV=hybdev CORUNNA_LOG=info CORUNNA_IBV_HYBRID=no" \
        sh -c '"$@" 2>&1 | grep "no RDMA between hosts, since rank 0"' sh "$tests/p2p/apart.sh" "$build/bin/corunna" 3 "$p2p" order.one_tag
    row "collectives" 120 "" $ranks 3 "$build/tests/coll/coll_suite" --processes bcast allreduce
    row "memory is mapped anew" 120 "" $ranks 2 "$build/tests/rdma_vm/remapped"
    row "memory is mapped anew, the sender puts, stack" 120 "CORUNNA_IBV_GET_MAX=10k CORUNNA_IBV_CACHE=stack" $ranks 2 \
        "$build/tests/rdma_vm/remapped"
    row "mappings that change are noticed" 60 "" "$build/tests/unit/unit_ibv_mappings" 50
    row "costs" 240 "" "$tests/rdma_vm/costs.sh" "$build"
    row "too little locked memory" 60 "" sh -c '"$@" 2>&1 | grep "cannot register.*this process may lock 65536 .*ulimit -l"' sh \
        $limited=65536 $ranks 2 "$p2p" order
    row "too little locked memory, hybrid" 60 "CORUNNA_DEV=hybdev" \
        sh -c '"$@" 2>&1 | tee /tmp/said | grep "no RDMA between hosts, TCP instead: .*ulimit -l" && [ "$(grep -c "no RDMA" /tmp/said)" = 1 ]' sh \
        $limited=65536 "$tests/p2p/apart.sh" "$build/bin/corunna" 3 "$p2p" order.one_tag
    row "too little locked memory for a long message" 60 "CORUNNA_IBV_SEND_BUFFERS=16 CORUNNA_IBV_CREDITS=8" \
        sh -c '"$@" > /tmp/said 2>&1 && grep "cannot register.*ulimit -l.*copied in pieces" /tmp/said' sh \
        $limited=262144 $ranks 2 "$build/tests/rdma_vm/transfers" long 3
    row "what is kept makes room for a connection" 60 "CORUNNA_IBV_SEND_BUFFERS=16 CORUNNA_IBV_CREDITS=8" \
        $limited=524288 $ranks 3 "$build/tests/rdma_vm/transfers" spread 12
    row "Java" 240 "" $ranks 2 java -XX:TieredStopAtLevel=1 -cp "$build/lib/corunna.jar:$build/examples" Hello
    row "faults" 120 "ALIVE_LIMIT_MS=20000" "$tests/alive/alive_test.sh" "$build/tests/alive/careless" \
        "$build/tests/alive/survivor" 3 plain recv barrier words
    row "all pairs of 12 ranks" 120 "CORUNNA_IBV_CONNECT_ALL=yes" $ranks 12 "$p2p" barrier order.one_tag
    row "a device that is not there" 60 "CORUNNA_IBV_DEVICE=none0" sh -c '"$@" 2>&1 | grep "no RDMA device none0"' sh \
        $ranks 2 "$p2p" order
    row "settings that differ" 60 "" sh -c '"$@" 2>&1 | grep "ibv.buffer is [0-9]* on rank [01] and"' sh \
        $ranks 2 sh -c 'CORUNNA_IBV_BUFFER=$((8192 + 1024 * PMI_RANK)) exec "$@"' sh "$p2p" order
    if [ -d /sys/module/siw ]; then
        row "iWARP, p2p" 120 "CORUNNA_IBV_DEVICE=siw0" $ranks 3 "$p2p" order wildcard probe cancel sync truncate
    fi
}

# The fabric goes while ranks wait for each other: they end, and say what the device reports.
cut_test()
{
    "$build/bin/corunna" run --timeout 90 -n 2 "$build/tests/p2p/victim" > /tmp/victims 2>&1 &
    job=$!
    for _ in $(seq 300); do
        grep -q ready /tmp/victims && break
        sleep 0.1
    done
    ip link set roce down
    wait $job
    cat /tmp/victims
    grep "rank [01] on .* is lost: \(its host gives no sign of life\|the RDMA device reports\)" /tmp/victims
}
case cut in *"$word"*)
    export CORUNNA_DEV=ibvdev CORUNNA_IBV_DEVICE=rxe0
    if cut_test > /tmp/out 2>&1; then
        echo "wire: cut: fine"
    else
        echo "wire: cut: FAILED"
        tail -n 20 /tmp/out
        failed=1
    fi
    ;;
esac
exit $failed
