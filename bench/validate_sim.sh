#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# validate_sim.sh [CORUNNA [RANKS...]]: how far predictions are from real runs on this machine, over shared memory and
# over TCP.
#
# For each device two ranks are measured:
#   1. a ping-pong and an exchange, which are fitted: the link, and how long a message keeps the CPUs of both sides.
# Over shared memory, where messages take least:
#   2. a scan by the algorithm linear, and a scatter by nbft: how long a call takes beside its messages, how long a byte
#      takes to be copied and to be combined.
# For each number of ranks, of 2, 4 and 8, for which there are cores:
#   3. collectives, of which nothing was used so far, are measured and predicted, by the same algorithms, calls in a
#      row.
# More ranks are a matter of validate_net.sh. Prints every pair, and the medians of |predicted / measured - 1|. Nothing
# else should run. It takes a minute. validate_lib.sh tells the variables that count.
set -eu
here=$(dirname "$0")
. "$here/validate_lib.sh"
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- 2 4 8
cores=$(nproc)
sizes=8,1k,16k,256k
collectives="barrier:dissemination bcast:mst reduce:mst allreduce:doubling allreduce:rabenseifner allgather:bucket \
alltoall:pairwise"

# Over TCP, too, each rank has ports of its own, as inside a node.
cluster() {
    echo "nodes=1,ppn=$cores,inside=$work/$device.model,call=$call,copy=$copy,reduce=$reduce"
}

# fit KEY STEP TEST BYTES: the value of KEY with which two ranks in fit.csv are predicted, in the variable of that name.
# What is predicted grows with it by a line.
fit() {
    eval "$1=0"
    predict low.csv "$3" -n 2 --sizes "$4" --modes row
    eval "$1=$2"
    predict high.csv "$3" -n 2 --sizes "$4" --modes row
    value=$(for file in fit low high; do
        figures $file.csv "$3"
    done | awk -v bytes="$4" -v step="$2" '$1 == bytes { us[n++] = $2 }
        END { v = step * (us[0] - us[1]) / (us[2] - us[1]); printf("%.6f", v > 0 ? v : 0) }')
    eval "$1=$value"
}

fit_calls() {
    export CORUNNA_COLL_SCAN=linear CORUNNA_COLL_SCATTER=nbft
    measure fit.csv scan scatter -n 2 --sizes 8,256k --modes row
    fit call 100 scan 8
    fit copy 0.1 scatter 262144
    fit reduce 0.1 scan 262144
    unset CORUNNA_COLL_SCAN CORUNNA_COLL_SCATTER
    echo "call=$call,copy=$copy,reduce=$reduce"
}

call=0 copy=0 reduce=0
for device in smdev tcpdev; do
    place="--dev $device"
    measure link.csv pingpong exchange -n 2 --sizes 8,64,256,1k,2k,4k,8k,12k,16k,24k,32k,64k,128k,256k,512k,1m
    run model fit "$work/link.csv" -o "$work/$device.model"
    [ $device = tcpdev ] || fit_calls
    for ranks; do
        [ "$ranks" -le "$cores" ] || {
            echo "$device, $ranks ranks: left out, for $cores cores; ranks that share cores are not simulated"
            continue
        }
        for collective in $collectives; do
            compare $device "$ranks" "$collective" $sizes
        done
        grep "^$device $ranks " "$work/all" | median "$device, $ranks ranks"
    done
    grep "^$device " "$work/all" | median "$device"
done
verdict
