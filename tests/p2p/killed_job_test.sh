#!/bin/sh
# kill -9 of the launcher and every rank leaves no process, nothing in /dev/shm and nothing in /tmp.
set -eu
launcher=$1 victim=$2
. "$(dirname "$0")/failure_lib.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR="$work/tmp"
mkdir "$TMPDIR"
for setting in memfd file; do
    export CORUNNA_SM_SEGMENT=$setting
    list_leftovers > "$work/before"
    start_victims 4
    # shellcheck disable=SC2086
    kill -9 "$job" $pids
    wait "$job" 2> /dev/null || true
    # shellcheck disable=SC2086
    wait_until_gone $pids
    list_leftovers > "$work/after"
    cmp -s "$work/before" "$work/after" ||
        fail "segment $setting: left behind or gone: $(diff "$work/before" "$work/after" | grep '^[<>]')"

    # The launcher alone: its ranks must not stay either.
    start_victims 4
    kill -9 "$job"
    wait "$job" 2> /dev/null || true
    # shellcheck disable=SC2086
    wait_until_gone $pids
    list_leftovers > "$work/after"
    cmp -s "$work/before" "$work/after" ||
        fail "segment $setting, launcher killed: $(diff "$work/before" "$work/after" | grep '^[<>]')"
    echo "segment $setting: nothing is left"
done
