#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Jobs with windows leave nothing in /dev/shm and /tmp: those that end well, and those of which a rank dies.
#
#     win_leftovers_test.sh CARELESS DEATHS SUITE
set -eu
. "$(dirname "$0")/../p2p/failure_lib.sh"

go_on_alone "$@"
careless=$1 deaths=$2 suite=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR="$work/tmp"
mkdir "$TMPDIR"
list_leftovers > "$work/before"
"$careless" 3 600 "$suite" life.several life.shared > "$work/out"
CORUNNA_SM_SEGMENT=file "$careless" 3 600 "$suite" life.several life.shared > "$work/out"
timeout 600 "$suite" --threads 3 life.several life.shared > "$work/out"
list_leftovers > "$work/after"
cmp -s "$work/before" "$work/after" || fail "left behind or gone: $(diff "$work/before" "$work/after" | grep '^[<>]')"
for segment in memfd file; do
    for case in fence_allocated lock_allocated turn_lock_created begin_allocated; do
        mkdir "$work/room"
        SURVIVOR_ROOM="$work/room" CORUNNA_SM_SEGMENT=$segment "$careless" 3 600 "$deaths" "$case" return \
            > "$work/out" 2>&1
        rm -rf "$work/room"
        list_leftovers > "$work/after"
        cmp -s "$work/before" "$work/after" ||
            fail "$case, $segment: left behind or gone: $(diff "$work/before" "$work/after" | grep '^[<>]')"
    done
done
echo "nothing is left"
