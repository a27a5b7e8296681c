#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `corunna run` inside an allocation of a real Slurm, the one of tests/schedulers.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../schedulers/slurm_lib.sh"
slurm_start
export TMPDIR=/mnt
. "$here/launcher_lib.sh"
program=$4
unset CORUNNA_RUN_LAUNCHER

# allocated COMMAND...: in an allocation of three nodes with two tasks each.
allocated() {
    run salloc --quiet --nodelist=n1,n2,n3 --ntasks-per-node=2 "$@"
}

# ---- jobs -----------------------------------------------------------------------------------------------------------
allocated "$corunna" run sh -c 'echo $PMI_RANK:$SLURMD_NODENAME'
expect_status 0
expect_quiet
[ "$(sort -n out | tr '\n' ' ')" = "0:n1 1:n1 2:n2 3:n2 4:n3 5:n3 " ] || fail "$label: $(cat out)"
allocated "$corunna" run -n 3 --map node sh -c 'echo $PMI_RANK:$SLURMD_NODENAME'
[ "$(sort -n out | tr '\n' ' ')" = "0:n1 1:n2 2:n3 " ] || fail "$label: $(cat out)"
allocated "$corunna" run -n 7 true
expect_status 2
expect_err '7 ranks do not fit the 6 slots of the hosts'
for fan in 1 32; do
    allocated "$corunna" run --fan $fan "$probe" many 3
    expect_status 0
    [ "$(wc -l <out)" -eq 6 ] || fail "$label: $(cat out)"
done
allocated "$corunna" run "$program" ring 100000 3
expect_status 0
expect_out '3 laps'
# Bytes of every value get through srun, both ways.
head -c 200000 /dev/urandom >random
run sh -c 'salloc --quiet --nodes=3 "$0" run -n 2 md5sum <random' "$corunna"
[ "$(grep -c "$(md5sum <random)" out)" -eq 1 ] || fail "$label: $(cat out err)"
run sh -c 'salloc --quiet --nodes=3 "$0" run -n 1 cat <random | md5sum' "$corunna"
expect_out "$(md5sum <random)"

allocated "$corunna" run "$probe" die 4 9
expect_status 137
expect_sentence 'corunna run: rank 4 on host n3 was killed by signal 9 (Killed); ending the job'
allocated "$corunna" run "$probe" abort 3 7
expect_status 7

# The batch script of the examples, as it is.
examples=$here/../../examples
"$bin/mpicc" -O2 "$examples/pi.c" -o pi -lm || fail "mpicc pi.c"
run env PATH="$bin:$PATH" sbatch --quiet --wait --output=batch "$examples/slurm.sh"
expect_status 0
grep -qx 'pi is about 3.1415926536, .* by 8 ranks in .* s' batch || fail "$label: $(cat batch)"

# kill -9 of the launcher leaves nothing on any node.
mark="mark-allocated-$$"
printf '#!/bin/sh\nsleep %s & wait\n' $forever >stay
chmod +x stay
echo "$mark" >mark
salloc --quiet --nodes=3 sh -c 'echo $$ >launcher; exec "$0" run -n 3 "$1" $(cat mark)' \
    "$corunna" "$PWD/stay" >out 2>err &
job=$!
await "$mark" 5 || fail "$mark: the job did not start: $(cat err)"
kill -9 "$(cat launcher)"
wait $job
await "$mark" 0 || fail "$mark: processes were left behind"

finish
