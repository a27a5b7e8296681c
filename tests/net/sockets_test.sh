#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What Java's sockets promise: the same program with the JDK's sockets, with ours at both ends and at either, with the
# agent, and with every thread waiting as virtual threads do. Nothing it sees may differ.
#
#   sockets_test.sh CORUNNA JAVA JAR CLASSES
set -eu
corunna=$(realpath "$1")
java=$2
jar=$3
classes=$4
work=$(mktemp -d /tmp/corunna-sockets.XXXXXX)
trap 'rm -rf "$work"' EXIT
# Two carriers for virtual threads, where Java has them.
light="-Djdk.virtualThreadScheduler.parallelism=2 -Djdk.virtualThreadScheduler.maxPoolSize=2 -XX:+UseSerialGC
    -XX:TieredStopAtLevel=1 -XX:+IgnoreUnrecognizedVMOptions -XX:+ErrorFileToStderr"
fail()
{
    echo "FAILED: $*" >&2
    exit 1
}
links()
{
    find /dev/shm -maxdepth 1 -name 'corunna-sock-*' -lname "/proc/$1/*" | wc -l
}
# see NAME COMMAND...: what the program sees, in a file
see()
{
    name=$1
    shift
    echo "$name"
    "$@" > "$work/$name" 2> "$work/$name.err" &
    pid=$!
    wait $pid || {
        cat "$work/$name" "$work/$name.err" >&2
        fail "$name"
    }
    [ "$(links $pid)" = 0 ] || fail "$name leaves names in /dev/shm"
    [ "$name" = plain ] || diff "$work/plain" "$work/$name" >&2 || fail "$name differs from the JDK's own sockets"
}
# shellcheck disable=SC2086
set -- "$java" $light -cp "$jar:$classes"
see plain "$@" -Dtest.fast=false sockets.Suite plain plain
see both_fast "$@" -Dtest.fast=true sockets.Suite fast fast
see fast_server "$@" -Dtest.fast=false sockets.Suite fast plain
see fast_client "$@" -Dtest.fast=false sockets.Suite plain fast
see agent "$@" -javaagent:"$jar" -Dtest.fast=true sockets.Suite plain plain
see off "$@" -Dcorunna.net.on=no -Dtest.fast=false sockets.Suite fast fast
see no_spin "$@" -Dcorunna.net.ring=128k -Dcorunna.net.spin_us=0 -Dcorunna.net.futex_ms=0 -Dtest.fast=true \
    sockets.Suite fast fast

# In a ring of a page all is in pieces.
"$@" -Dcorunna.net.ring=4k -Dtest.fast=true sockets.Suite fast fast streams large kinds threads fast \
    > "$work/small" 2>&1 || { cat "$work/small" >&2; fail "a small ring"; }

# Without IPv6 addresses differ.
"$@" -Djava.net.preferIPv4Stack=true -Dtest.fast=true sockets.Suite fast fast streams available halfClose fast \
    > "$work/ipv4" 2>&1 || { cat "$work/ipv4" >&2; fail "IPv4 alone"; }

# Virtual threads close their socket when they are interrupted, and platform threads do not.
cases=$(grep -v '^ ' "$work/plain" | grep -v -e '^interrupt$' -e '^all cases')
# shellcheck disable=SC2086
"$@" -Dcorunna.virtual=true -Dtest.fast=true sockets.Suite fast fast $cases \
    > "$work/virtual" 2> "$work/virtual.err" || {
    cat "$work/virtual" "$work/virtual.err" >&2
    fail "waiting as virtual threads do"
}
sed '/^interrupt$/,/^[a-z]/{/^interrupt$/d;/^  /d}' "$work/plain" | diff - "$work/virtual" >&2 ||
    fail "waiting as virtual threads do differs"

# The first fast socket of a program while its JVM ends.
[ "$("$@" sockets.Late)" = connected ] || fail "a socket in a shutdown hook"

# ---- the command and the agent ----
[ "$("$corunna" java -cp "$classes" sockets.Suite plain plain fast | tail -1)" = "all cases hold" ] ||
    fail "corunna java"
"$corunna" java --help | grep -q javaagent || fail "no help"
"$corunna" java 2>&1 | grep -q 'no class' || fail "no class is no error"
CORUNNA_JAR=/nowhere.jar "$corunna" java Nothing 2>&1 | grep -q 'there is no /nowhere.jar' || fail "no jar is not told"
JAVA_TOOL_OPTIONS="-javaagent:$jar" "$@" -Dtest.fast=true sockets.Suite plain plain fast 2> /dev/null |
    grep -q "all cases hold" || fail "JAVA_TOOL_OPTIONS"
"$@" -javaagent:"$jar" -DsocksProxyHost=localhost -version 2>&1 | grep -q 'fast sockets are off: socksProxyHost' ||
    fail "a proxy is not told"
"$@" -javaagent:"$jar" -Dcorunna.net.ring=3x -Dtest.fast=false sockets.Suite plain plain fast 2>&1 |
    grep -q 'fast sockets are off: .*3x' || fail "a wrong setting is not told"
echo "sockets promise the same"
