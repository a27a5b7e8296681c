#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs whose connections cannot be fast run as they do plain, and the log tells the reason once.
#
#   plain_test.sh CORUNNA SOCK_PLAIN SOCK_PLAIN_STATIC|none
set -eu
corunna=$1
plain=$2
static=$3
said=$(mktemp)
trap 'rm -f "$said"' EXIT
fail()
{
    echo "FAILED: $*" >&2
    cat "$said" >&2
    exit 1
}
# told WORDS: a line with them is there, and no line twice
told()
{
    grep -q -- "$1" "$said" || fail "the log does not tell: $1"
    [ -z "$(grep 'fast sockets' "$said" | sort | uniq -d)" ] || fail "the log tells the same twice"
}
# stays WORDS COMMAND...: it ends well, on TCP, and the log has the words
stays()
{
    words=$1
    shift
    echo "$*"
    "$@" > "$said" 2>&1 || fail "$* ended with $?"
    grep -qx plain "$said" || fail "$*: its connections are not plain"
    told "$words"
}

echo "nothing in the way"
"$corunna" sock "$plain" > "$said" 2>&1 || fail "the program"
[ "$(cat "$said")" = fast ] || fail "the test shows nothing: a connection without obstacles is not fast"

# ---- what is not said ----
"$corunna" sock "$plain" file > "$said" 2>&1 || fail "the program"
[ "$(cat "$said")" = plain ] || fail "without CORUNNA_LOG something is said"
export CORUNNA_LOG=warn
own=$(mktemp)
trap 'rm -f "$said" "$own"' EXIT
"$corunna" sock "$plain" file "$own" > "$said" 2>&1 || fail "the program"
[ "$(cat "$said")" = plain ] || fail "what the program has not as descriptor 2 any more is written to"
[ ! -s "$own" ] || fail "a file of the program's own is written to, which it has as descriptor 2"

# ---- what lies in the way ----
stays 'cannot create the link .*stays on TCP' "$corunna" sock "$plain" file
told 'is not a link of ours.*stays on TCP'
stays 'cannot create the link .*stays on TCP' "$corunna" sock "$plain" garbage
told 'is garbage.*stays on TCP'
stays 'no socket to look for a fast server.*stays on TCP' "$corunna" sock "$plain" descriptors
if [ "$(id -u)" = 0 ]; then
    stays 'cannot create the link .*stays on TCP' "$corunna" sock "$plain" other
else
    echo "skipped: another user's link, which needs root"
fi

# ---- filters, io_uring, no dynamic linker ----
for way in prctl seccomp strict; do
    echo "$way"
    CORUNNA_LOG=info "$corunna" sock "$plain" $way > "$said" 2>&1 || fail "$way ended with $?"
    grep -qx 'one was fast' "$said" || fail "$way: the first connection was not fast"
    told 'no new connection goes through shared memory: the program filters its system calls'
done
echo uring
if CORUNNA_LOG=info "$corunna" sock "$plain" uring > "$said" 2>&1; then
    told 'no new connection goes through shared memory: the program uses io_uring'
elif [ $? -eq 77 ]; then
    grep skipped "$said"
else
    fail "uring"
fi
echo unseen
rc=0
CORUNNA_LOG=info timeout 300 "$corunna" sock "$plain" unseen > "$said" 2>&1 || rc=$?
if [ $rc = 0 ]; then
    grep -qx plain "$said" || fail "a ring among the descriptors is not found"
    told 'no new connection goes through shared memory: the program uses io_uring'
else
    [ $rc = 77 ] || fail "unseen ended with $rc"
    grep skipped "$said"
fi
if [ "$static" = none ]; then
    echo "skipped: a static program, for which there is no libc.a"
else
    stays 'is linked statically' "$corunna" sock "$static"
    [ "$(grep -c 'is linked statically' "$said")" = 1 ] || fail "a static program is not told once"
fi

# ---- /dev/shm ----
. "$(dirname "$0")/../spaces_lib.sh"
if ! spaces_command --mount; then
    echo "skipped: /dev/shm, for which a mount namespace is needed"
    exit 0
fi
# without MOUNT: the program where the mounts of this process are its own
without()
{
    $spaces sh -c "$1 && exec '$corunna' sock '$plain'"
}
stays 'cannot create the link .*Read-only file system; this' without 'mount -t tmpfs -o ro none /dev/shm'
stays 'cannot create the link .*No such file or directory; this' without 'mount -t tmpfs none /dev'
stays 'cannot create the link .*No space left on device; this' without 'mount -t tmpfs -o nr_inodes=1 none /dev/shm'
echo "what cannot be fast runs plain"
