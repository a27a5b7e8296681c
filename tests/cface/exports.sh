#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What libmpi_abi exports: every function of the standard, as MPI_ and as PMPI_, and of our own only corunna_*.
#
#   exports.sh LIBRARY_FOLDER abi_functions.inc

lib=$1 standard=$2
failures=0
fail() {
    echo "$*"
    failures=$((failures + 1))
}

wanted=$(mktemp) && got=$(mktemp) || exit 1
trap 'rm -f "$wanted" "$got"' EXIT
sed -n 's/^ABI_FUNCTION([A-Za-z_]*, \([^,]*\),.*/\1\nP\1/p' "$standard" | sort > "$wanted"
nm -D --defined-only "$lib/libmpi_abi.so.1" | awk '{ print $3 }' | sort > "$got"

[ "$(wc -l < "$wanted")" -eq 1328 ] || fail "the standard has $(wc -l < "$wanted") names, not 2 x 664"
missing=$(comm -23 "$wanted" "$got")
[ -z "$missing" ] || fail "not exported: $missing"
extra=$(comm -13 "$wanted" "$got" | grep -v '^corunna_')
[ -z "$extra" ] || fail "exported but not in the standard: $extra"

for name in libmpi_abi.so libmpi_abi.so.0; do
    [ "$(readlink -f "$lib/$name")" = "$(readlink -f "$lib/libmpi_abi.so.1")" ] || fail "$name is not libmpi_abi.so.1"
done
readelf -d "$lib/libmpi_abi.so.1" | grep -q 'SONAME.*\[libmpi_abi.so.1\]' || fail "the library's own name is wrong"

# A call of the library that the loader may bind to a tool's function would be counted twice.
calls=$(readelf -rW "$lib/libmpi_abi.so.1" | awk '$5 ~ /^P?MPI_/ { print $5, $3 }')
[ -z "$calls" ] || fail "the library calls through names that a tool may have: $calls"

[ "$failures" -eq 0 ] && echo "exports: passed"
exit "$failures"
