#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# examples_test.sh BUILD SOURCE HAS_JAVA: every example says what it should, on different numbers of ranks.
set -u
build=$1 source=$2 has_java=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

fail()
{
    echo "FAILED: $1" >&2
    exit 1
}

# Its output, without the time, must be this line; further lines follow.
says() # expected pattern, command...
{
    expected=$1
    shift
    timeout 600 "$@" > out 2>&1 || fail "$* ended with $?: $(cat out)"
    head -n 1 out | grep -qx "$expected" || fail "$* said $(cat out), not $expected"
}

for program in pi halo; do
    "$build/bin/mpicc" -O2 -Wall -Werror "$source/examples/$program.c" -o "$program" -lm || fail "mpicc $program.c"
done
for ranks in 1 3; do
    says "pi is about 3.1415926536, .* by $ranks ranks in .* s" "$build/bin/mpirun" -n $ranks ./pi 100000
done
for ranks in 1 2 4; do
    "$build/bin/mpirun" -n $ranks ./halo 60 50 > out || fail "halo on $ranks ranks"
    sed 's/, by.*//' out > "heat$ranks"
    cmp -s heat1 "heat$ranks" || fail "halo on $ranks ranks: $(cat out), not $(cat heat1)"
done
grep -q "heat of 60 x 60 points after 50 steps: [1-9][0-9.]*$" heat1 || fail "halo: $(cat heat1)"
"$build/bin/mpirun" -n 2 ./halo 3 1 > out 2>&1 && fail "halo takes too few points"
grep -q "3 points a side are too few for 2 x 1 ranks" out || fail "halo: $(cat out)"

sh -n "$source/examples/slurm.sh" || fail "slurm.sh is no script"
[ "$has_java" = 1 ] || exit 0

java="$build/bin/mpjrun -cp $build/examples -np"
printf 'The cat and the dog.\nA dog, a cat; the end\n\n' > text
# shellcheck disable=SC2086
{
    says "pi is about 3.1415926536, .* by 3 ranks in .* s" $java 3 Pi 100000
    # As awk finds them.
    steps=$(awk 'BEGIN { for (i = 1; i <= 30; i++) for (n = i; n != 1; steps++) n = n % 2 ? 3 * n + 1 : n / 2; print steps }')
    says "30 tasks: $steps steps, the longest sequence from 27 with 111" $java 3 TaskFarm 30
    says "30 tasks: $steps steps, the longest sequence from 27 with 111" "$build/bin/corunna" run -n 2 java \
        -cp "$build/lib/corunna.jar:$build/examples" TaskFarm 30
    says "6 different words; the most frequent ones:" $java 4 WordCount text
    printf '3 the\n2 a\n2 cat\n2 dog\n1 and\n' > expected
    sed 1d out | cmp - expected || fail "WordCount said $(cat out)"
}

# C and Java in one job, by the command line and by the file of the example.
"$build/bin/mpicc" -O2 -Wall -Werror "$source/examples/mixed/master.c" -o master || fail "mpicc master.c"
javac --release 11 -cp "$build/lib/corunna.jar" -d . "$source/examples/mixed/Worker.java" || fail "javac Worker.java"
says "3245 primes below 30000, counted by 2 Java ranks for a C rank" "$build/bin/mpirun" -n 1 ./master 30 : -n 2 java -cp . Worker
says "9592 primes below 100000, counted by 3 Java ranks for a C rank" "$build/bin/mpirun" --app "$source/examples/mixed/job"
timeout 600 "$build/bin/mpirun" -n 1 ./master > out 2>&1 && fail "master works alone"
grep -q "master needs workers" out || fail "master alone said $(cat out)"
echo "fine"
