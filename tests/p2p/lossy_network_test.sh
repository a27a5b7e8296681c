#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What runs on a good network must run on a bad one: every message a millisecond late each way, and one frame in a
# hundred lost. The point-to-point cases, a sample of the collective ones, long messages looked at byte by byte, and
# Java.
#
#   lossy_network_test.sh LAUNCHER BAD_LINK P2P COLL_SUITE STEADY [JAVA JAR CLASSES]     77: skipped.
. "$(dirname "$0")/network_lib.sh"
p2p=$3
coll_suite=$4
steady=$5
java=${6:-}
jar=${7:-}
classes=${8:-}

network_up 1000 10
run "long and short messages" "$steady" 4
# Not those that send a million messages or make thousands of communicators, which takes minutes here.
for groups in "order truncate sync probe" sizes "wildcard cancel complete" "sendrecv persistent barrier buffered" \
    "comm.dup_apart comm.split comm.freed_while_pending"; do
    # shellcheck disable=SC2086
    run "point-to-point, $groups" "$p2p" $groups
done
jobs_ranks=4
run "point-to-point over both wires" "$p2p" order wildcard sync
export CORUNNA_TEST_COUNT=4
run "collectives" "$coll_suite" --processes --mode blocking bcast allreduce alltoall gather scan barrier
if [ -n "$java" ]; then
    run "Java" "$java" -XX:-UsePerfData -cp "$jar:$classes" conform.Suite basics sizes modes wildcards objects pairs
fi
network_down
