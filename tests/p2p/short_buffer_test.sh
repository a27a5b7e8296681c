#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program that is compiled with AddressSanitizer learns of a buffer that is too short for a short message, though the
# library is not sanitized: short_buffer_test.sh LAUNCHER PROGRAM
launcher=$1 program=$2
failures=0
# Each case is a job that ends; to look for leaks takes long.
export ASAN_OPTIONS=detect_leaks=0

# report DEVICE RANKS CASE
report()
{
    said=$(CORUNNA_DEV=$1 "$launcher" run --timeout 600 -n "$2" "$program" "$3" 48 2>&1) || {
        echo "FAILED: $*: a buffer that is long enough: $said"
        failures=$((failures + 1))
    }
    said=$(CORUNNA_DEV=$1 "$launcher" run --timeout 600 -n "$2" "$program" "$3" 40 2>&1)
    case $? in
    0) failed=yes ;;
    *) failed=no ;;
    esac
    case $said in
    *"AddressSanitizer: heap-buffer-overflow"*) ;;
    *) failed=yes ;;
    esac
    [ $failed = no ] || {
        echo "FAILED: $*: no report: $said"
        failures=$((failures + 1))
    }
}

for case in posted unexpected send vector; do
    report smdev 1 $case
    report tcpdev 1 $case
done
for device in smdev tcpdev; do
    for case in posted unexpected send bcast allreduce; do
        report $device 2 $case
    done
done
[ $failures -eq 0 ] && echo "all checks passed"
