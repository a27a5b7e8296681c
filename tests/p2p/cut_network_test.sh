#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A network that stops, and what a job makes of it: cut for three seconds no rank may notice, cut for longer the
# connections are made again, cut for good it must end in a sentence that names the lost rank, not before it was
# promised, and in no hang, also if the network returns in that moment. The network is slow and loses frames besides.
#
#   cut_network_test.sh LAUNCHER BAD_LINK STEADY MOURNER LATE_END     77: skipped.
. "$(dirname "$0")/network_lib.sh"
steady=$3
mourner=$4
late_end=$5

# Is nothing on the way that the other host has not acknowledged?
all_is_acknowledged()
{
    ! awk '$4 == "01" && $5 !~ /^00000000:/ { found = 1 } END { exit !found }' "/proc/$NETWORK_HOST0/net/tcp" \
        "/proc/$NETWORK_HOST1/net/tcp"
}

has_ended()
{
    ! kill -0 "$job" 2> /dev/null
}

network_up 1000 10
CORUNNA_LOG=info start "all is well" "$steady" 1
finish
grep -q 'wire tcp' "$work/err" || fail "TCP was not used"

# Silence is death after ten seconds only, and later where the machine is busy and the cut may last longer.
CORUNNA_TCP_HEARTBEAT_S=$(($(patience_ms 10000) / 1000)) start "cut for 3 s" "$steady" "$over"
goes_on
network_cut
sleep 3
network_join
goes_on
finish

# Longer than the kernel's patience with a connection, shorter than ours with a peer.
# Ranks give a connection up soon here, and the peer never.
export CORUNNA_LOG=info CORUNNA_TCP_HEARTBEAT_S=2 CORUNNA_TCP_RECONNECT_S=600
start "cut until the connection is lost" "$steady" "$over"
goes_on
network_cut
both_say 'is lost (.*trying to have it back' 1
network_join
both_say 'is back; ' 1
goes_on
finish

# The last word of rank 0 is lost with its connection, when it has already gone to meet the others at the launcher.
start "cut while ending" "$late_end" "$over"
network_cut
: > "$over"
wait_until grep -q '^ends' "$work/out" || fail "rank 0 does not end"
both_say 'is lost (.*trying to have it back' 1
network_join
finish
grep -q "is back; " "$work/err" || fail "the connection was not made again"
unset CORUNNA_LOG CORUNNA_TCP_HEARTBEAT_S CORUNNA_TCP_RECONNECT_S

# The network is back about when the ranks give each other up: one of them may, and the other not yet. Whatever comes of
# it, the job ends, and not by the launcher's patience.
export CORUNNA_LOG=info CORUNNA_TCP_HEARTBEAT_S=2 CORUNNA_PMI_TIMEOUT=0
for more in 0.5 0.8 1.1 1.4; do
    start "cut as long as the patience while ending, $more s" "$late_end" "$over"
    network_cut
    : > "$over"
    wait_until grep -q '^ends' "$work/out" || fail "rank 0 does not end"
    both_say 'is lost (.*trying to have it back' 1
    sleep $more
    network_join
    wait_until has_ended || fail "$label: the job hangs"
    wait "$job" && said=$(tail -n 1 "$work/out") ||
        said=$(grep -o 'rank [0-9]* on h[01] is lost: .*' "$work/err" | head -n 1)
    [ -n "$said" ] || fail "$label: no word of a lost rank"
    echo "$label: $said"
done
unset CORUNNA_LOG CORUNNA_TCP_HEARTBEAT_S CORUNNA_PMI_TIMEOUT

start "cut for good while sending" "$steady" "$over"
goes_on
network_cut
failed_after 10
network_join

# No rank sends: only the kernels' keep-alive can notice, and the last answer may be a second old.
CORUNNA_TCP_HEARTBEAT_S=4 start "cut for good while waiting" "$mourner" fatal
wait_until all_is_acknowledged || fail "what was sent is not acknowledged"
network_cut
failed_after 4
network_join

# What a site has asked for.
CORUNNA_TCP_HEARTBEAT_S=3 start "cut for good, heartbeat of 3 s" "$steady" "$over"
goes_on
network_cut
failed_after 3
network_join
CORUNNA_TCP_HEARTBEAT_S=2 CORUNNA_TCP_RECONNECT_S=600 start "cut for longer than the heartbeat of 2 s" "$steady" "$over"
goes_on
network_cut
sleep 5
network_join
goes_on
finish
network_down
