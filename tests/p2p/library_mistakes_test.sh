#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One sentence that names the way out: library_mistakes_test.sh CORUNNA ucx|ofi|ibv PROGRAM OTHER_VERSION
# [ODD_PROVIDER], where PROGRAM is any MPI program and the others are other_version.c and odd_provider.c as libraries.
# 77 if Corunna was built without the library.
set -u
corunna=$1 library=$2 program=$3 other_version=$4 odd_provider=${5:-}
lib=$(dirname "$corunna")/../lib
one_rank=$(dirname "$0")/../launcher/one_rank.sh
is_built()
{
    if [ "$library" = ibv ]; then
        ! "$corunna" run -n 1 "$program" barrier 2>&1 | grep -q "built without RDMA"
    else
        [ -e "$lib/libcorunna_$library.so" ]
    fi
}
export LD_LIBRARY_PATH="$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" CORUNNA_DEV="${library}dev"
is_built || {
    echo "SKIPPED: this Corunna was built without $library"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

says() # name, sentence, settings of all ranks, setting of rank 1 or -
{
    name=$1 sentence=$2 settings=$3 own=$4
    set -- "$program" barrier
    [ "$own" = - ] || set -- "$one_rank" 1 "$own" "$@"
    # shellcheck disable=SC2086
    env $settings timeout -k 5 600 "$corunna" run -n 2 "$@" > "$work/out" 2>&1
    status=$?
    if [ "$status" = 0 ] || [ "$status" -ge 124 ] || ! grep -q "$sentence" "$work/out"; then
        echo "FAILED: $name: status $status, not the sentence: $sentence"
        cat "$work/out"
        failed=1
    else
        echo "$name: $(grep -m 1 "$sentence" "$work/out")"
    fi
}

works() # name, settings of all ranks
{
    # shellcheck disable=SC2086
    if env $2 timeout -k 5 600 "$corunna" run -n 2 "$program" order sizes truncate > "$work/out" 2>&1; then
        echo "$1: works"
    else
        echo "FAILED: $1: status $?"
        cat "$work/out"
        failed=1
    fi
}

if [ "$library" = ucx ]; then
    says "no such transport" "ucxdev cannot start UCX: .*none.*ucx_info -d" "CORUNNA_UCX_TRANSPORTS=none" -
    says "no such interface" "ucxdev cannot start UCX: .*none0.*ucx_info -d" \
        "CORUNNA_UCX_TRANSPORTS=tcp CORUNNA_UCX_INTERFACE=none0" -
    says "transports that differ" "rank 1 uses tcp,self of UCX, rank 0 all: set ucx.transports or UCX_TLS alike" "" \
        CORUNNA_UCX_TRANSPORTS=tcp,self
    says "settings that differ" "ucx.errors is yes on rank 0 and no on rank 1" "" CORUNNA_UCX_ERRORS=no
    says "another version" "rank 1 uses UCX 9.99.1, rank 0 UCX [0-9.]*: all ranks of a job need the same" "" \
        "LD_PRELOAD=$other_version"
elif [ "$library" = ibv ]; then
    says "no such device" "there is no RDMA device none0 .*ibv.device chooses" "CORUNNA_IBV_DEVICE=none0" -
    mkdir "$work/broken" "$work/old"
    : > "$work/broken/librdmacm.so.1"
    says "no library" "the verbs wire needs librdmacm.so.1 (Debian packages" \
        "LD_LIBRARY_PATH=$work/broken:$LD_LIBRARY_PATH" -
    ln -s "$other_version" "$work/old/libibverbs.so.1" # it has no function of verbs
    says "an old library" "the RDMA library .* is too old: it has no ibv_.*Debian 12 have it" \
        "LD_LIBRARY_PATH=$work/old:$LD_LIBRARY_PATH" -
else
    lo="CORUNNA_OFI_PROVIDER=tcp;ofi_rxm CORUNNA_OFI_DOMAIN=lo"
    says "no such provider" "ofidev cannot start libfabric: provider none: there is no such provider" \
        "CORUNNA_OFI_PROVIDER=none" -
    says "no such domain" "provider tcp;ofi_rxm on none0: there is no such provider or domain" \
        "CORUNNA_OFI_PROVIDER=tcp;ofi_rxm CORUNNA_OFI_DOMAIN=none0" -
    says "no reliable messages" "provider udp: it has no reliable messages" \
        "CORUNNA_OFI_PROVIDER=udp FI_PROVIDER=^ofi_rxd" -
    works "short tags" "$lo LD_PRELOAD=$odd_provider ODD_PROVIDER=tags"
    works "memory to register" "$lo LD_PRELOAD=$odd_provider ODD_PROVIDER=memory"
    works "no remote memory" "$lo LD_PRELOAD=$odd_provider ODD_PROVIDER=messages"
    works "no order" "$lo LD_PRELOAD=$odd_provider ODD_PROVIDER=order"
    says "another version" "rank 1 uses libfabric 9.99, rank 0 libfabric [0-9.]*: all ranks of a job need the same" \
        "$lo" "LD_PRELOAD=$other_version"
    says "settings that differ" "ofi.eager_max is 16384 on rank 0 and 1024 on rank 1" "$lo" CORUNNA_OFI_EAGER_MAX=1k
fi
exit $failed
