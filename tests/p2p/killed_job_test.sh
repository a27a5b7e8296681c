#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kill -9 of the launcher and every rank leaves no process, nothing in /dev/shm and nothing in /tmp.
set -eu
launcher=$1 victim=$2
. "$(dirname "$0")/failure_lib.sh"

go_on_alone "$@"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR="$work/tmp"
mkdir "$TMPDIR"
for setting in memfd file; do
    export CORUNNA_SM_SEGMENT=$setting
    list_leftovers > "$work/before"
    start_victims 4
    # All are held first, so that none reacts to the end of another.
    # shellcheck disable=SC2086
    kill -STOP "$job" $pids
    # shellcheck disable=SC2086
    kill -9 $pids "$job"
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

    # While it starts, sooner and later; how far it has come by then is left to the machine. A file still has its name
    # then, and no rank is left to unlink it.
    [ "$setting" = memfd ] && delays="0.001 0.002 0.003 0.004 0.006 0.008 0.011 0.015 0.02 0.03" || delays=
    for delay in $delays; do
        "$launcher" run --timeout 600 -n 4 "$victim" "mark-$$-$delay" > "$work/out" 2> "$work/err" &
        job=$!
        sleep $delay
        kill -9 "$job"
        wait "$job" 2> /dev/null || true
        wait_until_none_has "mark-$$-$delay"
    done
    list_leftovers > "$work/after"
    cmp -s "$work/before" "$work/after" ||
        fail "segment $setting, killed while it starts: $(diff "$work/before" "$work/after" | grep '^[<>]')"
    echo "segment $setting: nothing is left"
done
