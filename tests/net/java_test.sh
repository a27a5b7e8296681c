#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A JVM below the preloaded library: a server by NIO and clients by blocking sockets, fast at both ends and at one; and
# a program that starts processes, whose connections stay fast; and both directions of a connection at once, with
# time-outs.
#
#   java_test.sh CORUNNA NioEcho.java Spawner.java Duplex.java
set -eu
. "$(dirname "$0")/../wait_lib.sh"
corunna=$(realpath "$1")
work=$(mktemp -d /tmp/corunna-nio.XXXXXX)
trap 'rm -rf "$work"' EXIT
fail()
{
    echo "FAILED: $*" >&2
    cat "$work"/*.err >&2
    exit 1
}
how()
{
    case $1 in
        fast) echo "$corunna sock" ;;
        plain) echo "env" ;;
    esac
}
javac -d "$work" "$2" "$3" "$4"
echo "both directions at once"
"$corunna" sock java -XX:+UseSerialGC -cp "$work" Duplex 2> "$work/duplex.err" || fail "both directions at once"
for pair in "fast fast" "fast plain" "plain fast"; do
    # shellcheck disable=SC2086
    set -- $pair
    echo "server and client: $pair"
    : > "$work/port"
    # shellcheck disable=SC2046
    $(how "$1") java -XX:+UseSerialGC -cp "$work" NioEcho serve > "$work/port" 2> "$work/server.err" &
    server=$!
    wait_until test -s "$work/port" || fail "the server does not start"
    # shellcheck disable=SC2046
    $(how "$2") java -XX:+UseSerialGC -cp "$work" NioEcho ask "$(cat "$work/port")" 2> "$work/client.err" || {
        kill $server
        fail "clients"
    }
    wait $server || fail "server"
done
# In three ways: by a helper of the JDK's, which closes all descriptors, and by a child that does this itself.
for way in POSIX_SPAWN VFORK FORK; do
    echo "a JVM that starts processes: $way"
    "$corunna" sock java -XX:+UseSerialGC -Djdk.lang.Process.launchMechanism=$way -cp "$work" Spawner "$corunna" \
        2> "$work/spawner.err" || fail "a JVM that starts processes by $way"
done
echo "the JVM runs as it does plain"
