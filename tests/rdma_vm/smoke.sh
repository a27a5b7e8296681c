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
    tries=1
    until talk "$1" "$2"; do
        if [ "$tries" -ge 5 ] || ! has_given_up; then
            echo "smoke: '$2' fails:"
            cat /tmp/client /tmp/server
            return 1
        fi
        echo "smoke: '$1' answered too late for the driver, once more"
        tries=$((tries + 1))
    done
    echo "smoke: '$2' works"
}

# A server serves one client.
talk() # server, client
{
    timeout "$limit" $1 > /tmp/server 2>&1 &
    server=$!
    wait_until answers "$2" || true
    ! has_given_up || kill $server 2> /dev/null || true
    wait $server
}

# The client ends well or has given up, or there is no server any more.
answers()
{
    timeout "$limit" $1 > /tmp/client 2>&1 || has_given_up || ! kill -0 $server 2> /dev/null
}

# The driver of soft-iWARP lets a client wait 5 s for the answer, also if the server had no CPU for so long.
has_given_up()
{
    grep -q 'RDMA_CM_EVENT_UNREACHABLE, error -110' /tmp/client
}

ibv_devices | grep -q rxe0
pair "ibv_rc_pingpong -d rxe0 -g 1 -n 100" "ibv_rc_pingpong -d rxe0 -g 1 -n 100 10.0.0.1"
pair "rping -s -a 10.0.0.1 -C 10 -V" "rping -c -a 10.0.0.1 -C 10 -V"
if [ -d /sys/module/siw ]; then
    pair "rping -s -a 10.0.1.1 -C 10 -V" "rping -c -a 10.0.1.1 -C 10 -V"
fi
