#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A network that stops, and what a job makes of it: cut for three seconds no rank may notice, cut for longer the
# connections are made again, cut for good it must end in a sentence that names the lost rank, when it was promised,
# and in no hang. The network is slow and loses frames besides.
#
#   cut_network_test.sh LAUNCHER BAD_LINK STEADY MOURNER LATE_END     Needs root; without, it is skipped (77).
. "$(dirname "$0")/network_lib.sh"
steady=$3
mourner=$4
late_end=$5

network_up 1000 10
CORUNNA_LOG=info start "all is well" "$steady" 1
finish
grep -q 'wire tcp' "$work/err" || fail "TCP was not used"

start "cut for 3 s" "$steady" 6
sleep 1
network_cut
sleep 3
network_join
finish

# Longer than the kernel's patience with a connection, shorter than ours with a peer.
CORUNNA_LOG=info start "cut for 7 s" "$steady" 10
sleep 1
network_cut
sleep 7
network_join
finish
grep -q 'is back; ' "$work/err" || fail "the connection was not made again"

# The last word of rank 0 is lost with its connection, when it has already gone to meet the others at the launcher.
# (Without patience the launcher would end the job.)
CORUNNA_LOG=info CORUNNA_PMI_TIMEOUT=30 start "cut for 8 s while ending" "$late_end" 2
sleep 1
network_cut
sleep 8
network_join
finish
grep -q "is back; " "$work/err" || fail "the connection was not made again"

start "cut for good while sending" "$steady" 60
sleep 1
network_cut
failed_within 9 13
network_join

# No rank sends: only the kernels' keep-alive can notice, and the last answer may be 2.5 s old.
start "cut for good while waiting" "$mourner" fatal
sleep 4
network_cut
failed_within 7 13
network_join

# What a site has asked for.
CORUNNA_TCP_HEARTBEAT_S=3 start "cut for good, heartbeat of 3 s" "$steady" 60
sleep 1
network_cut
failed_within 2 6
network_join
CORUNNA_TCP_HEARTBEAT_S=3 CORUNNA_TCP_RECONNECT_S=17 start "cut for 13 s, heartbeat of 3 s and 17 s more" "$steady" 16
sleep 1
network_cut
sleep 13
network_join
finish
network_down
