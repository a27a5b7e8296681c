#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The hammer in Java (java/hammer): two JVMs, each plain, below the preloaded library, or with the agent.
#
#   hammer_java_test.sh CORUNNA JAVA JAR CLASSES MIX...      a mix is SERVER-CLIENT, as in sock-agent
set -eu
corunna=$(realpath "$1")
java=$2
jar=$3
classes=$4
shift 4
seed=${CORUNNA_TEST_SEED:-1}
. "$(dirname "$0")/../wait_lib.sh"
# shellcheck source=tests/net/server_test_lib.sh
. "$(dirname "$0")/server_test_lib.sh" # $work, and fail
# words WAY: those that start a JVM
words()
{
    case $1 in
        plain) echo "$java" ;;
        sock) echo "$corunna sock $java" ;;
        agent) echo "$java -javaagent:$jar" ;;
    esac
    echo "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Djava.rmi.server.hostname=127.0.0.1 -Dtest.seed=$seed -cp $classes"
    [ "$mix" != sock-sock ] || echo "-Dtest.fast=true"
}
has_begun()
{
    [ -s "$work/ports" ] || ! kill -0 "$server" 2> /dev/null
}

for mix in "$@"; do
    echo "server and client: $mix, CORUNNA_TEST_SEED=$seed"
    : > "$work/ports"
    # shellcheck disable=SC2046
    $(words "${mix%-*}") hammer.HammerServer "$(free_port)" > "$work/ports" 2> "$work/server.out" &
    server=$!
    wait_until has_begun || fail "the server does not start"
    # shellcheck disable=SC2046
    $(words "${mix#*-}") hammer.HammerClient $(cat "$work/ports") > "$work/client.out" 2> "$work/client.log" || {
        cat "$work/client.log" "$work/server.out" >&2 # all threads, where something hangs
        fail "the client"
    }
    wait $server || fail "the server"
    server=
    cat "$work/client.out"
done
