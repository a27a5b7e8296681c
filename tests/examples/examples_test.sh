#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# examples_test.sh BUILD SOURCE HAS_JAVA HAS_FORTRAN: every example says what it should, on different numbers of ranks.
set -u
build=$1 source=$2 has_java=$3 has_fortran=$4
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

for program in pi halo halo_put counter mandelbrot sessions tool_variables; do
    "$build/bin/mpicc" -O2 -Wall -Werror "$source/examples/$program.c" -o "$program" -lm || fail "mpicc $program.c"
done
for ranks in 1 3; do
    says "pi is about 3.1415926536, .* by $ranks ranks in .* s" "$build/bin/mpirun" -n $ranks ./pi 100000
done
for ranks in 1 3; do
    says "pi is about 3.1[345], after [0-9.]* s on $(uname -n)" "$build/bin/mpirun" -n $ranks ./sessions 100000
done
for ranks in 1 2 4; do
    "$build/bin/mpirun" -n $ranks ./halo 60 50 > out || fail "halo on $ranks ranks"
    sed 's/, by.*//' out > "heat$ranks"
    cmp -s heat1 "heat$ranks" || fail "halo on $ranks ranks: $(cat out), not $(cat heat1)"
done
grep -q "heat of 60 x 60 points after 50 steps: [1-9][0-9.]*$" heat1 || fail "halo: $(cat heat1)"
"$build/bin/mpirun" -n 2 ./halo 3 1 > out 2>&1 && fail "halo takes too few points"
grep -q "3 points a side are too few for 2 x 1 ranks" out || fail "halo: $(cat out)"

for ranks in 1 2 3; do
    "$build/bin/mpirun" -n $ranks ./halo_put 60 50 > out || fail "halo_put on $ranks ranks"
    sed 's/, by.*//' out > put
    cmp -s heat1 put || fail "halo_put on $ranks ranks: $(cat out), not $(cat heat1)"
done
"$build/bin/mpirun" -n 2 ./halo_put 1 1 > out 2>&1 && fail "halo_put takes too few points"
grep -q "1 points a side are too few for 2 ranks" out || fail "halo_put: $(cat out)"
# As awk finds them.
steps=$(awk 'BEGIN {
    for (i = 1; i <= 30; i++) for (n = i; n != 1; steps++) n = n % 2 ? 3 * n + 1 : n / 2
    print steps }')
for ranks in 1 3; do
    says "30 tasks: $steps steps, drawn from one counter by $ranks ranks, [0-9]* by rank 0" \
        "$build/bin/mpirun" -n $ranks ./counter 30
done

# One picture, byte for byte, from any number of ranks; the old one, which is longer, is gone.
dd if=/dev/zero of=picture.ppm bs=100000 count=1 2> /dev/null
for ranks in 1 2 5; do
    says "picture.ppm: 60 x 40 pixels, [1-9][0-9]* inside, by $ranks ranks in .* s" "$build/bin/mpirun" -n $ranks \
        ./mandelbrot picture.ppm 60 40
    [ "$(wc -c < picture.ppm)" = 7213 ] || fail "the picture of $ranks ranks has $(wc -c < picture.ppm) bytes"
    [ "$ranks" != 1 ] || cp picture.ppm picture1.ppm
    cmp picture1.ppm picture.ppm || fail "the picture of $ranks ranks is another one"
done
[ "$(head -c 13 picture1.ppm | tr '\n' ' ')" = "P6 60 40 255 " ] || fail "the head of the picture"
"$build/bin/mpirun" -n 2 ./mandelbrot no/such/folder.ppm 60 40 > out 2>&1 && fail "mandelbrot writes in no folder"
grep -q "mandelbrot: .*no/such/folder.ppm" out || fail "mandelbrot: $(cat out)"

