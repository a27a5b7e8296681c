#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One rank dies, and another process gets its number at once: it must not be taken for the rank. In a space of process
# ids of our own, where we say which number is next. reuse_test.sh CARELESS SURVIVOR MORTAL
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ "${REUSE_INSIDE:-}" != yes ]; then
    . "$here/../spaces_lib.sh"
    may="echo 100 > /proc/sys/kernel/ns_last_pid"
    if ! spaces_for "--pid --fork --kill-child --mount-proc" "$@" ||
        ! unshare --pid --fork --kill-child --mount-proc sh -c "$may" 2> /dev/null; then
        echo "skipped: a space of process ids, and saying which is next in it, are not allowed here"
        exit 77
    fi
    REUSE_INSIDE=yes exec unshare --pid --fork --kill-child --mount-proc sh "$0" "$@"
fi
export CARELESS_REUSE=yes
# Ranks that wait check soon (recv), or first some time after the death (words); without descriptors by /proc.
"$here/alive_test.sh" "$1" "$2" 3 plain recv words
(ulimit -n 16 && exec "$here/alive_test.sh" "$1" "$2" 6 plain words)
"$here/early_test.sh" "$1" "$3" 3 hybdev.2
