#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# wire.sh BUILD short|whole [WORD], inside the guest: what ibvdev does under settings that the suites (suites.sh) leave
# as they are, what it says of mistakes, deaths and cut links, and what a transfer costs. Whole: with more ranks. With a
# word only rows with it in the name.
set -u
build=$1 amount=$2 word=${3:-} table=wire
tests=$(cd "$(dirname "$0")/.." && pwd)
. "$tests/rdma_vm/devices.sh"
. "$tests/rdma_vm/rows.sh"
make_devices
# Memory that was freed is overwritten, so that a use of it is noticed.
export MALLOC_PERTURB_=165 GLIBC_TUNABLES=glibc.malloc.tcache_count=0 CORUNNA_DEV=ibvdev CORUNNA_IBV_DEVICE=rxe0

limit=$((590 * crowd)) # of a job, so that the launcher says what hangs
ranks="$build/bin/corunna run --timeout $limit -n"
p2p=$build/tests/p2p/p2p
dense=$build/tests/p2p/dense
narrow="CORUNNA_IBV_CREDITS=4 CORUNNA_IBV_SEND_QUEUE=4 CORUNNA_IBV_SEND_BUFFERS=4 CORUNNA_IBV_BUFFER=512"
# A process without the privilege to lock.
limited="setpriv --bounding-set -ipc_lock --inh-caps -ipc_lock prlimit --memlock"
sleepy="CORUNNA_WAIT_SPIN_US=0 CORUNNA_WAIT_YIELDS=0"
exchange="CORUNNA_IBV_SETUP=exchange"
# So that deaths are noticed soon.
soon="CORUNNA_IBV_ACK_TIMEOUT=16 ALIVE_LIMIT_MS=20000"
# Small buffers, since with those of the default 64 ranks would take half of the guest's memory of 2 GiB.
all_pairs="CORUNNA_IBV_CONNECT_ALL=yes CORUNNA_IBV_CREDITS=4 CORUNNA_IBV_SEND_QUEUE=8 CORUNNA_IBV_SEND_BUFFERS=16
    CORUNNA_IBV_BUFFER=1k CORUNNA_LOG=info"
# Its time grows with the pairs.
case $amount in
    short) many=40 ;;
    whole) many=64 ;;
esac

# So that a row is a command: `says TEXT COMMAND...` prints what the command says, and fails if the text is not in it.
cat > /tmp/says << 'EOF'
#!/bin/sh
wanted=$1
shift
"$@" > /tmp/said 2>&1
cat /tmp/said
grep -q "$wanted" /tmp/said
EOF
# `all_pairs RANKS COMMAND...`: every rank tells that it was connected with all others.
cat > /tmp/all_pairs << 'EOF'
#!/bin/sh
ranks=$1
shift
"$@" > /tmp/said 2>&1 || { cat /tmp/said; exit 1; }
count=$(grep -c "connected with $((ranks - 1)) of $((ranks - 1)) other ranks" /tmp/said)
echo "$count of $ranks ranks were connected with all others"
[ "$count" = "$ranks" ]
EOF
# `cut COMMAND...`: the fabric goes while ranks wait for each other. They end, and say what the device reports. The
# kernel's own queue pair, by which RDMA CM speaks, fails on what it sends meanwhile and never works again (Linux 6.1:
# its requests are counted as sent, and none arrives, whatever the program), so the device is made anew.
{
    echo '#!/bin/sh'
    echo ". '$tests/wait_lib.sh'"
    cat << 'EOF'
"$@" > /tmp/said 2>&1 &
job=$!
wait_until grep -q ready /tmp/said
ip link set roce down
wait $job
ip link set roce up
rdma link delete rxe0
rdma link add rxe0 type rxe netdev roce
cat /tmp/said
grep -q "rank [01] on .* is lost: .*\(its host gives no sign of life\|the RDMA device reports\)" /tmp/said
EOF
} > /tmp/cut
# `hydra MOURNER`: rank 1 dies as if on another host, without ever having been connected to; Hydra alone knows.
cat > /tmp/hydra << 'EOF'
#!/bin/sh
command -v mpiexec.hydra > /dev/null || { echo "skipped: there is no mpiexec.hydra (Debian: mpich)" && exit 0; }
timeout $((590 * ${GUEST_CROWD:-1})) mpiexec.hydra -disable-auto-cleanup -n 3 sh -c 'trap : USR1
    case $PMI_RANK in
        1) exec unshare --pid --fork --kill-child --mount-proc timeout -s KILL 15 "$0" first ;;
        *) "$0" first ;;
    esac' "$1" > /tmp/said 2>&1
cat /tmp/said
[ "$(grep -c '^rank [02]: .*rank 1 on .* is lost: its process has ended' /tmp/said)" = 2 ]
EOF
chmod +x /tmp/says /tmp/all_pairs /tmp/cut /tmp/hydra

