#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Several programs in one job, each with its own options, on this host and on others.
. "$(dirname "$0")/launcher_lib.sh"
unset SLURM_JOB_NODELIST SLURM_TASKS_PER_NODE CORUNNA_RUN_LAUNCHER

expect_sorted() {
    [ "$(LC_ALL=C sort out)" = "$1" ] ||
        fail "$label: stdout is \"$(head -c 400 out)\" instead of \"$1\"; $(head -c 300 err)"
}

mkdir -p one two
show='echo $PMI_RANK of $PMI_SIZE: ${NAME-none} ${ALL-none} $(basename $PWD)'
wanted="0 of 4: first x one
1 of 4: second x two
2 of 4: second x two
3 of 4: none x $(basename "$scratch")"
run "$bin/mpirun" -genv ALL x -np 1 -x NAME=first -wdir one sh -c "$show" : \
    -np 2 -env NAME second --wdir two sh -c "$show" : sh -c "$show"
expect_status 0
expect_quiet
expect_sorted "$wanted"
# On two hosts, whose agents know all programs.
run env CORUNNA_RUN_LAUNCHER="env AT={host}" "$bin/mpirun" -H a:2,b:2 -genv ALL x \
    -np 1 -x NAME=first -wdir one sh -c "$show" : -np 2 -env NAME second --wdir two sh -c "$show" : sh -c "$show"
expect_status 0
expect_sorted "$wanted"
run env CORUNNA_RUN_LAUNCHER="env AT={host}" "$bin/mpirun" -H a:1,b:2 -n 1 sh -c 'echo first $AT' : \
    -n 2 sh -c 'echo second $AT'
expect_sorted "$(printf 'first a\nsecond b\nsecond b')"

# A file of programs, in the form of Open MPI's and of Hydra's.
cat >app <<'END'
# programs of one job

  -np 1 -x NAME=first -wdir one sh -c 'echo "$PMI_RANK of $PMI_SIZE: $NAME"'
-np 2 sh -c 'echo "$PMI_RANK of $PMI_SIZE: ${NAME-none}"'
END
sed 's/$/ :/; s/^#.*//; s/^ :$//' app >config
wanted="$(printf '0 of 3: first\n1 of 3: none\n2 of 3: none')"
run "$bin/mpirun" --app app
expect_status 0
expect_sorted "$wanted"
run "$bin/mpiexec" -l -configfile config
expect_status 0
expect_sorted "$(printf '[0] 0 of 3: first\n[1] 1 of 3: none\n[2] 2 of 3: none')"
run "$bin/mpirun" --app app true
expect_status 2
expect_sentence 'corunna run: --app FILE must be the last option, and have no program after it'
echo '--app app' >twice
run "$bin/mpirun" --app twice
expect_status 2
expect_err 'must be the last option'
printf '# nothing\n' >empty
run "$bin/mpirun" --app empty
expect_status 2
expect_sentence 'corunna run: empty has no program'
printf -- '-n 1 true\n-n 1 sh -c "open\n' >open
run "$bin/mpirun" --app open
expect_status 2
expect_sentence 'corunna run: open, line 2: a quote is not closed'

# They are ranks of one job.
run "$bin/mpirun" -n 2 "$probe" : -n 3 "$probe"
expect_status 0
[ "$(wc -l <out)" -eq 5 ] && ! grep -qv 'of 5' out || fail "$label: $(cat out)"

# A program can ask which one it is.
cat >which.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int *number, flag, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &flag);
    printf("rank %d program %d\n", rank, flag ? *number : -1);
    return MPI_Finalize();
}
END
if [ -x "$bin/mpicc" ] && "$bin/mpicc" which.c -o which 2>err; then
    run "$bin/mpirun" -n 2 ./which : -n 1 ./which
    expect_status 0
    expect_sorted "$(printf 'rank 0 program 0\nrank 1 program 0\nrank 2 program 1')"
    run "$bin/mpirun" -n 1 ./which
    expect_out 'rank 0 program 0'
fi

# Failures name the program.
run "$bin/mpirun" -n 1 true : -n 1 ./nope
expect_status 127
expect_sentence 'corunna run: cannot run ./nope: No such file or directory'
run "$bin/mpirun" -n 1 true : -n 1 -wdir nowhere true
expect_status 1
expect_sentence 'corunna run: cannot change to the directory nowhere: No such file or directory'
run "$bin/mpirun" -n 1 true : -n 1 sh -c 'exit 5'
expect_status 5
expect_sentence "corunna run: rank 1 on host $host exited with status 5; ending the job"
run "$bin/mpirun" -n 2000000000 true : -n 2000000000 true
expect_status 2
expect_sentence 'corunna run: 4000000000 ranks are too many'

finish
