#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Remote calls between two JVMs, found through an rmiregistry that has no class of Corunna.
#
#   rmi_test.sh JAVA JAR CLASSES SERVER CLIENT IS_FAST [with]
#
# SERVER, CLIENT: fast or plain. IS_FAST: must the client's calls be fast? With agent: both JVMs have Corunna's; with
# tcp: no connection uses shared memory; with filter: both JVMs have one for all they read, which no call exceeds, but
# several would.
set -eu
. "$(dirname "$0")/../../wait_lib.sh"
java=$1 jar=$2 classes=$3 server=$4 client=$5 is_fast=$6 with=${7:-}
server_option= client_option=
case $with in
    agent) server_option=-javaagent:$jar client_option="-javaagent:$jar -Dtest.leases=no" ;;
    tcp) server_option=-Dcorunna.net.on=no client_option="-Dcorunna.net.on=no -Dtest.leases=no" ;;
    filter)
        server_option='-Djdk.serialFilter=!rmi.Banned;maxbytes=3000000'
        client_option='-Djdk.serialFilter=maxbytes=3000000 -Dtest.banned=true -Dtest.leases=no'
        ;;
esac
registry_command=$(dirname "$(readlink -f "$java")")/rmiregistry
dir=$(mktemp -d)
registry= serving=
end() {
    for pid in $serving $registry; do
        kill "$pid" 2> /dev/null || true
        wait "$pid" 2> /dev/null || true
    done
    rm -rf "$dir"
}
trap end EXIT
trap 'exit 1' INT TERM
common="-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Djava.rmi.server.hostname=127.0.0.1 -Djava.rmi.dgc.leaseValue=6000
        -Dsun.rmi.dgc.checkInterval=1000 -cp $jar:$classes"

# Any free port: a registry that does not get it ends.
start_registry() {
    for port in $(awk -v seed="$$" 'BEGIN {
        srand(seed + srand()); for (i = 0; i < 20; i++) print 20000 + int(rand() * 12000) }'); do
        CLASSPATH=$classes "$registry_command" -J-XX:+UseSerialGC -J-Djava.rmi.server.hostname=127.0.0.1 "$port" \
            > "$dir/registry" 2>&1 &
        registry=$!
        if "$java" $common rmi.Reach "$port" "$registry"; then
            return 0
        fi
        kill "$registry" 2> /dev/null || true
        wait "$registry" 2> /dev/null || true
        registry=
    done
    echo "no rmiregistry starts: $(cat "$dir/registry")" >&2
    return 1
}

start_registry
mkfifo "$dir/hold"
# shellcheck disable=SC2086 # options are words
"$java" $common $server_option rmi.DeskServer "$server" "$port" < "$dir/hold" > "$dir/server" 2>&1 &
serving=$!
exec 3> "$dir/hold" # the server ends with this
# Or it has ended.
is_ready() {
    grep -q '^ready' "$dir/server" || ! kill -0 "$serving" 2> /dev/null
}
if ! wait_until is_ready || ! grep -q '^ready' "$dir/server"; then
    echo "the server does not start:" >&2
    cat "$dir/server" >&2
    exit 1
fi
# shellcheck disable=SC2086
if ! timeout 1200 "$java" $common $client_option rmi.DeskClient "$client" "$port" "$is_fast"; then
    echo "the server said:" >&2
    cat "$dir/server" >&2
    exit 1
fi
# Nothing else; from 24 on a JVM warns of every library that is loaded.
sed '/^ready$/d; /^WARNING: /d' "$dir/server" | { ! grep . >&2; }
