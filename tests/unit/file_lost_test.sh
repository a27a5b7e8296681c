#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# file_lost_test.sh CARELESS PROGRAM: a member that dies in a collective access, in every way to call it.
set -eu
careless=$1
program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seed=${CORUNNA_TEST_SEED:-$(date +%s)}
echo "seed $seed"
for ranks in 2 3 5; do
    for way in 0 1 2 3; do
        for turn in 1 2 3; do
            rm -f "$work/file"
            number=$((seed * 7 + turn + 100 * way + ranks))
            "$careless" "$ranks" 100 "$program" "$work/file" "$way" "$number" > "$work/out" 2> "$work/err" || {
                echo "$ranks ranks, way $way, turn $turn: not all have come to an end"
                cat "$work/out" "$work/err"
                exit 1
            }
            count=$(grep -c '^survived' "$work/out" || true)
            [ "$count" -eq $((ranks - 1)) ] || {
                echo "$ranks ranks, way $way, turn $turn: $count have survived"
                cat "$work/out" "$work/err"
                exit 1
            }
        done
    done
done
