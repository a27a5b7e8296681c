#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What CORUNNA_LOG tells of the hints that the cases of the group `hint` set: values that make no sense are warnings,
# hints without effect and those that nobody knows are told on the level info, the others are not.
#
#     hints_test.sh SUITE
set -eu
suite=$1
log=$(mktemp)
trap 'rm -f "$log"' EXIT

fail()
{
    echo "FAILED: $1, of these lines:" >&2
    sort "$log" | uniq -c | head -n 40 >&2
    exit 1
}

CORUNNA_LOG=info "$suite" --threads 1 hint > "$log" 2>&1 || fail "the suite"
grep -q 'hint no_such_hint_there=maybe of a file is not known here, and has no effect' "$log" || fail "an unknown hint"
grep -q 'hint access_style=random of a file is kept, but has no effect' "$log" || fail "a hint that is kept"
grep -q 'hint romio_ds_write=enable of a file has no effect' "$log" || fail "sieving of writes"
grep -q 'hint cb_nodes of a file is "many", which is ignored' "$log" || fail "a wrong value"
! grep -q 'hint cb_buffer_size=65536' "$log" || fail "a hint that has an effect"
! grep -qE 'hint (filename|mpi_memory_alloc_kinds)=' "$log" || fail "what MPI_File_get_info adds"
CORUNNA_LOG=warn "$suite" --threads 1 hint > "$log" 2>&1 || fail "the suite, told of warnings only"
! grep -q 'has no effect' "$log" || fail "on the level warn"
