#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Inside the guest: the devices are there, and programs that are not ours move data over them.
set -eu
. "$(dirname "$0")/devices.sh"
. "$(dirname "$0")/../wait_lib.sh"
limit=$((600 * ${GUEST_CROWD:-1}))
make_devices
ibv_devices

pair() # server, client: both end well
{
    timeout "$limit" $1 > /tmp/server 2>&1 &
    server=$!
    wait_until answers "$2" || true
    wait $server && echo "smoke: '$2' works" && return
    echo "smoke: '$2' fails:" && cat /tmp/client /tmp/server
    return 1
}

# The client ends well, or there is no server any more.
answers()
{
    timeout "$limit" $1 > /tmp/client 2>&1 || ! kill -0 $server 2> /dev/null
}

ibv_devices | grep -q rxe0
pair "ibv_rc_pingpong -d rxe0 -g 1 -n 100" "ibv_rc_pingpong -d rxe0 -g 1 -n 100 10.0.0.1"
pair "rping -s -a 10.0.0.1 -C 10 -V" "rping -c -a 10.0.0.1 -C 10 -V"
if [ -d /sys/module/siw ]; then
    pair "rping -s -a 10.0.1.1 -C 10 -V" "rping -c -a 10.0.1.1 -C 10 -V"
fi
