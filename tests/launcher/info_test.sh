#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# corunna info: devices and what they lack, knobs with value and origin, memory, functions. $4 has a line
# for each of these.
. "$(dirname "$0")/launcher_lib.sh"
functions=$4

run "$corunna" info
expect_status 0
expect_quiet
grep -q '^Corunna [0-9]' out || fail "$label: no version"
grep -q '^  sm.eager_max  *[0-9]*k* .*(default)$' out || fail "$label: sm.eager_max is not at its default: $(cat out)"
grep -q 'CORUNNA_SM_EAGER_MAX' out || fail "$label: no variable"

# Devices and other parts, and what is missing for them: libraries that are no libraries are found instead of the real
# ones.
for part in 'device hybdev' 'device ucxdev' Java hwloc PMIx; do
    grep -q "^$part: " out || fail "$label: no $part: $(cat out)"
done
# Plugins are found by the place of the program, however it was called.
grep -A1 '^device ' out >by_path
run env PATH="$(dirname "$corunna"):$PATH" corunna info
expect_status 0
grep -A1 '^device ' out >by_name
cmp -s by_path by_name || fail "$label: $(diff by_path by_name)"
mkdir empty
for library in hwloc.so.15 pmix.so.2 ucp.so.0 fabric.so.1 ibverbs.so.1 mpi.so.40 mpich.so.12; do
    : >"empty/lib$library"
done
run env LD_LIBRARY_PATH="$PWD/empty" CORUNNA_JAR=/nowhere/corunna.jar "$corunna" info
expect_status 0
expect_quiet
missing() # part, text
{
    grep -A1 "^$1: " out | grep -q "^    not here: .*$2" || fail "$label: $1: $(grep -A1 "^$1: " out)"
}
missing 'device ibvdev' 'libibverbs'
missing 'device mpidev' 'MPI'
missing 'device ucxdev' 'UCX'
missing 'device ofidev' 'libfabric'
missing Java '/nowhere/corunna.jar'
missing hwloc libhwloc15
missing PMIx libpmix2
for part in hybdev smdev tcpdev simdev; do
    ! grep -A1 "^device $part: " out | grep -q 'not here' || fail "$label: $part lacks something: $(cat out)"
done

run env CORUNNA_SM_EAGER_MAX=2k "$corunna" info
expect_status 0
grep -q '^  sm.eager_max  *2k  *(environment, default ' out || fail "$label: the environment was not seen"

run env CORUNNA_SM_EAGER_MAX=lots "$corunna" info
expect_status 1
expect_err 'CORUNNA_SM_EAGER_MAX is "lots"'

run env CORUNNA_SM_EAGER_MXA=2k "$corunna" info
expect_status 0
expect_err 'CORUNNA_SM_EAGER_MXA .*did you mean CORUNNA_SM_EAGER_MAX?'

# One setting, by its name or its variable; a topic, by what its names begin with or its title; a device.
named() # NAME, settings...
{
    run env CORUNNA_COLL_BCAST=nonsense "$corunna" info "$1"
    expect_status 0
    expect_quiet
    label=$1
    shift
    [ "$(sed -n 's/^  \([a-z][a-z_0-9.]*\) .*/\1/p' out | tr '\n' ' ')" = "$* " ] || fail "$label: $(cat out)"
}
named sm.eager_max sm.eager_max
named CORUNNA_SM_EAGER_MAX sm.eager_max
named coll.force coll.force
named coll.bcast coll.force # set by itself
waiting=$("$corunna" info | sed -n 's/^  \(wait\.[a-z_0-9.]*\) .*/\1/p')
[ "$(echo "$waiting" | wc -l)" -gt 1 ] || fail "settings of waiting: $waiting"
# shellcheck disable=SC2086
named wait $waiting
# shellcheck disable=SC2086
named Waiting $waiting
run "$corunna" info ucxdev
expect_status 0
[ "$(head -n 1 out | cut -d: -f1)" = "device ucxdev" ] && [ "$(wc -l <out)" -le 2 ] || fail "$label: $(cat out)"
run env CORUNNA_SM_EAGER_MAX=lots "$corunna" info sm
expect_status 1
expect_err 'CORUNNA_SM_EAGER_MAX is "lots"'
run "$corunna" info sm.eager_mxa
expect_status 2
expect_sentence 'corunna info: "sm.eager_mxa" is no setting, topic or device; did you mean sm.eager_max?'
run "$corunna" info -n 16
expect_status 0
grep -q '^  16 ranks on this machine' out || fail "$label: no memory for 16 ranks"

run "$corunna" info --file . -n 3
expect_status 0
grep -q '^file system: ' out || fail "$label: no file system"
grep -q '^collective accesses of 3 members' out || fail "$label: no strategies for 3 members"
grep -q 'records of 512 bytes in turn  *write  two-phase by' out || fail "$label: no strategy for short records"
for hint in cb_buffer_size striping_unit; do
    grep -q "^  $hint " out || fail "$label: no hint $hint"
done
run "$corunna" info --file missing/file
expect_status 0
grep -q '^missing: cannot be opened: No such file or directory' out || fail "$label: $(head -n 1 out)"

run "$corunna" info --file "ufs:$PWD/new"
expect_status 0
grep -qx "$PWD/new: does not exist; its folder is $PWD" out || fail "$label: $(head -n 1 out)"
mkfifo pipe
run "$corunna" info --file pipe
expect_status 0
grep -q '^pipe: a pipe, which cannot be opened' out || fail "$label: $(head -n 1 out)"
run "$corunna" info --file /dev/null
expect_status 0
grep -q '^/dev/null: a device' out || fail "$label: $(head -n 1 out)"

run "$corunna" info --functions
expect_status 0
tail -n 1 out | grep -qx "$(wc -l < "$functions") functions: all of MPI 5.0" || fail "$label: $(tail -n 1 out)"
grep -q '^  MPI_Send$' out || fail "$label: MPI_Send is not listed"


# Which way messages take, in a job of its own or in the one it is started in.
run "$corunna" info --routes -n 3
expect_status 0
expect_quiet
[ "$(grep -c "^rank [0-2] on $host to rank.*: wire sm " out)" -eq 7 ] || fail "$label: $(cat out)"
grep -q "^rank 2 on $host to ranks 0-1: wire sm on this host" out || fail "$label: $(cat out)"
run "$corunna" info --routes
expect_status 0
grep -q "^rank 3 on $host to ranks 0-2: wire sm on this host" out || fail "$label: $(cat out)"
run env CORUNNA_DEV=tcpdev "$corunna" info --routes --n 2
expect_status 0
grep -q "^rank 1 on $host to rank 0: wire tcp " out || fail "$label: $(cat out)"
for number in '' '-n 2'; do
    # shellcheck disable=SC2086
    run "$corunna" run -n 2 "$corunna" info --routes $number
    expect_status 0
    expect_quiet
    grep -q "^rank 1 on $host to rank 0: wire sm on this host" out || fail "$label: $(cat out)"
done
run "$corunna" run -n 2 "$corunna" info --routes -n 3
expect_status 2
grep -v '^corunna run: rank [01] on host ' err >said
[ "$(cat said)" = 'corunna info: -n is 3, but this job has 2 ranks' ] ||
    fail "$label: $(cat err)"

for words in '--n 0' '--speed' 'everything'; do
    # shellcheck disable=SC2086
    run "$corunna" info $words
    expect_status 2
    expect_err '^corunna info: '
done

finish
