#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A job of C and Java ranks over two hosts. After the usual arguments: mpicc, the folder of the example, corunna.jar.
. "$(dirname "$0")/hosts_lib.sh"
. "$(dirname "$0")/launcher_lib.sh"
unset SLURM_JOB_NODELIST SLURM_TASKS_PER_NODE CORUNNA_RUN_LAUNCHER CORUNNA_DEV CLASSPATH
mpicc=$4
example=$5
jar=$6

"$mpicc" -O2 -Wall -Werror "$example/master.c" -o master || fail "mpicc master.c"
javac --release 11 -cp "$jar" -d . "$example/Worker.java" || fail "javac Worker.java"
expected='3245 primes below 30000, counted by 3 ranks for a C rank'
hosts_up 2
for hosts in h1:1,h2:3 h1:2,h2:2 h0:1,h1:1,h2:2; do
    run "$corunna" run --hosts $hosts -n 1 ./master 30 : -n 3 java -cp . Worker
    expect_status 0
    expect_out "$expected"
done
run "$corunna" run --dev tcpdev --map node --hosts h1:2,h2:2 -n 1 ./master 30 : -n 3 java -cp . Worker
expect_status 0
expect_out "$expected"
# A Java rank that fails ends the C rank.
run "$corunna" run --hosts h1:1,h2:1 -n 1 ./master 30 : -n 1 java -cp . NoSuchClassHere
expect_status 1
grep -q 'rank 1 on host h2 exited with status 1 (hint: the class path has no NoSuchClassHere' err ||
    fail "$label: $(cat err)"

finish
