#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Jobs of two hosts meet by a published name, in a folder that both hosts share: over IPv4 and IPv6, as tcp.interface
# says. A name ends with its process, also where the other host cannot see that process.
#
#   two_hosts_test.sh LAUNCHER BAD_LINK MEETING
set -u
. "$(dirname "$0")/../p2p/network_lib.sh"
meeting=$3
export CORUNNA_NAMES="$work/names"
: > "$work/out"
: > "$work/err"

network_up 1 0
# on HOST COMMAND...
on()
{
    eval "host_pid=\$NETWORK_HOST$1"
    shift
    nsenter --target "$host_pid" --net --uts --pid --mount -- "$@"
}
for host in 0 1; do
    on $host ip -6 address add "fd77::1$host/64" dev eth0 nodad || network_skip "no IPv6 here"
done

# meet INTERFACE: what tcp.interface says on both hosts
meet()
{
    export CORUNNA_TCP_INTERFACE="$1"
    on 0 "$meeting" server "far away" 1 > "$work/out" 2>&1 &
    server=$!
    on 1 timeout 600 "$meeting" client "far away" > "$work/err" 2>&1 || fail "a client over \"$1\" ended with $?"
    wait $server || fail "a server over \"$1\" ended with $?"
    [ -z "$(ls "$CORUNNA_NAMES")" ] || fail "names stay"
    echo "met over \"$1\""
}

meet ""
meet "10.77.0.0/24"
meet "fd77::/64"

on 0 sh -c "exec $meeting publish gone" > "$work/out" 2>&1 &
wait_until grep -q published "$work/out" || fail "no name was published"
on 0 sh -c 'for pid in /proc/[0-9]*; do
    grep -q publish "$pid/cmdline" 2> /dev/null && [ "${pid#/proc/}" != $$ ] && kill -9 "${pid#/proc/}"; done; true'
wait $!
on 1 "$meeting" absent gone > "$work/err" 2>&1 || fail "a dead process's name is found"
[ -z "$(ls "$CORUNNA_NAMES")" ] || fail "a dead process's name stays"
