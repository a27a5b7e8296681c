#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Hints beside what the system says, and programs of another MPI. $4 is hello_other_mpi.c.
. "$(dirname "$0")/launcher_lib.sh"
hello_source=$4

skipped() {
    [ -z "${CI:-}" ] || fail "$1 is not here, but setup installs it"
    echo "SKIPPED: $1 is not here"
}

# ---- programs that cannot be run
# --------------------------------------------------------------------------------------

printf '#!/bin/sh\necho hello\n' >surely-hello
chmod +x surely-hello
: >SurelyHello.class
: >SurelyOther.java
: >surely.jar
refusal='No such file or directory (hint:'
run "$bin/mpirun" -n 2 surely-hello
expect_status 127
expect_sentence \
    "corunna run: cannot run surely-hello: $refusal ./surely-hello is in the working directory; run: ./surely-hello)"
run "$bin/mpirun" -n 2 SurelyHello
expect_status 127
expect_sentence \
    "corunna run: cannot run SurelyHello: $refusal SurelyHello.class is a Java class; run: java SurelyHello)"
run "$bin/mpirun" -n 2 SurelyOther
expect_sentence \
    "corunna run: cannot run SurelyOther: $refusal SurelyOther.java is Java source; run: java SurelyOther.java)"
run "$bin/mpirun" -n 2 SurelyHello.class
expect_sentence "corunna run: cannot run SurelyHello.class: $refusal it is a Java class; run: java SurelyHello)"
run "$bin/mpirun" -n 2 ./surely.jar
expect_status 126
expect_sentence \
    "corunna run: cannot run ./surely.jar: Permission denied (hint: it is a jar; run: java -jar ./surely.jar)"
mkdir -p deep
cp surely-hello deep/surely-deep
run "$bin/mpirun" -n 2 -wdir deep surely-deep
expect_err 'hint: ./surely-deep is in the working directory'
run "$bin/mpirun" -n 2 -wdir deep ./surely-hello
expect_status 127
expect_sentence "corunna run: cannot run ./surely-hello: $refusal it is where mpirun was called, and --wdir is deep)"
printf '#!/nonexistent/shell\n' >orphan
chmod +x orphan
run "$bin/mpirun" -n 1 ./orphan
expect_status 127
expect_err 'hint: the file is there, but not the interpreter'

# Sources, folders, files that are no programs, and where no program may be.
: >surely.c
: >surely.cpp
: >surely.f90
: >surely.py
denied='Permission denied (hint:'
run "$bin/mpirun" -n 2 ./surely.c
expect_status 126
expect_sentence "corunna run: cannot run ./surely.c: $denied it is C source; compile it: mpicc -o ./surely ./surely.c)"
run "$bin/mpirun" -n 2 surely.c
expect_status 127
expect_sentence "corunna run: cannot run surely.c: $refusal it is C source; compile it: mpicc -o surely surely.c)"
run "$bin/mpirun" -n 2 ./surely.cpp
expect_err 'it is C++ source; compile it: mpicxx -o ./surely ./surely.cpp)$'
run "$bin/mpirun" -n 2 ./surely.f90
expect_err 'it is Fortran source; a compiler must make ./surely of it)$'
run "$bin/mpirun" -n 2 ./surely.py
expect_err 'it is a Python program; run: python3 ./surely.py)$'
run "$bin/mpirun" -n 2 ./SurelyOther.java
expect_sentence "corunna run: cannot run ./SurelyOther.java: $denied it is Java source; run: java ./SurelyOther.java)"
run "$bin/mpirun" -n 2 ./deep
expect_status 126
expect_sentence "corunna run: cannot run ./deep: $denied it is a folder; name a program in it)"
run "$bin/mpirun" -n 2 deep
expect_sentence "corunna run: cannot run deep: $refusal it is a folder; name a program in it)"
: >surely-plain
run "$bin/mpirun" -n 2 ./surely-plain
expect_sentence \
    "corunna run: cannot run ./surely-plain: $denied it is not executable; if it is a program: chmod +x ./surely-plain)"
noexec=no
if [ "$(id -u)" -eq 0 ] && mkdir noexec && mount -t tmpfs -o noexec,size=16m none noexec 2>/dev/null; then
    noexec=yes
    cp surely-hello noexec/
    run "$bin/mpirun" -n 2 noexec/surely-hello
    expect_status 126
    expect_sentence "corunna run: cannot run noexec/surely-hello: $denied its file system is mounted noexec; \
programs must be on another)"
else
    echo "not tried: a file system that is mounted noexec, which takes root"
