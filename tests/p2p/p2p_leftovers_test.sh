#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Jobs that end well leave nothing in /dev/shm and /tmp, however they were run.
set -eu
launcher=$1 p2p=$3
. "$(dirname "$0")/failure_lib.sh"

go_on_alone "$@"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR="$work/tmp"
mkdir "$TMPDIR"
list_leftovers > "$work/before"
"$launcher" run --timeout 600 -n 4 "$p2p" order > "$work/out"
CORUNNA_SM_SEGMENT=file "$launcher" run --timeout 600 -n 4 "$p2p" order > "$work/out"
timeout 600 "$p2p" --threads 4 order > "$work/out"
timeout 600 "$p2p" self > "$work/out"
list_leftovers > "$work/after"
cmp -s "$work/before" "$work/after" || fail "left behind or gone: $(diff "$work/before" "$work/after" | grep '^[<>]')"
echo "nothing is left"
