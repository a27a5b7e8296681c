#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two jobs write one file at the same time, each its own cells between those of the other: no byte of either is lost.
#
#     beside_test.sh LAUNCHER WRITER [DEVICE]
set -eu
launcher=$1 writer=$2 device=${3:-hybdev}
rounds=24
[ -z "${CORUNNA_TEST_SLOW:-}" ] || rounds=8
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for try in 1 2 3; do
    rm -rf "$work"/*
    "$launcher" run --dev "$device" --timeout 600 -n 2 "$writer" "$work/file" 2 0 $rounds > "$work/out" 2>&1 &
    first=$!
    status=0
    "$launcher" run --dev "$device" --timeout 600 -n 2 "$writer" "$work/file" 2 1 $rounds || status=1
    wait $first || status=1
    [ $status -eq 0 ] || { echo "FAILED: one of the jobs, in try $try" >&2; cat "$work/out" >&2; exit 1; }
    "$writer" "$work/file" 2 check $rounds
done