# Each counter once for each rank that it is about, by what the program sends; and the variables that info lists.
for ranks in 2 3; do
    "$build/bin/mpirun" -n $ranks ./tool_variables all > out || fail "tool_variables on $ranks ranks"
    grep -qx "rank 0: eager_sent_bytes, rank 1: 1000" out || fail "tool_variables: $(grep eager_sent out)"
    grep -qx "rank 0: rendezvous_sent, rank 1: 10" out || fail "tool_variables: $(grep rendezvous out)"
    grep -qx "rank 0: rendezvous_received_bytes, rank $((ranks - 1)): 10000000" out ||
        fail "tool_variables: $(grep rendezvous out)"
    grep -qx "rank 0: calls: 20" out || fail "tool_variables: $(grep calls out)"
done
for kind in cvar pvar; do
    awk -v kind=$kind '$1 == kind { sub(/:$/, "", $2); print $2 }' out | sort > variables
    "$build/bin/corunna" info --${kind}s | awk '/^  [^ ]/ { print $1 }' | sort | cmp - variables ||
        fail "corunna info --${kind}s lists others than the library has"
done

# The commands at the head of each example, as they stand there, in a copy of its folder.
follow() # folder, file, how many commands it has at least, what it prints
{
    rm -rf copy && cp -r "$source/examples/$1" copy
    awk 'sub(/^( \*|!|C)     /, "") { print; next } /\*\/$/ && NR > 1 { exit }' "copy/$2" > commands
    [ "$(wc -l < commands)" -ge "$3" ] || fail "$2 has too few commands at its head: $(cat commands)"
    (cd copy && PATH="$build/bin:$PATH" timeout 600 sh -e ../commands) > out 2>&1 ||
        fail "the commands of $2: $(cat out)"
    grep -q "$4" out || fail "the commands of $2 print $(cat out)"
}
follow . hello.c 1 "Hello from rank 3 of 4"
follow . pi.c 1 "pi is about 3.14"
follow . sessions.c 1 "pi is about 3.1"
follow . halo.c 1 "heat of 400 x 400 points after 100 steps"
follow . halo_put.c 1 "heat of 400 x 400 points after 100 steps"
follow . mandelbrot.c 1 "mandelbrot.ppm: 900 x 600 pixels, [1-9][0-9]* inside, by 4 ranks"
follow . tool_variables.c 2 "rank 0: rendezvous_sent_bytes, rank 1: 10000000"
follow . counter.c 1 "10000 tasks: 849666 steps"

if [ "$has_fortran" = 1 ]; then
    for program in pi heat particles; do
        "$build/bin/mpifort" -O2 -Wall -Werror "$source/examples/$program.f90" -o "$program" ||
            fail "mpifort $program.f90"
    done
    for ranks in 1 3; do
        says "pi is about 3.1415926536, .* by $ranks ranks in .* s" "$build/bin/mpirun" -n $ranks ./pi 100000
    done
    # As C has it.
    for ranks in 1 2 4; do
        says "$(sed 's/: .*//' heat1): $(sed 's/.*: //' heat1), by . x . ranks in .* s" \
            "$build/bin/mpirun" -n $ranks ./heat 60 50
    done
    "$build/bin/mpirun" -n 2 ./heat 1 1 > out 2>&1 && fail "heat takes too few points"
    grep -q "heat: 1 points a side are too few for 2 x 1 ranks" out || fail "heat: $(cat out)"
    says "100 particles after 50 steps; from rank to rank went 148" "$build/bin/mpirun" -n 1 ./particles 50
    says "300 particles after 50 steps; from rank to rank went 444" "$build/bin/mpirun" -n 3 ./particles 50
    follow . hello.f 1 "Hello from rank 3 of 4"
    follow . pi.f90 1 "pi is about 3.14"
    follow . heat.f90 1 "heat of 400 x 400 points after 100 steps"
    follow . particles.f90 1 "400 particles after 50 steps"
    # Fortran beside C, and below beside C and Java.
    follow mixed worker.f90 2 "9592 primes below 100000, counted by 2 ranks for a C rank"
    "$build/bin/mpifort" -O2 -Wall "$source/examples/mixed/worker.f90" -o worker || fail "mpifort worker.f90"
