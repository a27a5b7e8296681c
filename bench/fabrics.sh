#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fabrics.sh CORUNNA [OPTION...]: ping-pong over ucxdev and ofidev beside MPICH, which Debian builds with UCX, each over
# the transport that UCX's variables name; OPTION goes to `corunna bench`. MPICH's ranks meet in shared memory of its
# own before UCX is asked, unless each counts as a host. Beside UCX's shared memory stands our own, and beside both
# devices hybdev that sends through the library between hosts (docs/fabrics.md).
set -eu
corunna=$1
shift
here=$(dirname "$0")
export MPIR_CVAR_NOLOCAL=1

measure() # device, heading, options of the caller
{
    device=$1 heading=$2
    shift 2
    echo "$heading"
    "$corunna" bench pingpong --dev "$device" --sizes 8,1k,64k,1m --against mpich \
        --targets "$here/fabrics_targets.txt" "$@"
}

UCX_TLS=shm,self measure ucxdev "ucxdev, shared memory of UCX" "$@"
echo "hybdev, shared memory of our own"
"$corunna" bench pingpong --dev hybdev --sizes 8,1k,64k,1m "$@"
export UCX_TLS=tcp,self UCX_NET_DEVICES=lo
measure ucxdev "ucxdev, TCP of UCX" "$@"
CORUNNA_UCX_ERRORS=no measure ucxdev "ucxdev, TCP of UCX without its error handling, as MPICH" "$@"
export CORUNNA_OFI_PROVIDER="tcp;ofi_rxm" CORUNNA_OFI_DOMAIN=lo
measure ofidev "ofidev, TCP of libfabric beside TCP of UCX" "$@"
CORUNNA_OFI_SLEEP=no measure ofidev "the same, without a descriptor to sleep on" "$@"

# Two hosts, which are this machine: spaces of process ids of their own.
unshare --pid --fork --kill-child --mount-proc true 2> /dev/null || exit 0
export CORUNNA_RUN_LAUNCHER='unshare --pid --fork --kill-child --mount-proc env AT={host}'
for pair in "ucxdev none" "hybdev ucx" "ofidev none" "hybdev ofi"; do
    device=${pair% *} library=${pair#* }
    echo "$device, hyb.library=$library, between two hosts"
    CORUNNA_HYB_LIBRARY=$library "$corunna" bench pingpong --dev "$device" --hosts a:1,b:1 --sizes 8,1k,64k,1m "$@"
done
