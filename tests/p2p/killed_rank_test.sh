#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kill -9 of one rank ends the whole job soon, with a sentence that names it and a status that is not 0.
set -eu
launcher=$1 victim=$2
. "$(dirname "$0")/failure_lib.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for ranks in 2 4; do
    start_victims "$ranks"
    last=$((ranks - 1))
    target=$(sed -n "s/^pid $last \([0-9]*\)\$/\1/p" "$work/out")
    begin=$(milliseconds)
    kill -9 "$target"
    status=0
    wait "$job" || status=$?
    took=$(($(milliseconds) - begin))
    [ "$status" -ne 0 ] || fail "$ranks ranks, one killed: expected a status that is not 0"
    limit=$(patience_ms 10000)
    [ "$took" -lt "$limit" ] || fail "$ranks ranks, one killed: expected the end within $limit ms, got $took ms"
    grep -q "rank $last" "$work/err" || fail "no sentence names rank $last: $(cat "$work/err")"
    grep -qiE 'signal 9|SIGKILL|killed' "$work/err" || fail "no sentence names the signal: $(cat "$work/err")"
    # shellcheck disable=SC2086
    wait_until_gone $pids
    echo "$ranks ranks: ended after $took ms with status $status: $(grep "rank $last" "$work/err" | head -n 1)"
done