fi

# ---- limits and folders that ranks meet
# -------------------------------------------------------------------------------

# says SENTENCE: how the launcher's sentence ends when a rank says this and fails.
says() {
    run "$bin/mpirun" -n 1 sh -c 'echo "$1" >&2; exit 1' sh "$1"
    expect_status 1
}
expect_hint() {
    grep -q "status 1 (hint: $1); ending the job$" err || fail "$label: $(cat err)"
}
says './a.out: error while loading shared libraries: libc.so.6: failed to map segment from shared object'
expect_hint 'ulimit -v is too small there, or the file system of the library is mounted noexec'
says 'cannot open data: Too many open files'
expect_hint 'a larger ulimit -n lets each rank open more files'
says 'java.lang.OutOfMemoryError: unable to create native thread:'\
' possibly out of memory or process/resource limits reached'
expect_hint 'the limit of .* is [0-9]*; raise that, or start fewer ranks on this host'
says 'malloc: Cannot allocate memory'
expect_sentence "malloc: Cannot allocate memory
corunna run: rank 0 on host $host exited with status 1; ending the job"
unloaded="java.lang.UnsatisfiedLinkError: Corunna's native library corunna.jar!/x cannot be loaded on linux-amd64"
says "$unloaded: /none/corunna-1"
expect_hint "it goes through the folder for temporary files, which must be there, writable and not noexec; \
java -Djava.io.tmpdir=FOLDER names another"
says "$unloaded: the jar holds no library for this machine"
grep -q 'hint' err && fail "$label: $(cat err)"
# A sanitizer takes more memory by itself.
if sh -c 'ulimit -v 500000; exec "$@"' sh "$corunna" --version >/dev/null 2>&1; then
    run sh -c 'ulimit -v 500000; exec "$@"' sh "$bin/mpirun" -n 1 \
        sh -c 'echo "malloc: Cannot allocate memory" >&2; exit 1'
    expect_hint 'a process may have 500000 kB of memory here; ulimit -v unlimited lifts that'
    # What JVMs say, on stdout, by which of their parts finds no room.
    while read -r words; do
        # shellcheck disable=SC2016
        run sh -c 'ulimit -v 500000; exec "$@"' sh "$bin/mpirun" -n 1 sh -c 'echo "$1"; exit 1' sh "$words"
        expect_hint 'a process may have 500000 kB of memory here; ulimit -v unlimited lifts that'
    done <<'END'
Could not reserve enough space for 301056KB object heap
Could not reserve enough space in CodeHeap 'non-nmethods' (2496K)
Could not allocate compressed class space: 1073741824 bytes
Could not allocate metaspace: 1073741824 bytes
[0.025s][warning][gc] Failed to reserve memory for new overflow mark stack with 4096 chunks and size 33554432B.
Failed to allocate initial concurrent mark overflow mark stack.
Unable to allocate 65536KB bitmaps for parallel garbage collection for the requested 2097152KB heap.
library initialization failed - unable to allocate file descriptor table - out of memory
# There is insufficient memory for the Java Runtime Environment to continue.
END
    if command -v java >/dev/null; then
        for kb in 500000 1000000 2000000 4000000; do
            run sh -c "ulimit -v $kb; exec \"\$@\"" sh "$bin/mpirun" -n 1 java -version
            [ "$status" -eq 0 ] || grep -q 'was killed by signal' err ||
                grep -q "hint: a process may have $kb kB of memory here; ulimit -v unlimited lifts that" err ||
                fail "$label: $(cat out err)"
        done
    fi
fi
[ $noexec = no ] || umount noexec

# ---- what loader and JVM say
# ------------------------------------------------------------------------------------------

if command -v cc >/dev/null; then
    mkdir -p lib
    echo 'int surely(void) { return 0; }' >surely.c
    echo 'int surely(void); int main(void) { return surely(); }' >user.c
    cc -shared -fPIC -o lib/libsurely.so surely.c && cc -o user user.c -Llib -lsurely || fail "cc fails"
    run "$bin/mpirun" -n 2 ./user
    expect_status 127
    grep -q "^corunna run: rank [01] on host $host exited with status 127 \
(hint: the loader there does not find libsurely.so; \
-x LD_LIBRARY_PATH=FOLDER names its folder); ending the job" err || fail "$label: $(cat err)"
    run "$bin/mpirun" -n 2 -x LD_LIBRARY_PATH="$scratch/lib" ./user
    expect_status 0
