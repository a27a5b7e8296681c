#!/bin/bash
# Two ranks on two "hosts", which are network namespaces joined by a bridge in a third. The network is slow and loses
# packets; it is cut for three seconds, which nobody may notice; it is cut for good, which must end in a sentence that
# names the lost rank, and in no hang.
#
#   cut_network_test.sh LAUNCHER STEADY      Needs root; without, it is skipped (77).
set -u
if [ "${1:-}" = --rank ]; then
    shift
    exec ip netns exec "$CUT_NETWORK$PMI_RANK" unshare --pid --fork --kill-child --mount-proc -- "$@"
fi
launcher=$1
steady=$2
export CUT_NETWORK="cor$$n"
hub=${CUT_NETWORK}hub
work=$(mktemp -d)

fail()
{
    echo "FAILED: $*" >&2
    cat "$work/out" "$work/err" >&2
    exit 1
}

end()
{
    [ -z "${job:-}" ] || kill "$job" 2> /dev/null
    for name in "$hub" "${CUT_NETWORK}0" "${CUT_NETWORK}1"; do
        ip netns del "$name" 2> /dev/null
    done
    rm -rf "$work"
}
trap end EXIT

set_up()
{
    ip netns add "$hub" && ip -n "$hub" link add bridge0 type bridge && ip -n "$hub" link set bridge0 up || return 1
    for i in 0 1; do
        ip netns add "$CUT_NETWORK$i" &&
            ip -n "$hub" link add "port$i" type veth peer name eth0 netns "$CUT_NETWORK$i" &&
            ip -n "$hub" link set "port$i" master bridge0 up &&
            ip -n "$CUT_NETWORK$i" address add "10.77.0.1$i/24" dev eth0 &&
            ip -n "$CUT_NETWORK$i" link set eth0 up && ip -n "$CUT_NETWORK$i" link set lo up || return 1
    done
}
if ! set_up 2> "$work/set_up" || ! unshare --pid --fork --mount-proc true 2>> "$work/set_up"; then
    echo "skipped: network namespaces cannot be made here, which takes root: $(head -1 "$work/set_up")"
    exit 77
fi

# start SECONDS [NAME=VALUE...]: the job in the background, until it has begun
start()
{
    seconds=$1
    shift
    : > "$work/out"
    env "$@" "$launcher" run --timeout 60 -n 2 "$0" --rank "$steady" "$seconds" > "$work/out" 2> "$work/err" &
    job=$!
    for _ in $(seq 100); do
        grep -q begun "$work/out" && return
        sleep 0.1
    done
    fail "the job did not begin"
}

finish()
{
    wait "$job" || fail "$1: status $?"
    job=
    grep -q 'rounds came whole' "$work/out" || fail "$1: no result"
    echo "$1: $(tail -1 "$work/out")"
}

start 2 CORUNNA_LOG=info
finish "a good network"
grep -q 'wire tcp' "$work/err" || fail "TCP was not used"

if ip netns exec "$hub" tc qdisc add dev port1 root netem delay 1ms loss 1% 2> /dev/null; then
    start 3
    finish "1 ms more and 1 % lost"
    ip netns exec "$hub" tc qdisc del dev port1 root
else
    echo "without loss: this kernel has no netem"
fi

start 6
sleep 1
ip -n "$hub" link set port1 down
sleep 3
ip -n "$hub" link set port1 up
finish "cut for 3 s"

start 40 CORUNNA_TCP_HEARTBEAT_S=3 CORUNNA_TCP_RECONNECT_S=3
sleep 1
ip -n "$hub" link set port1 down
begin=$(date +%s)
wait "$job" && fail "a job without network ended well"
job=
took=$(($(date +%s) - begin))
[ "$took" -le 20 ] || fail "it took $took s to see that the network is gone"
grep -q 'rank [01] on .* is lost: ' "$work/err" || fail "no sentence names the lost rank"
echo "cut for good: after $took s: $(grep -o 'rank [01] on .* is lost: .*' "$work/err" | head -1)"