# shellcheck disable=SC2086
{
    row "p2p on 5 ranks" 120 "" $ranks 5 "$p2p" order wildcard cancel sync truncate sendrecv
    row "p2p, the sender puts" 120 "CORUNNA_IBV_GET_MAX=10k" $ranks 2 "$p2p" sizes.unexpected truncate
    row "p2p, smallest queues" 120 "$narrow" $ranks 3 "$p2p" order truncate sync sizes.unexpected
    row "p2p, smallest queues, nothing inline" 120 "$narrow CORUNNA_IBV_INLINE_MAX=0 CORUNNA_IBV_SIGNAL_EVERY=1" \
        $ranks 2 "$p2p" order truncate cancel
    row "p2p, sleep at once" 120 "$sleepy" $ranks 2 "$p2p" order sync wildcard probe
    row "mailbox, p2p on 3 ranks" 120 "CORUNNA_IBV_MAILBOX=1k" $ranks 3 "$p2p" order wildcard probe cancel sync \
        truncate sendrecv complete
    row "mailbox, lengths" 120 "CORUNNA_IBV_MAILBOX=256" $ranks 2 "$p2p" sizes.unexpected
    row "mailbox, smallest queues" 120 "$narrow CORUNNA_IBV_MAILBOX=64" $ranks 3 "$p2p" order truncate sync
    row "mailbox, nothing inline, sleep at once" 120 "$sleepy CORUNNA_IBV_MAILBOX=64 CORUNNA_IBV_INLINE_MAX=0" \
        $ranks 2 "$p2p" order sync wildcard probe
    row "mailbox, too many ranks" 60 "CORUNNA_LOG=info CORUNNA_IBV_MAILBOX=64 CORUNNA_IBV_MAILBOX_BYTES=2k" \
        /tmp/says "no mailboxes, since 2048 bytes (ibv.mailbox_bytes) are too few for 3 ranks" \
        $ranks 3 "$p2p" order.one_tag
    row "p2p, hybrid" 120 "CORUNNA_DEV=hybdev" \
        "$tests/p2p/apart.sh" "$build/bin/corunna" 3 "$p2p" order wildcard sync truncate
    row "p2p, hybrid goes by RDMA" 60 "CORUNNA_DEV=hybdev CORUNNA_LOG=info" /tmp/says "to rank 2: wire ibv" \
        "$tests/p2p/apart.sh" "$build/bin/corunna" 3 "$p2p" order.one_tag
    row "p2p, hybrid without RDMA says so" 60 "CORUNNA_DEV=hybdev CORUNNA_LOG=info CORUNNA_IBV_HYBRID=no" \
        /tmp/says "no RDMA between hosts, since rank 0" \
        "$tests/p2p/apart.sh" "$build/bin/corunna" 3 "$p2p" order.one_tag
    row "memory is mapped anew" 120 "" $ranks 2 "$build/tests/rdma_vm/remapped"
    row "memory is mapped anew, the sender puts, stack" 120 "CORUNNA_IBV_GET_MAX=10k CORUNNA_IBV_CACHE=stack" $ranks 2 \
        "$build/tests/rdma_vm/remapped"
    row "mappings that change are noticed" 60 "" "$build/tests/unit/unit_ibv_mappings" 50
    row "costs" 240 "" "$tests/rdma_vm/costs.sh" "$build"
    row "too little locked memory" 60 "" \
        sh -c '"$@" 2>&1 | grep "cannot register.*this process may lock 65536 .*ulimit -l"' sh \
        $limited=65536 $ranks 2 "$p2p" order
    row "too little locked memory, hybrid" 60 "CORUNNA_DEV=hybdev" \
        sh -c '"$@" 2>&1 | tee /tmp/said | grep "no RDMA between hosts, TCP instead: .*ulimit -l" &&
            [ "$(grep -c "no RDMA" /tmp/said)" = 1 ]' sh \
        $limited=65536 "$tests/p2p/apart.sh" "$build/bin/corunna" 3 "$p2p" order.one_tag
    row "too little locked memory for a long message" 60 "CORUNNA_IBV_SEND_BUFFERS=16 CORUNNA_IBV_CREDITS=8" \
        sh -c '"$@" > /tmp/said 2>&1 && grep "cannot register.*ulimit -l.*copied in pieces" /tmp/said' sh \
        $limited=262144 $ranks 2 "$build/tests/rdma_vm/transfers" long 3
    row "what is kept makes room for a connection" 60 "CORUNNA_IBV_SEND_BUFFERS=16 CORUNNA_IBV_CREDITS=8" \
        $limited=524288 $ranks 3 "$build/tests/rdma_vm/transfers" spread 12
    row "cut" 120 "" /tmp/cut "$build/bin/corunna" run --timeout $limit -n 2 "$build/tests/p2p/victim"
    row "all pairs of 20 ranks" 240 "$all_pairs" /tmp/all_pairs 20 $ranks 20 "$dense" 64 1
    row "faults" 120 "ALIVE_LIMIT_MS=20000" "$tests/alive/alive_test.sh" "$build/tests/alive/careless" \
        "$build/tests/alive/survivor" 3 plain recv barrier words
    # By RDMA CM 64 ranks take minutes here.

    # Without RDMA CM.
    row "exchange, p2p, lengths" 120 "$exchange CORUNNA_IBV_MTU=1024" $ranks 2 "$p2p" sizes.unexpected
    row "exchange, p2p, smallest queues" 120 "$exchange $narrow" $ranks 3 "$p2p" order truncate sync
    row "exchange, p2p, sleep at once" 120 "$exchange $sleepy" $ranks 2 "$p2p" order sync wildcard probe
    row "exchange, mailbox, collectives" 120 "$exchange CORUNNA_IBV_MAILBOX=1k" $ranks 3 \
        "$build/tests/coll/coll_suite" --processes bcast
    row "exchange, p2p, hybrid" 120 "$exchange CORUNNA_DEV=hybdev" "$tests/p2p/apart.sh" "$build/bin/corunna" 3 "$p2p" \
        order wildcard sync truncate
    row "exchange, faults" 120 "$exchange $soon" "$tests/alive/alive_test.sh" "$build/tests/alive/careless" \
        "$build/tests/alive/survivor" 3 plain recv
    # Ranks that were never connected with the dead one; there is no other limit (ibv.connect_s).
    row "exchange, killed before a connection" 120 "$exchange" "$tests/p2p/killed_unseen_test.sh" \
        "$build/bin/corunna" "$build/tests/p2p/mourner" first any_first
    row "exchange, Hydra tells of a death" 120 "$exchange" /tmp/hydra "$build/tests/p2p/mourner"
    row "exchange, cut" 120 "$exchange" /tmp/cut \
        "$build/bin/corunna" run --timeout $limit -n 2 "$build/tests/p2p/victim"
    row "exchange, all pairs of $many ranks" 300 "$exchange $all_pairs" /tmp/all_pairs $many $ranks $many "$dense" 64 1
    ip address del 10.0.0.1/24 dev roce
    row "exchange, for want of an IP address" 60 "" $ranks 2 "$p2p" order.one_tag
    ip address add 10.0.0.1/24 dev roce

    # What cannot be, and the way out.
    row "wrong, no such device" 60 "CORUNNA_IBV_DEVICE=none0" /tmp/says "no RDMA device none0" $ranks 2 "$p2p" order
    row "wrong, no such port" 60 "CORUNNA_IBV_PORT=7" \
        /tmp/says "ibv.port is 7, but the last port of the RDMA device rxe0 is 1" $ranks 2 "$p2p" order
    row "wrong, no such GID" 60 "CORUNNA_IBV_GID_INDEX=200" \
        /tmp/says "ibv.gid_index is 200, but port 1 of the RDMA device rxe0" $ranks 2 "$p2p" order
    ip link set roce mtu 1500
    row "wrong, MTU" 60 "CORUNNA_IBV_MTU=4096" /tmp/says "ibv.mtu is 4096, but port 1 of the RDMA device rxe0 has" \
        $ranks 2 "$p2p" order
    ip link set roce mtu 4200
    row "wrong, MTU for RDMA CM" 60 "CORUNNA_IBV_MTU=256 CORUNNA_IBV_SETUP=cm" \
        /tmp/says "ibv.mtu works with ibv.setup=exchange" $ranks 2 "$p2p" order
    row "wrong, buffers that differ" 60 "" /tmp/says "ibv.buffer is [0-9]* on rank [01] and" \
        $ranks 2 sh -c 'CORUNNA_IBV_BUFFER=$((8192 + 1024 * PMI_RANK)) exec "$@"' sh "$p2p" order
    row "wrong, set-ups that differ" 60 "" /tmp/says "connections are made by .* on rank [01], and not on rank" \
        $ranks 2 sh -c '[ "$PMI_RANK" = 0 ] || export CORUNNA_IBV_SETUP=exchange; exec "$@"' sh "$p2p" order
    ip link set roce down
    row "wrong, port down" 60 "" /tmp/says "port 1 of the RDMA device rxe0 is down" $ranks 2 "$p2p" order
    ip link set roce up
    [ "${RDMA_SIW:-yes}" = no ] || row "iWARP, its driver is loaded" 5 "" test -d /sys/module/siw
    if [ -d /sys/module/siw ]; then
        # Reads among sends, which complete in another order than on InfiniBand.
        row "iWARP, random messages" 120 "CORUNNA_IBV_DEVICE=siw0 CORUNNA_TEST_SLOW=1" $ranks 2 "$p2p" random
        row "wrong, mailbox on iWARP" 60 "CORUNNA_IBV_DEVICE=siw0 CORUNNA_IBV_MAILBOX=64" \
            /tmp/says "no mailboxes (ibv.mailbox): iWARP" $ranks 2 "$p2p" order.one_tag
        row "wrong, iWARP by exchange" 60 "CORUNNA_IBV_DEVICE=siw0 $exchange" \
            /tmp/says "siw0 is of iWARP, which is connected by RDMA CM" $ranks 2 "$p2p" order
    fi
}

exit $failed
