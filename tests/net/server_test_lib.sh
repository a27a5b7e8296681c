# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# For tests with a real server, whose process is $server while it runs: $work, a folder that goes with the test, and
# fail.
work=$(mktemp -d /tmp/corunna-servers.XXXXXX)
server=
# shellcheck source=bench/sock/servers_lib.sh
. "$(dirname "$0")/../../bench/sock/servers_lib.sh"
# shellcheck disable=SC2317
cleanup()
{
    [ -z "$server" ] || stop_server "$server"
    rm -rf "$work"
}
trap cleanup EXIT
# fail WORD...: ends the test, after the last lines of all that was written
fail()
{
    echo "FAILED: $*" >&2
    for log in "$work"/*.log "$work"/*.out; do [ ! -r "$log" ] || { echo "== $log"; tail -20 "$log"; } >&2; done
    exit 1
}
