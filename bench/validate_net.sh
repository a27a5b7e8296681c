#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# validate_net.sh [CORUNNA [RANKS...]]: how far predictions are from real runs between hosts, one rank on each: 2, 4 and
# 8, or RANKS.
#
# The hosts are network namespaces of this machine on one bridge. Both ways of each host's link let RATE through
# (50mbit), so that the network is what takes time, not the cores, which all ranks share. A ping-pong between two hosts
# gives the link; then collectives are measured and predicted, by the same algorithms, calls in a row. Needs root, ssh
# and sshd; without them it says so, with status 77. Prints every pair, and the medians of |predicted / measured - 1|.
# It takes two minutes. validate_lib.sh tells the variables that count.
set -eu
here=$(dirname "$0")
. "$here/../tests/launcher/hosts_lib.sh"
ROUNDS=${ROUNDS:-1} MS=${MS:-500} # a batch must be several calls in a row
. "$here/validate_lib.sh"
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- 2 4 8
rate=${RATE:-50mbit}
sizes=32k,64k,192k
collectives="bcast:mst reduce:mst allreduce:doubling allreduce:rabenseifner allgather:bucket alltoall:pairwise"

# slow DEVICE WORDS...: the device, with the words that bring tc to it.
slow() {
    device=$1
    shift
    "$@" tc qdisc add dev "$device" root tbf rate "$rate" burst 1600 limit 8mb
}

cluster() {
    echo "nodes=8,ppn=1,model=$work/net.model,eager=128k"
}

most=2
for ranks; do
    [ "$ranks" -le "$most" ] || most=$ranks
done
hosts_up "$most"
for i in $(seq 1 "$most"); do
    slow "v$i" env
    slow eth0 host_exec "$i"
done
place="--hosts h1,h2"
measure link.csv pingpong -n 2 --sizes 8,1k,4k,8k,16k,32k,64k,128k,192k,256k
run model fit "$work/link.csv" -o "$work/net.model"
for ranks; do
    place="--hosts $(seq -s , -f h%g 1 "$ranks")"
    for collective in $collectives; do
        compare hosts "$ranks" "$collective" $sizes
    done
    grep "^hosts $ranks " "$work/all" | median "$ranks hosts"
done
verdict