fi

sh -n "$source/examples/slurm.sh" || fail "slurm.sh is no script"
[ "$has_java" = 1 ] || exit 0

java="$build/bin/mpjrun -cp $build/examples -np"
printf 'The cat and the dog.\nA dog, a cat; the end\n\n' > text
# shellcheck disable=SC2086
{
    says "pi is about 3.1415926536, .* by 3 ranks in .* s" $java 3 Pi 100000
    says "30 tasks: $steps steps, the longest sequence from 27 with 111" $java 3 TaskFarm 30
    says "30 tasks: $steps steps, the longest sequence from 27 with 111" "$build/bin/corunna" run -n 2 java \
        -cp "$build/lib/corunna.jar:$build/examples" TaskFarm 30
    for start in "$java 3" "$build/bin/corunna run -n 3 java -cp $build/lib/corunna.jar:$build/examples"; do
        says "30 tasks: $steps steps, drawn from one counter by 3 ranks, [0-9]* by rank 0" $start SharedCounter 30
        # As C has it, to the digits that Java prints.
        says "heat of 60 x 60 points after 50 steps: $(sed 's/.*: //' heat1 | xargs printf %.5f), by 3 ranks in .* s" \
            $start HaloPut 60 50
        # The picture that C writes.
        rm -f picture.ppm
        says "picture.ppm: 60 x 40 pixels, [1-9][0-9]* inside, by 3 ranks in .* s" $start Mandelbrot picture.ppm 60 40
        cmp picture1.ppm picture.ppm || fail "Mandelbrot draws another picture"
    done
    says "6 different words; the most frequent ones:" $java 4 WordCount text
    printf '3 the\n2 a\n2 cat\n2 dog\n1 and\n' > expected
    sed 1d out | cmp - expected || fail "WordCount said $(cat out)"
}

follow . Hello.java 3 "Hello from rank 3 of 4"
follow . Pi.java 2 "pi is about 3.14"
follow . TaskFarm.java 2 "1000 tasks: "
follow . WordCount.java 2 "different words"
follow . SharedCounter.java 2 "10000 tasks: 849666 steps"
follow . Mandelbrot.java 2 "mandelbrot.ppm: 900 x 600 pixels, [1-9][0-9]* inside, by 4 ranks"
follow . HaloPut.java 2 "heat of 400 x 400 points after 100 steps"
follow heat Heat.java 2 "Largest difference to the sequential answer: 0"
[ -s copy/heat.png ] || fail "Heat draws nothing"
follow mixed master.c 2 "9592 primes below 100000"
# Without its argument an example says what it needs.
# shellcheck disable=SC2086
timeout 600 $java 2 WordCount > out 2>&1
[ $? = 2 ] && [ "$(cat out)" = "usage: mpjrun -np RANKS WordCount FILE" ] || fail "WordCount without a file: $(cat out)"

# C and Java in one job, by the command line and by the file of the example.
"$build/bin/mpicc" -O2 -Wall -Werror "$source/examples/mixed/master.c" -o master || fail "mpicc master.c"
javac --release 11 -cp "$build/lib/corunna.jar" -d . "$source/examples/mixed/Worker.java" || fail "javac Worker.java"
says "3245 primes below 30000, counted by 2 ranks for a C rank" \
    "$build/bin/mpirun" -n 1 ./master 30 : -n 2 java -cp . Worker
says "9592 primes below 100000, counted by 3 ranks for a C rank" \
    "$build/bin/mpirun" --app "$source/examples/mixed/job"
[ "$has_fortran" != 1 ] || says "3245 primes below 30000, counted by 3 ranks for a C rank" \
    "$build/bin/mpirun" -n 1 ./master 30 : -n 1 java -cp . Worker : -n 2 ./worker
timeout 600 "$build/bin/mpirun" -n 1 ./master > out 2>&1 && fail "master works alone"
grep -q "master needs workers" out || fail "master alone said $(cat out)"
echo "fine"
