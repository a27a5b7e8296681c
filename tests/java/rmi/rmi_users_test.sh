#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A remote object serves its own user, and others of this host only if asked to. Needs root, to be somebody else.
# usage: rmi_users_test.sh JAVA JAR CLASSES
set -eu
. "$(dirname "$0")/../../wait_lib.sh"
java=$1 jar=$2 classes=$3
nobody=65534
if [ "$(id -u)" -ne 0 ] || ! setpriv --reuid=$nobody --regid=$nobody --clear-groups true 2> /dev/null; then
    echo "skipped: only root can run a client as another user"
    exit 77
fi
dir=$(mktemp -d)
serving=
stop() {
    exec 3>&- || true
    if [ -n "$serving" ]; then
        wait "$serving" || true
    fi
    serving=
}
trap 'stop; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
# Another user must be able to read them.
chmod 755 "$dir"
cp "$jar" "$dir/corunna.jar"
cp -r "$classes" "$dir/classes"
chmod -R a+rX "$dir"
mkdir -m 777 "$dir/others"
common="-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Djava.rmi.server.hostname=127.0.0.1 -cp $dir/corunna.jar:$dir/classes"
as_nobody="setpriv --reuid=$nobody --regid=$nobody --clear-groups"

has_stub() {
    [ -f "$dir/others/stub" ] || ! kill -0 "$serving" 2> /dev/null
}

# serve SETTING WRAPPER...: a server, which ends with descriptor 3.
serve() {
    setting=$1
    shift
    rm -f "$dir/others/stub" "$dir/hold"
    mkfifo "$dir/hold"
    # shellcheck disable=SC2086 # options are words
    "$@" "$java" $common "$setting" rmi.Visitor serve "$dir/others/stub" < "$dir/hold" > "$dir/server" 2>&1 &
    serving=$!
    exec 3> "$dir/hold"
    wait_until has_stub
    if [ ! -f "$dir/others/stub" ]; then
        echo "the server does not start:" >&2
        cat "$dir/server" >&2
        exit 1
    fi
}

# visit WHAT EXPECTED WRAPPER...: a client, and what its two calls say.
visit() {
    what=$1 expected=$2
    shift 2
    # shellcheck disable=SC2086
    said=$("$@" timeout 1200 "$java" $common -Djava.io.tmpdir="$dir/others" rmi.Visitor visit "$dir/others/stub")
    if [ "$said" != "$expected" ]; then
        echo "$what: expected '$expected', but got '$said'; the server said:" >&2
        cat "$dir/server" >&2
        exit 1
    fi
}

refused="fast: refused, by RMI
ordinary: refused"
fast="fast: open
ordinary: open"
serve -Dtest.none=1 env
visit "root to itself" "$fast" env
# shellcheck disable=SC2086
visit "another user to root" "$refused" $as_nobody
grep -q "refused a remote call .* from a process of user $nobody; corunna.rmi.users=any admits" "$dir/server"
stop

serve -Dcorunna.rmi.users=any env
# shellcheck disable=SC2086
visit "another user to root, who asked for it" "$fast" $as_nobody
stop

# shellcheck disable=SC2086
serve -Djava.io.tmpdir="$dir/others" $as_nobody
# shellcheck disable=SC2086
visit "another user to itself" "$fast" $as_nobody
visit "root to another user" "$fast" env
stop

# Without the native library calls are ordinary, and the users are the same.
serve -Dcorunna.library=/nope.so env
visit "root to itself, without the library" "fast: open, by RMI
ordinary: open" env
# shellcheck disable=SC2086
visit "another user to root, without the library" "$refused" $as_nobody
grep -q "port [0-9]* serves ordinary RMI only, because fast sockets cannot be had: .*/nope.so" "$dir/server"
grep -q "refused a remote call .* from a process of user $nobody" "$dir/server"
stop

# Where a user has no number, the one that stands for all of them is nobody's, though the server has no other itself.
if ! unshare --user true 2> /dev/null; then
    echo "user namespaces cannot be made here; not tested"
    exit 0
fi
serve -Djava.io.tmpdir="$dir/others" unshare --user
# shellcheck disable=SC2086
visit "a user without a number to another one" "$refused" $as_nobody
grep -q "refused a remote call .* from a process whose user is not known" "$dir/server"
visit "a user without a number to itself" "$refused" env
