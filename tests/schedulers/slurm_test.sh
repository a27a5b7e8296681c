#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ranks under Slurm: slurm_test.sh PROBE P2P ENDS JAR EXAMPLES. JAR and EXAMPLES are empty without Java.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/slurm_lib.sh"
probe=$1 p2p=$2 ends=$3 jar=$4 examples=$5
one_rank=$here/../launcher/one_rank.sh
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
}

# run NODES TASKS COMMAND...: under srun with $kind and $more; stdout in out, stderr in err, $status, $took ms.
run() {
    label="srun --mpi=$kind $more -N $1 -n $2 $3 $4 $5"
    nodes=$1 tasks=$2
    shift 2
    started=$(date +%s%N)
    # shellcheck disable=SC2086
    timeout -k 2 600 srun --mpi=$kind $more -N "$nodes" -n "$tasks" "$@" > out 2> err
    status=$?
    took=$((($(date +%s%N) - started) / 1000000))
}

expect_success() {
    [ $status -eq 0 ] || fail "$label: status $status: $(head -c 600 err)"
}

# expect_lines COUNT PATTERN
expect_lines() {
    [ "$(grep -c -- "$2" out)" -eq "$1" ] || fail "$label: not $1 lines with \"$2\": $(head -c 400 out)"
}

# expect_end: badly, but soon.
expect_end() {
    [ $status -ne 0 ] && [ $status -ne 124 ] || fail "$label: status $status"
    [ $took -le 15000 ] || [ $took -le "$(patience_ms 15000)" ] ||
        fail "$label: took $took ms, at most $(patience_ms 15000) were allowed"
}

# try NAME-OF-BOOT: everything, with the PMI of $kind.
try() {
    run 1 1 "$probe"
    expect_success
    expect_lines 1 "^rank 0 of 1 booted by $1\$"
    run 4 8 "$probe" many 3
    expect_success
    expect_lines 8 "of 8 booted by $1\$"
    run 2 6 "$probe" long
    expect_success
    expect_lines 6 "of 6 booted by $1\$"

    # Messages: nodes are this machine, so that they go by shared memory; then by TCP.
    run 2 4 "$p2p" sizes
    expect_success
    expect_lines 1 'cases on 4 ranks as processes passed'
    run 4 4 env CORUNNA_DEV=tcpdev "$p2p" sizes
    expect_success
    expect_lines 1 'cases on 4 ranks as processes passed'
    if [ -n "$jar" ]; then
        run 2 4 java -cp "$jar:$examples" Hello
        expect_success
        expect_lines 4 '^Hello from rank [0-3] of 4'
    fi

    # Each rank writes its own timeline.
    run 2 4 env CORUNNA_TRACE_FILE="$PWD/timeline.json" "$p2p" barrier
    expect_success
    for rank in 0 1 2 3; do
        grep -q "\"name\":\"rank $rank\"" timeline.$rank.json && rm timeline.$rank.json ||
            fail "$label: no timeline of rank $rank"
    done

    # How it was found is told.
    run 1 1 env CORUNNA_LOG=debug "$probe"
    grep -q "^corunna: debug: boot: PMI.*because $2 is set" err || fail "$label: $(head -c 400 err)"
    run 1 2 env CORUNNA_PMI=none "$probe"
    expect_success
    expect_lines 2 'rank 0 of 1 booted by alone'

    # A rank that aborts ends the job, and so does one that dies, with the option of Slurm.
    run 2 4 "$probe" abort 1 7
    expect_end
    run 2 4 "$ends" abort
    expect_end
    more=--kill-on-bad-exit
    run 2 4 "$probe" mute 3
    expect_end
    more=
    # A rank that cannot start prints the reason and ends the job.
    for how in CORUNNA_SM_EAGER_MAX=many CORUNNA_PMI_TIMEOUT=soon CORUNNA_DEV=nodev; do
        run 2 4 "$one_rank" 3 $how "$p2p" barrier
        expect_end
        grep -q "corunna: rank 3 on .*: MPI_Init_thread: ${how%=*} is \"${how#*=}\"" err ||
            fail "$label: $(head -c 400 err)"
    done
    run 4 4 env CORUNNA_DEV=tcpdev "$one_rank" 2 CORUNNA_TCP_INTERFACE=nosuch0 "$p2p" barrier
    expect_end
    grep -q "corunna: rank 2 on .*: MPI_Init_thread: .*nosuch0" err || fail "$label: $(head -c 400 err)"
    # One that is other than the rest: rank 0 says so, for all.
    run 2 4 "$one_rank" 3 CORUNNA_CHECK=yes "$p2p" barrier
    expect_end
    [ "$(grep -c '^corunna: ' err)" -eq 1 ] &&
        grep -q '^corunna: rank 0 on .*: MPI_Init_thread: rank 3 on .* has a different check than rank 0' err ||
        fail "$label: $(head -c 600 err)"
    # Without that the others are not told; then their own timeout ends it.
    # On a busy machine they may need longer to start: then they have more of it.
    for seconds in 2 10 50; do
        run 2 4 env CORUNNA_PMI_TIMEOUT=$seconds "$probe" stuck 3
        [ "$(grep -c "within $seconds s (setting pmi.timeout)" err)" -ne 3 ] || break
    done
    [ $status -ne 0 ] && [ $status -ne 124 ] || fail "$label: status $status"
    [ "$(grep -c "within $seconds s (setting pmi.timeout)" err)" -eq 3 ] || fail "$label: $(head -c 400 err)"
    # A server of PMIx that sees one of its ranks go while others are already waiting lets them go on without it.
    run 2 4 env CORUNNA_PMI_TIMEOUT=2 "$probe" mute 1
    expect_end
    grep -qE 'within 2 s \(setting pmi.timeout\)|rank 1 has ended before it published' err ||
        fail "$label: $(head -c 400 err)"
}

slurm_start
more=
kind=pmi2
try pmi1 PMI_FD

if srun --mpi=list 2>&1 | grep -q pmix; then
    kind=pmix
    try pmix PMIX_RANK
    run 2 4 "$probe" abort 1 7
    [ $status -eq 7 ] || fail "$label: status $status instead of 7"
else
    echo "SKIPPED: this Slurm has no PMIx"
fi

# No PMI at all: jobs of one, which is told once.
kind=none
run 1 3 "$probe"
expect_success
expect_lines 3 'rank 0 of 1 booted by alone'
[ "$(grep -c 'Slurm has started 3 tasks and offers no PMI' err)" -eq 1 ] || fail "$label: $(head -c 400 err)"
kind=pmi2
run 1 2 env CORUNNA_PMI=pmix "$probe"
grep -q 'the setting pmi is pmix, but PMIX_RANK is not set' err || fail "$label: $(head -c 400 err)"

if [ $failures -ne 0 ]; then
    echo "$failures checks failed"
    exit 1
fi
echo "all checks passed"
