#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tagged.sh BUILD [WORD], inside the guest: programs of the other suites over ucxdev and ofidev, by the verbs of Soft-RoCE. A
# row is a name, settings and a command. With a word only rows with it in the name.
set -u
build=$1 word=${2:-}
tests=$(cd "$(dirname "$0")/.." && pwd)
. "$tests/rdma_vm/devices.sh"
make_devices
failed=0

sends() { cat /sys/class/infiniband/rxe0/ports/1/hw_counters/rdma_sends; }

# It ends well, and the messages went by verbs.
row() # name, settings, command
{
    name=$1 settings=$2
    shift 2
    case $name in *"$word"*) ;; *) return ;; esac
    began=$(date +%s) before=$(sends)
    # shellcheck disable=SC2086
    if env $settings timeout 60 "$@" > /tmp/out 2>&1 && [ $(($(sends) - before)) -gt 100 ]; then
        echo "tagged: $name: fine, $(($(date +%s) - began)) s"
    else
        echo "tagged: $name: FAILED, $(($(date +%s) - began)) s, $(($(sends) - before)) sends"
        tail -n 20 /tmp/out
        failed=1
    fi
}

ranks="$build/bin/corunna run --timeout 55 -n"
p2p=$build/tests/p2p/p2p
coll=$build/tests/coll/coll_suite
export LD_LIBRARY_PATH="$build/lib"
# Endpoints of RC are connected over TCP: UCX's UD does not come to an end on Soft-RoCE. With blocking connections, the
# default, UCX 1.13 crashes where both ranks connect at once.
ucx="CORUNNA_DEV=ucxdev CORUNNA_UCX_TRANSPORTS=rc_verbs,tcp,self CORUNNA_UCX_INTERFACE=rxe0:1,lo UCX_IB_GID_INDEX=1
UCX_TCP_CONN_NB=y"
ofi="CORUNNA_DEV=ofidev CORUNNA_OFI_PROVIDER=verbs;ofi_rxm CORUNNA_OFI_DOMAIN=rxe0"
apart="CORUNNA_COLL_NODE_RANKS=1 CORUNNA_TEST_COUNT=2" # no shared memory

# shellcheck disable=SC2086
{
    row "p2p over UCX" "$ucx" $ranks 2 "$p2p" order sync truncate.posted
    row "collectives over UCX" "$ucx $apart" $ranks 3 "$coll" --processes allreduce
    row "p2p over libfabric" "$ofi" $ranks 2 "$p2p" order sync truncate.posted
    row "collectives over libfabric" "$ofi $apart" $ranks 3 "$coll" --processes allreduce
}
exit $failed
