#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ranks under Open MPI's mpirun, by PMIx: openmpi_test.sh PROBE P2P ENDS JAR EXAMPLES. JAR is empty without Java.
probe=$1 p2p=$2 ends=$3 jar=$4 examples=$5
one_rank=$(cd "$(dirname "$0")/../launcher" && pwd)/one_rank.sh
. "$(dirname "$0")/../wait_lib.sh"
failures=0
command -v mpirun.openmpi > /dev/null || {
    echo "SKIPPED: mpirun.openmpi is not installed (Debian package openmpi-bin)"
    exit 77
}
unset PMI_FD PMI_RANK PMI_SIZE PMI_PORT PMIX_RANK PMIX_NAMESPACE CORUNNA_JAR
scratch=$(mktemp -d "${TMPDIR:-/tmp}/openmpi.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
cd "$scratch" || exit 1

fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
}

# run TASKS COMMAND...
run() {
    tasks=$1
    shift
    label="mpirun -n $tasks $*"
    timeout -k 2 600 mpirun.openmpi --allow-run-as-root --oversubscribe -n "$tasks" "$@" > out 2> err
    status=$?
}

expect_success() {
    [ $status -eq 0 ] || fail "$label: status $status: $(head -c 600 err)"
}

expect_lines() {
    [ "$(grep -c -- "$2" out)" -eq "$1" ] || fail "$label: not $1 lines with \"$2\": $(head -c 400 out)"
}

run 1 "$probe"
expect_success
expect_lines 1 '^rank 0 of 1 booted by pmix$'
# Below a rank of a launcher with PMI-1, of which the variables alone have come here.
export PMI_FD=77 PMI_RANK=0 PMI_SIZE=9
run 2 "$probe"
unset PMI_FD PMI_RANK PMI_SIZE
expect_success
expect_lines 2 'of 2 booted by pmix$'
run 4 "$probe" many 3
expect_success
expect_lines 4 'of 4 booted by pmix$'
run 3 "$probe" long
expect_success
expect_lines 3 'of 3 booted by pmix$'
run 4 "$p2p" sizes
expect_success
expect_lines 1 'cases on 4 ranks as processes passed'
if [ -n "$jar" ]; then
    run 3 java -cp "$jar:$examples" Hello
    expect_success
    expect_lines 3 '^Hello from rank [0-2] of 3'
fi
run 1 env CORUNNA_LOG=debug "$probe"
grep -q '^corunna: debug: boot: PMIx, because PMIX_RANK is set' err || fail "$label: $(head -c 400 err)"
run 3 "$probe" die 1 9
[ $status -ne 0 ] && [ $status -ne 124 ] || fail "$label: status $status"
run 3 "$ends" abort
[ $status -eq 33 ] || fail "$label: status $status instead of 33: $(head -c 400 err)"

# A rank that cannot start prints the reason and ends the job. The ranks are watched, not mpirun: that one now and then
# never ends or crashes when a rank has aborted (seen with 4.1.4 in its PMIx_server_finalize).
mark=$$.p2p
ln -s "$p2p" "$mark"
label="mpirun -n 3 with a rank that cannot start"
mpirun.openmpi --allow-run-as-root --oversubscribe -n 3 "$one_rank" 1 CORUNNA_SM_EAGER_MAX=many "./$mark" barrier \
    > out 2> err &
mpirun=$!
# The pattern comes from a file, so that the search does not find itself.
echo "./$mark" > pattern
has_said_why() {
    grep -q 'corunna: rank 1 on .*: MPI_Init_thread: CORUNNA_SM_EAGER_MAX is' err &&
        ! grep -laFf pattern /proc/[0-9]*/cmdline 2> /dev/null | grep -qv "/$mpirun/"
}
wait_until has_said_why || {
    fail "$label: ranks still run, or nothing was said: $(head -c 400 err)"
    kill -9 $(grep -laFf pattern /proc/[0-9]*/cmdline 2> /dev/null | cut -d/ -f3) 2> /dev/null
}
# It has two seconds to end by itself.
timeout 2 tail -s 0.05 --pid=$mpirun -f /dev/null
kill -9 $mpirun 2> /dev/null
wait $mpirun && fail "$label: mpirun ended well"

# Half an environment.
PMIX_RANK=0 "$probe" 2> err && fail "a rank booted by PMIX_RANK alone"
grep -q 'PMIX_RANK is set but PMIX_NAMESPACE is not' err || fail "$(cat err)"
PMIX_NAMESPACE=x "$probe" 2> err && fail "a rank booted by PMIX_NAMESPACE alone"
grep -q 'PMIX_NAMESPACE is set but PMIX_RANK is not' err || fail "$(cat err)"
PMIX_NAMESPACE=x PMIX_RANK=0 "$probe" 2> err && fail "a rank booted by PMIx without a server"
grep -q 'no PMIX_SERVER_URI is' err || fail "$(cat err)"
CORUNNA_PMI=pmi1 "$probe" 2> err && fail "a rank booted by PMI-1 without PMI_FD"
grep -q 'the setting pmi is pmi1, but PMI_FD is not set' err || fail "$(cat err)"
PMIX_RANK=0 CORUNNA_PMI=none "$probe" > out 2> err || fail "$(cat err)"
grep -q 'rank 0 of 1 booted by alone' out || fail "pmi=none did not win: $(cat out)"

if [ $failures -ne 0 ]; then
    echo "$failures checks failed"
    exit 1
fi
echo "all checks passed"
