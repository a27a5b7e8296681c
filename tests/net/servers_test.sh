#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Real servers in Java and their drivers, unmodified, with the agent at both ends and at one of them; what a program
# reads must be the same.
#
#   servers_test.sh CORUNNA CLASSES h2|hsqldb|derby|postgres|rmi|tls
set -eu
corunna=$(realpath "$1")
classes=$2
name=$3
jars=/usr/share/java
case $name in
    h2) path=$jars/h2.jar ;;
    hsqldb) path=$jars/hsqldb.jar ;;
    derby) path=$jars/derby.jar:$jars/derbynet.jar:$jars/derbyclient.jar ;;
    postgres) path=$jars/postgresql.jar ;;
    rmi | tls) path=$classes ;;
esac
echo "$path" | tr : '\n' | while read -r file; do
    [ -e "$file" ] || { echo "skipped: there is no $file; make check-all installs it"; exit 77; }
done
if [ "$name" = postgres ] && ! ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1; then
    echo "skipped: there is no PostgreSQL; make check-all installs it"
    exit 77
fi
# shellcheck source=tests/net/server_test_lib.sh
. "$(dirname "$0")/server_test_lib.sh"
light="-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
how()
{
    case $1 in
        fast) echo "$corunna java $light" ;;
        plain) echo "java $light" ;;
    esac
}
if [ "$name" = tls ]; then
    keytool -genkeypair -keystore "$work/keys" -storepass corunna -alias test -dname CN=localhost -keyalg EC \
        > "$work/keys.log" 2>&1 || fail "keytool"
fi

# ---- servers: start HOW ----
start()
{
    port=$(free_port)
    mkdir -p "$work/base"
    case $name in
        h2) set -- "$1" org.h2.tools.Server -tcp -tcpPort "$port" -baseDir "$work/base" -ifNotExists ;;
        hsqldb) set -- "$1" org.hsqldb.server.Server --port "$port" --database.0 mem:test --dbname.0 test ;;
        derby) set -- "$1" -Dderby.system.home="$work/base" -Dderby.stream.error.file="$work/derby.log" \
            org.apache.derby.drda.NetworkServerControl start -h 127.0.0.1 -p "$port" -noSecurityManager ;;
        rmi) set -- "$1" servers.Calls serve "$port" ;;
        tls) set -- "$1" -Djavax.net.ssl.keyStore="$work/keys" -Djavax.net.ssl.keyStorePassword=corunna \
            servers.Tls serve "$port" ;;
        postgres) start_postgres plain "$port" || fail "PostgreSQL does not start"; return ;;
    esac
    way=$(how "$1")
    shift
    # shellcheck disable=SC2086
    $way -cp "$path" "$@" > "$work/server.log" 2>&1 &
    server=$!
    await_server port_answers "$port" || fail "the server does not listen"
}
stop()
{
    [ "$name" != postgres ] || as_user "$bin/pg_ctl" -D "$data" -m fast -w stop > "$work/stop.log" 2>&1
    stop_server "$server"
    server=
}

# ---- the program: ask HOW ----
ask()
{
    case $name in
        h2) set -- "$1" "jdbc:h2:tcp://127.0.0.1:$port/./test" sa "" ;;
        hsqldb) set -- "$1" "jdbc:hsqldb:hsql://127.0.0.1:$port/test" SA "" ;;
        derby) set -- "$1" "jdbc:derby://127.0.0.1:$port/test;create=true" app app ;;
        postgres) set -- "$1" "jdbc:postgresql://127.0.0.1:$port/postgres" bench "" ;;
    esac
    way=$(how "$1")
    shift
    case $name in
        rmi) set -- servers.Calls ask "$port" ;;
        tls) set -- -Djavax.net.ssl.trustStore="$work/keys" -Djavax.net.ssl.trustStorePassword=corunna \
            servers.Tls ask "$port" ;;
        *) set -- servers.Rows "$@" ;;
    esac
    # shellcheck disable=SC2086
    $way -cp "$path:$classes" "$@"
}

for pair in "plain plain" "fast fast" "fast plain" "plain fast"; do
    # shellcheck disable=SC2086
    set -- $pair
    # A server that is no Java program is plain.
    [ "$name$1" != postgresfast ] || continue
    echo "server and client: $pair"
    start "$1"
    ask "$2" > "$work/$1.$2" 2> "$work/client.log" || fail "the program"
    cmp "$work/plain.plain" "$work/$1.$2" || fail "the program has read something else"
    # RMI's server and that with TLS end with their client.
    if [ "$1$2" = fastfast ] && [ "$name" != rmi ] && [ "$name" != tls ]; then
        count=$("$corunna" sock --stats $server | awk '$1 == "ring_in" { print $2 }')
        [ "${count:-0}" -gt 10000 ] || fail "the server did not use shared memory"
    fi
    stop
done
[ "$(wc -l < "$work/plain.plain")" -ge 3 ] || fail "the program prints nothing"
echo "$name runs as it does plain"
