#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Remote calls between two hosts, FastRmi at both ends: every call and every callback goes by ordinary RMI, and the log
# says why once for each port.
#
#   rmi_hosts_test.sh JAVA JAR CLASSES
# shellcheck source=tests/launcher/hosts_lib.sh
. "$(dirname "$0")/../../launcher/hosts_lib.sh"
. "$(dirname "$0")/../../wait_lib.sh"
set -eu
java=$1 jar=$2 classes=$3
port=20000 # of the host's own
dir=$(mktemp -d)
host_up 1 deaf
hosts_count=1
common="-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dsun.rmi.dgc.checkInterval=1000 -cp $jar:$classes"
fail()
{
    echo "FAILED: $*" >&2
    cat "$dir"/* >&2
    exit 1
}
# Everything on the other host ends with it, and the host with this script.
serve()
{
    host_exec 1 env CLASSPATH="$classes" "$(dirname "$(readlink -f "$java")")/rmiregistry" -J-XX:+UseSerialGC \
        -J-Djava.rmi.server.hostname=$hosts_net.1 $port > "$dir/registry" 2>&1 &
    # shellcheck disable=SC2086 # options are words
    host_exec 1 "$java" $common rmi.Reach $port 1 || fail "the registry does not start"
    # shellcheck disable=SC2086
    host_exec 1 sh -c 'sleep "$0" | "$@"' "$forever" "$java" $common -Djava.rmi.server.hostname=$hosts_net.1 \
        rmi.DeskServer fast $port > "$dir/server" 2>&1 &
    wait_until grep -q '^ready' "$dir/server" || fail "the server does not start"
}
serve
# shellcheck disable=SC2086
CORUNNA_LOG=info timeout 1200 "$java" $common -Djava.rmi.server.hostname=$hosts_net.254 -Dtest.registry=$hosts_net.1 \
    -Dtest.client=$hosts_net.254 -Dtest.leases=no rmi.DeskClient fast $port false > "$dir/client" 2>&1 ||
    fail "the client"
cat "$dir/client"
grep -q '^all [0-9]* cases hold$' "$dir/client" || fail "not all cases"
grep -q "^corunna: calls to $hosts_net.1:[0-9]* are ordinary RMI: it is on another host\$" "$dir/client" ||
    fail "the log does not tell why"
[ -z "$(grep '^corunna: calls to' "$dir/client" | sort | uniq -d)" ] || fail "the log tells it twice"
