#!/bin/sh
# wire.sh BUILD, inside the guest: programs of the other suites over ibvdev. A row is a device, settings, a number of ranks
# and a program; each must end well within its time, which is long, since everything is emulated.
set -u
build=$1
. "$(dirname "$0")/devices.sh"
make_devices
failed=0

row() # name, seconds, settings, ranks, program and arguments
{
    name=$1 seconds=$2 settings=$3 ranks=$4
    shift 4
    began=$(date +%s)
    # shellcheck disable=SC2086
    if env CORUNNA_IBV_DEVICE=rxe0 $settings "$build/bin/corunna" run --dev ibvdev --timeout "$seconds" -n "$ranks" "$@" \
        > /tmp/out 2>&1; then
        echo "wire: $name on $ranks ranks: fine, $(($(date +%s) - began)) s"
    else
        echo "wire: $name on $ranks ranks: FAILED, $(($(date +%s) - began)) s"
        tail -n 20 /tmp/out
        failed=1
    fi
}

p2p=$build/tests/p2p/p2p
narrow="CORUNNA_IBV_CREDITS=4 CORUNNA_IBV_SEND_QUEUE=4 CORUNNA_IBV_SEND_BUFFERS=4 CORUNNA_IBV_BUFFER=512"
sleepy="CORUNNA_WAIT_SPIN_US=0 CORUNNA_WAIT_YIELDS=0"

row p2p 90 "" 2 "$p2p" order cancel sync truncate self sendrecv buffered persistent comm errors
row p2p 90 "" 3 "$p2p" order wildcard probe cancel sync truncate sendrecv complete
row p2p 90 "" 5 "$p2p" order wildcard cancel sync truncate sendrecv
row "sizes" 60 "" 2 "$p2p" sizes.unexpected sizes.typed
row "the sender puts" 60 "CORUNNA_IBV_GET_MAX=10k" 2 "$p2p" sizes.unexpected truncate
row "smallest queues" 90 "$narrow" 3 "$p2p" order truncate sync sizes.unexpected
row "smallest queues, nothing inline, signals for all" 90 "$narrow CORUNNA_IBV_INLINE_MAX=0 CORUNNA_IBV_SIGNAL_EVERY=1" 2 \
    "$p2p" order truncate cancel
row "sleep at once" 60 "$sleepy" 2 "$p2p" order sync wildcard probe
if [ -d /sys/module/siw ]; then
    row "p2p over iWARP" 90 "CORUNNA_IBV_DEVICE=siw0" 3 "$p2p" order wildcard probe cancel sync truncate sizes.unexpected
fi
exit $failed
