#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two hosts with two networks between them. The one in use stops in the middle of long messages, silently: the job goes
# on over the other, and back again when that one stops too. So it does when the network is taken from under it.
#
#   two_networks_test.sh LAUNCHER BAD_LINK STEADY     Needs root; without, it is skipped (77).
. "$(dirname "$0")/network_lib.sh"
steady=$3

network_up 200 0
network_second 200 0
export CORUNNA_TCP_HEARTBEAT_S=4
CORUNNA_LOG=info start "one network, then the other" "$steady" 13
sleep 1
network_cut
sleep 5
network_join
second_cut
finish
[ "$(grep -c 'is back; ' "$work/err")" -ge 3 ] || fail "the job did not change from one network to the other and back"
second_join

CORUNNA_LOG=info start "one network has gone" "$steady" 7
sleep 1
nsenter --target "$NETWORK_HOST0" --net -- ip link set eth0 down
finish
grep -q 'is back; ' "$work/err" || fail "the connection was not made again"