else
    skipped cc
fi
if command -v java >/dev/null; then
    run "$bin/mpirun" -n 2 java NoSuchClassHere
    expect_status 1
    hint='the class path has no NoSuchClassHere; java -cp FOLDER_OR_JAR names where it is'
    grep -q "exited with status 1 (hint: $hint); " err ||
        fail "$label: $(cat err)"
fi
# As a JVM says it in the midst of a trace.
cat >trace.sh <<'END'
echo 'Exception in thread "main" java.lang.NoClassDefFoundError: org/sample/Thing' >&2
echo '	at Main.main(Main.java:3)' >&2
exit 1
END
run "$bin/mpirun" -n 1 sh trace.sh
hint='the class org.sample.Thing is not on the class path; java -cp A.jar:B.jar names its jar'
grep -q "status 1 (hint: $hint); " err || fail "$label: $(cat err)"
run env CORUNNA_RUN_LAUNCHER="env AT={host}" "$bin/mpirun" -hosts a sh trace.sh
grep -q 'rank 0 on host a exited with status 1 (hint: the class org.sample.Thing' err || fail "$label: $(cat err)"
# A program that succeeds gets none.
run "$bin/mpirun" -n 1 sh -c 'echo java.lang.ClassNotFoundException: x >&2'
expect_status 0
[ "$(wc -l <err)" -eq 1 ] || fail "$label: $(cat err)"

# ---- programs of another MPI
# ------------------------------------------------------------------------------------------

told="^corunna run: rank [0-9]* on host [^ ]* runs with [^ ]*libmpi.so[^ ]*, a library of Open MPI: \
each process is a job of one rank; \
start it with Open MPI's mpirun (mpirun.openmpi), or compile it with Corunna's mpicc$"
expect_told() {
    [ "$(grep -c "$told" err)" -eq "$1" ] || fail "$label: told $(grep -c "$told" err) times instead of $1: $(cat err)"
}
if command -v mpicc.openmpi >/dev/null; then
    # One that ends at once and one that runs until it is told of: by its file, and by what it has mapped, behind a
    # script.
    echo '#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{ double now = MPI_Wtime(); return (argc > 1 && !fopen(argv[1], "r")) || now < 0; }' >quick.c
    mpicc.openmpi -o quick quick.c || fail "mpicc.openmpi fails"
    run "$bin/mpirun" -n 2 ./quick
    expect_status 0
    expect_told 1
    mkfifo go
    label='mpirun -n 3 of a script'
    : >err
    timeout $hang_s "$bin/mpirun" -n 3 sh -c './quick go || exit 1; exit 0' >out 2>err &
    job=$!
    await_lines err "$told" || fail "$label: $(cat err)"
    # Each of the three opens the pipe, and none of them waits any longer.
    exec 3<>go
    wait_for_job
    exec 3>&-
    expect_status 0
    expect_told 1
    grep -q 'runs with /[^ ]*/libmpi.so' err || fail "$label: $(cat err)"
    run env CORUNNA_RUN_LAUNCHER="env AT={host}" "$bin/mpirun" -hosts a:1,b:1 ./quick
    expect_told 1
    run "$bin/mpirun" -n 1 ./quick
    expect_quiet
else
    skipped mpicc.openmpi
fi
# MPICH's programs speak our protocol: one job, and nothing to tell, also if they take their time. Ranks are looked at
# after 0.3 s for the first time.
if command -v mpicc.mpich >/dev/null; then
    mpicc.mpich -o hello "$hello_source" || fail "mpicc.mpich fails"
    run "$bin/mpirun" -n 2 sh -c 'sleep 0.$((4 * PMI_RANK)); exec ./hello'
    expect_status 0
    expect_quiet
    [ "$(grep -c 'of 2, the ranks sum up to 1$' out)" -eq 2 ] || fail "$label: $(cat out)"
else
    skipped mpicc.mpich
fi
# Ranks without any MPI are looked at, too.
run "$bin/mpirun" -n 2 sleep 0.5
expect_status 0
expect_quiet

finish
