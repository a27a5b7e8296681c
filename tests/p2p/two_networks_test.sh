#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two hosts with two networks between them. The one in use stops in the middle of long messages, silently: the job goes
# on over the other, and back again when that one stops too. So it does when the network is taken from under it.
#
#   two_networks_test.sh LAUNCHER BAD_LINK STEADY     77: skipped.
. "$(dirname "$0")/network_lib.sh"
steady=$3

network_up 200 0
network_second 200 0
export CORUNNA_TCP_HEARTBEAT_S=2 CORUNNA_TCP_RECONNECT_S=600 # soon lost, never given up
CORUNNA_LOG=info start "one network, then the other" "$steady" "$over"
goes_on
network_cut
both_say 'is back; ' 1
goes_on
network_join
second_cut
both_say 'is back; ' 2
goes_on
finish
second_join

CORUNNA_LOG=info start "one network has gone" "$steady" "$over"
goes_on
nsenter --target "$NETWORK_HOST0" --net -- ip link set eth0 down
both_say 'is back; ' 1
goes_on
finish
