#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A rank that dies under plain srun, which does not end the others: slurm_death_test.sh SURVIVOR MORTAL. They notice it,
# on its own node and on others, also while the job starts and ends.
. "$(dirname "$0")/slurm_lib.sh"
survivor=$1 mortal=$2
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAILED: $*: $(head -c 600 out) $(head -c 600 err)"
}

# run KIND CASE fatal|return [VARIABLE=VALUE]: 5 ranks on two nodes, of which rank 4 dies.
run() {
    label="srun --mpi=$1 survivor $2 $3 ${4:-}"
    started=$(date +%s%N)
    timeout -k 2 600 srun --mpi="$1" -N 2 -n 5 env "${4:-CORUNNA_LOG=warn}" "$survivor" "$2" "$3" > out 2> err
    status=$?
    took=$((($(date +%s%N) - started) / 1000000))
    [ $status -ne 0 ] && [ $status -ne 124 ] || fail "$label: status $status"
    [ $took -le 15000 ] || [ $took -le "$(patience_ms 15000)" ] || fail "$label: took $took ms"
}

# expect: each of the four others was told.
expect() {
    for rank in 0 1 2 3; do
        grep -qE "^told $rank .*MPI_.*(rank 4 (on [^ ]* )?is lost|lost rank 4)" out ||
            fail "$label: rank $rank was not told"
    done
}

slurm_start
for kind in pmi2 pmix; do
    if ! srun --mpi=list 2>&1 | grep -q $kind; then
        echo "SKIPPED: this Slurm has no $kind"
        continue
    fi
    for name in recv barrier allreduce_long iallreduce; do
        run $kind $name return
        expect
    done
    run $kind barrier return CORUNNA_DEV=tcpdev
    expect
done
# By default the first to notice ends the job.
run pmi2 barrier fatal
grep -qE 'corunna: rank [0-3] on .*: MPI_Barrier: .*(rank 4 (on [^ ]* )?is lost|lost rank 4)' err ||
    fail "$label: no sentence"

# While the job starts and ends, in the launcher's barriers: a rank on the same node notices and ends the job.
for meeting in 2 3 4; do
    label="srun --mpi=pmi2 mortal barrier $meeting"
    timeout -k 2 600 srun --mpi=pmi2 -N 2 -n 5 --distribution=cyclic "$mortal" barrier $meeting > out 2> err
    status=$?
    [ $status -ne 0 ] && [ $status -ne 124 ] || fail "$label: status $status"
    grep -qE '^corunna: .*MPI_(Init|Finalize): rank 4 is lost: its process [0-9]* on this host has ended before' err ||
        fail "$label: no sentence"
    grep -q done out && fail "$label: a rank has ended well"
done

if [ $failures -ne 0 ]; then
    echo "$failures checks failed"
    exit 1
fi
echo "all checks passed"
